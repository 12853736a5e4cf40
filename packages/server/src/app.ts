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
import type { App, Routes } from './http/routes.js'
import { createServer } from './http/server.js'
import { createAuthenticator } from './keys/authenticator.js'
import { keyRoutes } from './keys/routes.js'
import { createKeyUsage } from './keys/usage.js'
import { knowledgeRoutes } from './knowledge/routes.js'
import { createLimiter } from './limits/create-limiter.js'
import { loadPlans } from './limits/plans.js'
import { meRoutes } from './me/routes.js'
import { createMetrics } from './metrics.js'
import { projectRoutes } from './projects/routes.js'
import { type SearchOptions, startSearch } from './search/start.js'
import { taskRoutes } from './tasks/routes.js'
import { type FirstStart, prepareFirstStart } from './tenants/first-start.js'
import { plansInUse } from './tenants/service.js'
import { userRoutes } from './users/routes.js'
import { type DeliverySettings, deliverySettings, startDeliverer } from './webhooks/deliverer.js'
import { deliveryRoutes } from './webhooks/delivery-routes.js'
import { webhookRoutes } from './webhooks/routes.js'
import { createTargets } from './webhooks/target.js'

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
  webhooks?: Partial<DeliverySettings>
  search?: SearchOptions
}

const features: readonly Routes[] = [
  taskRoutes,
  knowledgeRoutes,
  projectRoutes,
  userRoutes,
  keyRoutes,
  eventRoutes,
  webhookRoutes,
  deliveryRoutes,
  meRoutes,
  operationRoutes,
]

/** The composition root: the store, the services on it, and the doors in front. */
export const createService = async (config: Config, logger: Logger, options: ServiceOptions = {}): Promise<Service> => {
  const { clock = systemClock, observeStatement } = options
  const plans = loadPlans(config.plansFile)
  const metrics = createMetrics()
  const db = await openDb(config, {
    isOnlyWriter: true,
    observe: (text, durationMs) => {
      metrics.observeStatement(durationMs)
      observeStatement?.(text, durationMs)
    },
  })
  for (const name of await migrate(db)) logger.info({ migration: name }, 'schema migrated')
  const firstStart = await prepareFirstStart(db, clock, config)
  for (const warning of firstStart.warnings) logger.warn(warning)
  for (const plan of await plansInUse(db)) {
    if (!plans.has(plan))
      logger.warn(`Tenants are on the plan "${plan}", which is not known: they get the limits of "free".`)
  }

  const search = startSearch({ db, config, metrics, logger }, options.search)
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
    search: search.engine,
    targets: createTargets(config.webhookAllow),
  }
  const app = createServer(core, logger, features)
  const housekeeping = startHousekeeping(core, logger)
  const deliverer = await startDeliverer(core, logger, { ...deliverySettings, ...options.webhooks })
  await app.ready()
  return {
    app,
    core,
    firstStart,
    close: async () => {
      const delivered = deliverer.stop()
      await app.close()
      // One that fails, as with a store that is away, keeps none of the others from ending.
      const closed = await Promise.allSettled([housekeeping.stop(), delivered, search.stop(), core.limiter.close()])
      closed.push(...(await Promise.allSettled([db.close()])))
      for (const one of closed) {
        if (one.status === 'rejected') logger.error({ err: one.reason }, 'could not be written before the end')
      }
    },
  }
}
