import type { Logger } from 'pino'
import { type Clock, systemClock } from './clock.js'
import type { Config } from './config.js'
import type { Core } from './core.js'
import { migrate } from './db/migrate.js'
import { openDb } from './db/open.js'
import type { StatementObserver } from './db/port.js'
import { eventRoutes } from './events/routes.js'
import { createWatches } from './events/watch.js'
import { startHousekeeping } from './housekeeping.js'
import { operationRoutes } from './http/operation.js'
import { type App, createServer, type Routes } from './http/server.js'
import { createAuthenticator } from './keys/authenticator.js'
import { keyRoutes } from './keys/routes.js'
import { createKeyUsage } from './keys/usage.js'
import { knowledgeRoutes } from './knowledge/routes.js'
import { createLimiter } from './limits/create-limiter.js'
import { loadPlans } from './limits/plans.js'
import { meRoutes } from './me/routes.js'
import { createMetrics } from './metrics.js'
import { projectRoutes } from './projects/routes.js'
import { createSearchEngine } from './search/engine.js'
import { taskRoutes } from './tasks/routes.js'
import { type FirstStart, prepareFirstStart } from './tenants/first-start.js'
import { userRoutes } from './users/routes.js'

export interface Service {
  app: App
  core: Core
  firstStart: FirstStart
  /** Answers what is under way, writes what is held back and closes the store. */
  close(): Promise<void>
}

export interface ServiceOptions {
  clock?: Clock
  observeStatement?: StatementObserver
}

const features: readonly Routes[] = [
  operationRoutes,
  taskRoutes,
  knowledgeRoutes,
  projectRoutes,
  userRoutes,
  keyRoutes,
  eventRoutes,
  meRoutes,
]

/** The composition root: the store, the services on it, and the doors in front. */
export const createService = async (config: Config, logger: Logger, options: ServiceOptions = {}): Promise<Service> => {
  const { clock = systemClock, observeStatement } = options
  const plans = loadPlans(config.plansFile)
  if (config.plan !== undefined && !plans.has(config.plan)) {
    throw new Error(`WORKLORE_PLAN names no plan: "${config.plan}". Known are ${[...plans.keys()].join(', ')}.`)
  }
  const metrics = createMetrics()
  const db = await openDb(config, (text, durationMs) => {
    metrics.observeStatement(durationMs)
    observeStatement?.(text, durationMs)
  })
  for (const name of await migrate(db)) logger.info({ migration: name }, 'schema migrated')
  const firstStart = await prepareFirstStart(db, clock, config)
  for (const warning of firstStart.warnings) logger.warn(warning)

  const core: Core = {
    config,
    clock,
    db,
    plans,
    metrics,
    limiter: createLimiter(db, {
      clock,
      onWriteError: (error) =>
        logger.warn({ err: error }, 'limit counters could not be written and will be tried again'),
    }),
    authenticator: createAuthenticator(db, clock),
    keyUsage: createKeyUsage(db, clock),
    watches: createWatches(db),
    search: createSearchEngine({
      store: config,
      memoryBytes: config.searchMemoryBytes,
      onProblem: (message, error) => logger.warn({ err: error }, message),
    }),
  }
  const app = createServer(core, logger, features)
  const housekeeping = startHousekeeping(core, logger)
  await app.ready()
  return {
    app,
    core,
    firstStart,
    close: async () => {
      await app.close()
      for (const close of [housekeeping.stop, core.search.close, core.limiter.close, db.close]) {
        // A store that is away must not keep the rest from ending.
        await close().catch((error) => logger.error({ err: error }, 'could not be written before the end'))
      }
    },
  }
}
