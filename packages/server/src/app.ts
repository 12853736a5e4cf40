import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { createRefusalLog } from './audit/refusals.js'
import { createReadyWaits } from './claims/waiting.js'
import { type Clock, systemClock } from './clock.js'
import type { Config } from './config.js'
import { builtConsoleFolder } from './console-folder.js'
import type { Core } from './core.js'
import { migrate } from './db/migrate.js'
import { openDb } from './db/open.js'
import type { StatementObserver } from './db/port.js'
import { expectReachable } from './db/reachable.js'
import { createSharedReads } from './events/shared-reads.js'
import { createWatches } from './events/watch.js'
import { startHousekeeping } from './housekeeping.js'
import type { ConnectionSettings } from './http/connections.js'
import { createServer } from './http/server.js'
import { createIdempotency } from './idempotency/service.js'
import { createAuthenticator } from './keys/authenticator.js'
import { createKeyUsage } from './keys/usage.js'
import { createLimiter } from './limits/create-limiter.js'
import { createOpenWaits } from './limits/open-waits.js'
import { loadPlans } from './limits/plans.js'
import { createWorkSlots, type WorkSlotSettings, workSlotSettings } from './limits/work-slots.js'
import type { McpOptions } from './mcp/answer.js'
import { createMetrics } from './metrics.js'
import { createOpenStreams } from './quotas/open-streams.js'
import { type SearchOptions, startSearch } from './search/start.js'
import { openSecrets } from './secrets/service.js'
import { countSessions } from './sessions/service.js'
import { createSessions } from './sessions/use.js'
import { nextDueMs } from './tasks/queue.js'
import { type FirstStart, prepareFirstStart } from './tenants/first-start.js'
import { plansInUse } from './tenants/service.js'
import { type DeliverySettings, deliverySettings, startDeliveryDispatcher } from './webhooks/delivery-dispatcher.js'
import { reencryptWebhookSecrets } from './webhooks/stored-secrets.js'
import { createTargets } from './webhooks/target.js'

export interface Service {
  app: FastifyInstance
  core: Core
  firstStart: FirstStart
  /** Whether the web console is built. */
  hasConsole: boolean
  /** Answers what is under way, writes what is held back and closes the store. */
  close(): Promise<void>
}

export interface ServiceOptions {
  clock?: Clock
  observeStatement?: StatementObserver
  webhooks?: Partial<DeliverySettings>
  search?: SearchOptions
  connections?: Partial<ConnectionSettings>
  workSlots?: Partial<WorkSlotSettings>
  mcp?: McpOptions
  /** Where the built web console is; null for none. */
  consoleFolder?: string | null
}

/** The composition root: the store, the services on it, and the doors in front. */
export const createService = async (config: Config, logger: Logger, options: ServiceOptions = {}): Promise<Service> => {
  const { clock = systemClock, observeStatement } = options
  const plans = loadPlans(config.plansFile)
  const metrics = createMetrics()
  const db = await openDb(config, {
    isOnlyWriter: true,
    observe: (text, durationMs, group) => {
      metrics.observeStatement(durationMs)
      observeStatement?.(text, durationMs, group)
    },
  })
  await expectReachable(db, config).catch(async (error) => {
    await db.close()
    throw error
  })
  for (const name of await migrate(db)) logger.info({ migration: name }, 'schema migrated')
  const secretBox = await openSecrets(db, config, reencryptWebhookSecrets).catch(async (error) => {
    await db.close()
    throw error
  })
  const firstStart = await prepareFirstStart(db, clock, config)
  for (const warning of firstStart.warnings) logger.warn(warning)
  for (const plan of await plansInUse(db)) {
    if (!plans.has(plan)) logger.warn(`Some tenants are on the unknown plan "${plan}" and get the limits of "free".`)
  }

  const search = startSearch({ db, config, metrics, logger }, options.search)
  const limiter = createLimiter(db, {
    clock,
    onWriteError: (error) => logger.warn({ err: error }, 'writing rate limit counters failed and will be retried'),
  })
  const watches = createWatches(db)
  const core: Core = {
    config,
    clock,
    db,
    plans,
    metrics,
    limiter,
    authenticator: createAuthenticator(db, clock, limiter.lookUps),
    keyUsage: createKeyUsage(db, clock),
    idempotency: createIdempotency(),
    refusals: createRefusalLog(db, clock),
    sessions: createSessions(db, clock, limiter.lookUps),
    openStreams: createOpenStreams(db, clock, (tenantId) => countSessions(db, clock, tenantId)),
    readyWaits: createReadyWaits(db, (tenantId) => nextDueMs(db, tenantId), clock),
    watches,
    sharedReads: createSharedReads(db, watches.notificationCount),
    openWaits: createOpenWaits(),
    workSlots: createWorkSlots({ ...workSlotSettings, ...options.workSlots }),
    search: search.engine,
    vectors: search.vectors,
    targets: createTargets(config.webhookAllow),
    secretBox,
  }
  const { consoleFolder = builtConsoleFolder() } = options
  const app = createServer(core, logger, options.connections, options.mcp, consoleFolder ?? undefined)
  const housekeeping = startHousekeeping(core, logger)
  const dispatcher = await startDeliveryDispatcher(core, logger, { ...deliverySettings, ...options.webhooks })
  await app.ready()
  return {
    app,
    core,
    firstStart,
    hasConsole: typeof consoleFolder === 'string',
    close: async () => {
      const delivered = dispatcher.stop()
      await app.close()
      // One that fails, as with a store that is away, keeps none of the others from ending.
      const closed = await Promise.allSettled([housekeeping.stop(), delivered, search.stop(), core.limiter.close()])
      closed.push(...(await Promise.allSettled([db.close()])))
      for (const one of closed) {
        if (one.status === 'rejected') logger.error({ err: one.reason }, 'could not be written before shutdown')
      }
    },
  }
}
