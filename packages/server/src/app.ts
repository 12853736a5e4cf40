import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import type { SearchEngine } from 'worklore-search'
import { type DueWork, type DueWorker, startDueWork } from './background/loop.js'
import { type PeriodicJob, startPeriodicJobs } from './background/periodic.js'
import { type Clock, systemClock } from './base/clock.js'
import { agedAuditEntries } from './changelog/audit/maintenance.js'
import { createRefusalLog, type RefusalLog } from './changelog/audit/refusals.js'
import { noTenant } from './changelog/audit/service.js'
import { agedInboxEntries } from './changelog/inbox/maintenance.js'
import { createWatches, type Watches } from './changelog/watch.js'
import { type Config, oidcIssuersOf, version } from './config.js'
import { type AgedRows, deleteAgedRows } from './db/aged-rows.js'
import { migrate } from './db/migrate.js'
import { openDb } from './db/open.js'
import type { StatementObserver } from './db/port.js'
import { expectNotifications, expectReachable } from './db/reachable.js'
import { openSecrets } from './db/secrets/service.js'
import { builtConsoleFolder } from './http/console/files.js'
import { expectReady } from './http/operator-routes.js'
import type { ConnectionSettings } from './http/protection/connections.js'
import { createServer } from './http/server.js'
import { createLimiter } from './limits/create-limiter.js'
import { loadPlans } from './limits/plans.js'
import { createOpenStreams } from './limits/quotas/open-streams.js'
import { agedCounts, createUsage } from './limits/usage/usage.js'
import { createWorkSlots, type WorkSlotSettings, workSlotSettings } from './limits/work-slots.js'
import type { McpOptions } from './mcp/answer.js'
import { registerMcp } from './mcp/route.js'
import { createMetrics } from './observability/metrics.js'
import { traceStore } from './observability/store-spans.js'
import { createTracing, type Tracing } from './observability/tracing.js'
import type { Core } from './operations/core.js'
import type { Hooks } from './operations/hooks.js'
import { agedAnswers } from './operations/idempotency/maintenance.js'
import { createIdempotency } from './operations/idempotency/service.js'
import { erasureWorker } from './recovery/deletions/erasure.js'
import { deletionWorker } from './recovery/deletions/finish.js'
import { createDiffer, type Differ } from './recovery/history/differ.js'
import { packVersions } from './recovery/history/retention/pack.js'
import { trimVersions } from './recovery/history/retention/trim.js'
import { restoreWorker } from './recovery/trash/continue-restores.js'
import { purgeWorker } from './recovery/trash/purge.js'
import { eachInTurn } from './scheduling/in-turns.js'
import { createScheduler, type Scheduler } from './scheduling/scheduler.js'
import { trimEvents } from './subscribers/events/maintenance.js'
import { createSharedReads, type ReadAfter } from './subscribers/events/shared-reads.js'
import { forgetDocuments, forgetSnapshots } from './subscribers/search/forget.js'
import { type SearchOptions, startSearch, type Vectors } from './subscribers/search/start.js'
import {
  createDeliveryDispatcher,
  type DeliverySettings,
  deliverySettings,
} from './subscribers/webhooks/delivery/dispatcher.js'
import { erasedDeliveries, redactDeliveries, trimDeliveries } from './subscribers/webhooks/maintenance.js'
import { reencryptWebhookSecrets } from './subscribers/webhooks/stored-secrets.js'
import { createTargets, type Targets } from './subscribers/webhooks/target.js'
import { type Authenticator, bearerCredential, createAuthenticator } from './tenancy/keys/authenticator.js'
import { keyRefCredential } from './tenancy/keys/key-ref.js'
import { createLastUsed, type LastUsed } from './tenancy/keys/last-used.js'
import { setLastUsed } from './tenancy/keys/service.js'
import { sessionCredential } from './tenancy/keys/sessions/credential.js'
import { agedSessions } from './tenancy/keys/sessions/ending.js'
import { countSessions, renewSession } from './tenancy/keys/sessions/service.js'
import { createSignIn, type SignIn } from './tenancy/keys/sign-in/service.js'
import { createAccessTokens } from './tenancy/keys/sign-in/tokens.js'
import { type FirstStart, prepareFirstStart } from './tenancy/tenants/first-start.js'
import { findTenantId, listTenantIds, plansInUse } from './tenancy/tenants/service.js'
import { contextBeside } from './work/context/service.js'
import { type BasisBuffer, basisOf, createBasisBuffer } from './work/reliance/basis.js'
import { staleCheckWorker } from './work/reliance/checks.js'
import { agedClaims, dueTasks } from './work/tasks/claims/maintenance.js'
import { endClaimsBy, endClaimsOf, fenceOf } from './work/tasks/claims/service.js'
import { createReadyWaits, type ReadyWaits } from './work/tasks/claims/waiting.js'
import { nextDueMs, requeueAttempted } from './work/tasks/queue/queue.js'
import { countTasksByStatus } from './work/tasks/statuses/service.js'

/** Core with the members that higher layers add to it: whoever uses the built types sees all of them. */
interface ComposedCore extends Core {
  readonly refusals: RefusalLog
  readonly watches: Watches
  readonly authenticator: Authenticator
  readonly keyRefs: Authenticator
  readonly sessionAuthenticator: Authenticator
  readonly keysUsed: LastUsed
  readonly sessionsUsed: LastUsed
  readonly signIn: SignIn | undefined
  readonly basis: BasisBuffer
  readonly readyWaits: ReadyWaits
  readonly sharedReads: ReadAfter
  readonly vectors: Vectors | undefined
  readonly targets: Targets
  readonly differ: Differ
}

export interface Service {
  app: FastifyInstance
  core: ComposedCore
  dueWork: DueWork
  firstStart: FirstStart
  /** Whether the web console is built. */
  hasConsole: boolean
  /** From now on `/readyz` sends new requests elsewhere; those that still come are served. */
  drain(): void
  /** Answers what is under way, writes what is held back and closes the store. */
  close(): Promise<void>
}

/** Makes one reading of the figures of several processes from that of this one. */
export type ShareFigures = (own: () => Promise<string>) => () => Promise<string>

interface ServiceOptions {
  clock?: Clock
  observeStatement?: StatementObserver
  webhooks?: Partial<DeliverySettings>
  search?: SearchOptions
  connections?: Partial<ConnectionSettings>
  workSlots?: Partial<WorkSlotSettings>
  /** Tests pass a scheduler with their own clock. */
  scheduler?: Scheduler
  mcp?: McpOptions
  /** Where the built web console is; null for none. */
  consoleFolder?: string | null
  shareFigures?: ShareFigures | undefined
}

/** What the layers above do when something below them changes. */
export const hooks: Hooks = {
  fenceOf,
  basisOf,
  contextBeside: (call, claimed, budgetTokens) => contextBeside(call, claimed, budgetTokens),
  keyRevoked: endClaimsOf,
  keyExpiryChanged: endClaimsBy,
  maxAttemptsChanged: requeueAttempted,
  countTasksByStatus,
  eventsRedacted: redactDeliveries,
  erasedDeliveries,
  documentPurged: (call, document) => forgetDocuments(call, [document]),
  trashPurged: forgetSnapshots,
}

const dayMs = 86_400_000

/** Rows that are deleted by their age alone. */
const agedRows: readonly AgedRows[] = [
  agedAuditEntries,
  agedInboxEntries,
  agedAnswers,
  agedClaims,
  ...agedCounts,
  ...agedSessions,
]

const periodicJobs = (core: Core): PeriodicJob[] => {
  const { db, clock, config, openStreams, metrics } = core
  const eventsBeforeMs = (): number => clock() - config.eventRetentionDays * dayMs
  const job = (name: string, intervalMs: number, run: () => Promise<void>): PeriodicJob => ({ name, intervalMs, run })
  return [
    // A crash may lose up to a second of counts: half of it until a flush, and half while the disk writes.
    job('recording rate limits', 500, core.limiter.flush),
    job('recording key usage', 1_000, core.keysUsed.flush),
    job('renewing sessions', 1_000, core.sessionsUsed.flush),
    job('counting open streams', 1_000, openStreams.flush),
    job('recording refusals', 5_000, core.refusals.flush),
    job('recording usage', 2_000, () => core.usage.flush()),
    job('recording what tasks relied on', 500, core.basis.flush),
    job('packing old versions', 60_000, () => packVersions(db, clock, metrics)),
    job('trimming the history', 60_000, () => trimVersions(db, clock, metrics, config.historyDays * dayMs)),
    job('trimming events', 60_000, () => trimEvents(db, eventsBeforeMs())),
    job('trimming webhook deliveries', 60_000, () => trimDeliveries(db, eventsBeforeMs())),
    job('deleting old rows', 60_000, async () =>
      eachInTurn([noTenant, ...(await listTenantIds(db))], (tenantId) =>
        eachInTurn(agedRows, (rows) => deleteAgedRows(db, rows, tenantId, clock())),
      ),
    ),
  ]
}

const dueWorkers = (core: Core): DueWorker[] => {
  const { db, clock, config } = core
  return [
    dueTasks(db, clock),
    staleCheckWorker(db, clock),
    deletionWorker(db, clock),
    erasureWorker(core),
    restoreWorker(db, clock),
    purgeWorker(core, config.trashDays * dayMs),
  ]
}

const traceSearch = (engine: SearchEngine, tracing: Tracing): SearchEngine => ({
  ...engine,
  search: (async (...wanted) =>
    tracing.inSpan(
      'search',
      () => ({}),
      () => engine.search(...wanted),
    )) as SearchEngine['search'],
})

/** Wraps a function so that its callers resume in the scheduler turn of the tenant they passed. */
const inTurnOfTenant =
  <A extends unknown[], R>(scheduler: Scheduler, act: (tenantId: string, ...rest: A) => Promise<R>) =>
  (tenantId: string, ...rest: A): Promise<R> =>
    scheduler.resume(tenantId, act(tenantId, ...rest))

/** The composition root: the store, the services on it, and the interfaces in front. */
export const createService = async (config: Config, logger: Logger, options: ServiceOptions = {}): Promise<Service> => {
  const { clock = systemClock, observeStatement } = options
  const plans = loadPlans(config.plansFile)
  const ownMetrics = createMetrics()
  const { shareFigures = (own) => own } = options
  const metrics = { ...ownMetrics, text: shareFigures(ownMetrics.text) }
  const tracing = createTracing(version)
  const { scheduler = createScheduler() } = options
  const opened = await openDb(config, {
    isOnlyWriter: true,
    scheduler,
    observe: (text, durationMs, group, access) => {
      metrics.observeStatement(durationMs)
      observeStatement?.(text, durationMs, group, access)
    },
  })
  const db = tracing ? traceStore(opened, tracing) : opened
  await expectReachable(db, config)
    .then(() => expectNotifications(db))
    .catch(async (error) => {
      await db.close()
      throw error
    })
  const migrations = await migrate(db)
  if (migrations.length > 0)
    logger.info({ migrations: migrations.length, newest: migrations.at(-1) }, 'schema migrated')
  const secretBox = await openSecrets(db, config, reencryptWebhookSecrets).catch(async (error) => {
    await db.close()
    throw error
  })
  const firstStart = await prepareFirstStart(db, clock, config)
  for (const warning of firstStart.warnings) logger.warn(warning)
  await plansInUse(db).then(
    (inUse) => {
      for (const plan of inUse.filter((name) => !plans.has(name)))
        logger.warn(`Some tenants are on the unknown plan "${plan}" and get the limits of "free".`)
    },
    (error) => logger.warn({ err: error }, 'the plans of all tenants could not be read'),
  )

  const search = startSearch({ db, config, metrics, logger }, options.search)
  const limiter = createLimiter(db, { clock })
  const onJobError = (name: string, error: unknown): void => {
    metrics.countFailure(name)
    logger.warn({ err: error }, `${name} failed and will be retried`)
  }
  const watches = createWatches(db, scheduler)
  const signIn = createSignIn(oidcIssuersOf(config), clock, (ref) => findTenantId(db, ref))
  const accessTokens = signIn && createAccessTokens(clock, signIn, config.publicUrl!)
  const engine = tracing ? traceSearch(search.engine, tracing) : search.engine
  const differ = createDiffer()
  const draining = new AbortController()
  const core: ComposedCore = {
    config,
    clock,
    db,
    scheduler,
    plans,
    metrics,
    tracing,
    limiter,
    signIn,
    authenticator: createAuthenticator(db, clock, limiter.lookUps, bearerCredential(accessTokens)),
    keyRefs: createAuthenticator(db, clock, undefined, keyRefCredential(clock)),
    sessionAuthenticator: createAuthenticator(db, clock, limiter.lookUps, sessionCredential(clock)),
    keysUsed: createLastUsed(clock, (tenantId, keyId, usedAtMs) =>
      setLastUsed(db.ofTenant(tenantId), tenantId, keyId, usedAtMs),
    ),
    sessionsUsed: createLastUsed(clock, (tenantId, sessionId, usedAtMs) =>
      renewSession(db.ofTenant(tenantId), tenantId, sessionId, usedAtMs),
    ),
    idempotency: createIdempotency(),
    refusals: createRefusalLog(db, clock),
    openStreams: createOpenStreams(db, clock, (tenantId) => countSessions(db.ofTenant(tenantId), clock, tenantId)),
    basis: createBasisBuffer(db, clock),
    readyWaits: createReadyWaits(db, (tenantId) => nextDueMs(db, tenantId), clock),
    watches,
    sharedReads: inTurnOfTenant(scheduler, createSharedReads(db, watches.notificationCount)),
    usage: createUsage(db, clock),
    workSlots: createWorkSlots({ ...workSlotSettings, ...options.workSlots }),
    search: { ...engine, search: inTurnOfTenant(scheduler, engine.search) as SearchEngine['search'] },
    differ: { ...differ, changes: inTurnOfTenant(scheduler, differ.changes) },
    vectors: search.vectors,
    targets: createTargets(config.webhookAllow),
    secretBox,
    hooks,
    draining: draining.signal,
  }
  const { consoleFolder = builtConsoleFolder() } = options
  const app = createServer(core, logger, options.connections, consoleFolder ?? undefined)
  registerMcp(app, core, options.mcp)
  const jobs = startPeriodicJobs(periodicJobs(core), onJobError, metrics.noteJob)
  const dispatcher = createDeliveryDispatcher(core, logger, { ...deliverySettings, ...options.webhooks })
  const dueWork = startDueWork({
    db,
    clock,
    workers: [...dueWorkers(core), dispatcher.worker],
    listTenantIds: () => listTenantIds(db),
    onError: onJobError,
    onSuccess: metrics.noteJob,
  })
  dispatcher.listen((tenantId) => dueWork.wake({ tenantId, kind: 'webhooks' }))
  metrics.watchNode({
    isReady: () =>
      expectReady(core).then(
        () => true,
        () => false,
      ),
    isDraining: () => draining.signal.aborted,
    dueWork: dueWork.figures,
    store: db.figures,
  })
  await app.ready()
  return {
    app,
    core,
    dueWork,
    firstStart,
    hasConsole: typeof consoleFolder === 'string',
    drain: () => draining.abort(),
    close: async () => {
      const worked = [dueWork.stop(), dispatcher.stop()]
      await app.close()
      const buffered = [core.keysUsed, core.sessionsUsed, core.refusals, core.openStreams, core.basis, core.usage]
      // One that fails, as with a store that is away, keeps none of the others from ending.
      const closed = await Promise.allSettled([
        jobs.stop().then(() => Promise.all(buffered.map((buffer) => buffer.flush()))),
        ...worked,
        search.stop(),
        differ.close(),
        core.limiter.close(),
      ])
      closed.push(...(await Promise.allSettled([db.close()])))
      for (const one of closed) {
        if (one.status === 'rejected') logger.error({ err: one.reason }, 'could not be written before shutdown')
      }
    },
  }
}
