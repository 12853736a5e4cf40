import type { Logger } from 'pino'
import type { DueWorker } from '../../../background/loop.js'
import { listTenantsWith } from '../../../background/note.js'
import type { CommitNotification } from '../../../db/commit-notifier.js'
import { tenantOfDeliveriesTopic } from '../../../db/topics.js'
import type { Core } from '../../../operations/core.js'
import { createSharedReads } from '../../events/shared-reads.js'
import { createLinkTo } from '../messages/outgoing.js'
import { createDeliveryClient } from './client.js'
import { nextLookMs } from './progress-store.js'
import { createDeliverySlots } from './slots.js'
import { startTenantDeliveries, type TenantContext, type TenantDeliveries } from './tenant-deliveries.js'

export interface DeliverySettings {
  timeoutMs: number
  /** How often a served tenant's webhooks are read, to find retries and changes that no commit announced. */
  pollIntervalMs: number
  /** How long a tenant with nothing to send stays served, so that its next event is sent at once. */
  idleTimeoutMs: number
  /** Concurrent requests over all webhooks of this node. */
  maxConcurrentDeliveries: number
  /** How many tenants this node serves at once. */
  maxTenants: number
  /** Minimum time for which a tenant is served once this node has reached `maxTenants`. */
  tenantTimeSliceMs: number
  /** How long requests in flight may take when the service stops. */
  stopTimeoutMs: number
}

export const deliverySettings: DeliverySettings = {
  timeoutMs: 15_000,
  pollIntervalMs: 1_000,
  idleTimeoutMs: 3_000,
  maxConcurrentDeliveries: 256,
  maxTenants: 500,
  tenantTimeSliceMs: 5_000,
  stopTimeoutMs: 5_000,
}

const workName = 'serving webhooks'
/** Commits within this time start a tenant's deliveries only once. */
const startAfterMs = 20
const refreshEveryMs = 30_000
/** Commits of further tenants are found when their webhooks are checked next. */
const maxKnownTenants = 100_000
/** Share of `maxTenants` that make room at once. */
const yieldingShare = 0.1

interface DeliveryDispatcher {
  /** Serves a tenant's webhooks when they are due, or when a commit wakes the worker. */
  worker: DueWorker
  /** Starts listening to commits; `wake` starts the worker for a tenant, unless a node serves it already. */
  listen(wake: (tenantId: string) => void): void
  stop(): Promise<void>
}

/**
 * Sends the event log to webhooks. Every node runs a dispatcher. The lease of the background work determines which node
 * serves a tenant; within that node, all wake-ups happen in memory.
 */
export const createDeliveryDispatcher = (
  core: Core,
  logger: Logger,
  settings: DeliverySettings,
): DeliveryDispatcher => {
  const { db, clock, metrics, tracing, watches, targets, secretBox, config } = core
  const client = createDeliveryClient(targets, settings.timeoutMs)
  const serving = new Map<string, TenantDeliveries>()
  /** Tenants with enabled webhooks. */
  let known = new Set<string>()
  const starting = new Set<string>()
  let startTimer: NodeJS.Timeout | undefined
  let isStopping = false
  let stopListening = (): void => {}
  const timers: NodeJS.Timeout[] = []

  const noteFailure = (error: unknown): void => {
    metrics.countFailure(workName)
    logger.warn({ err: error }, 'serving webhooks failed and will be retried')
  }

  const context: TenantContext = {
    db,
    clock,
    logger,
    metrics,
    tracing,
    client,
    secretBox,
    linkTo: createLinkTo(config),
    read: createSharedReads(db, watches.notificationCount),
    runInSlot: createDeliverySlots(settings.maxConcurrentDeliveries),
    idleTimeoutMs: settings.idleTimeoutMs,
    noteFailure,
    noteSuccess: () => metrics.noteJob(workName),
  }

  const know = (tenantId: string): void => {
    if (known.size < maxKnownTenants) known.add(tenantId)
  }

  const refresh = (): void => {
    listTenantsWith(db, 'webhooks', maxKnownTenants).then((tenantIds) => {
      known = new Set(tenantIds)
    }, noteFailure)
  }

  /** Stops the tenants that were served for longest, so that others get their turn. */
  const makeRoom = (): void => {
    if (serving.size < settings.maxTenants) return
    let yielding = 0
    for (const tenant of serving.values()) {
      if (tenant.runningForMs() < settings.tenantTimeSliceMs) return
      void tenant.stop()
      if (++yielding >= settings.maxTenants * yieldingShare) return
    }
  }

  const poll = (): void => {
    for (const tenant of serving.values()) tenant.poll()
    makeRoom()
  }

  const listen: DeliveryDispatcher['listen'] = (wake) => {
    const startSoon = (tenantId: string): void => {
      starting.add(tenantId)
      startTimer ??= setTimeout(() => {
        startTimer = undefined
        for (const tenantId of starting) wake(tenantId)
        starting.clear()
      }, startAfterMs)
    }
    const onCommits = (commits: CommitNotification): void => {
      for (const topic of commits.keys?.() ?? known) {
        const named = tenantOfDeliveriesTopic(topic)
        if (named !== undefined) know(named)
        const tenantId = named ?? topic
        if (!known.has(tenantId) || isStopping) continue
        const tenant = serving.get(tenantId)
        if (!tenant) startSoon(tenantId)
        else if (named === undefined) tenant.wake()
        else tenant.poll()
      }
    }
    stopListening = db.listen(onCommits)
    refresh()
    timers.push(setInterval(poll, settings.pollIntervalMs).unref(), setInterval(refresh, refreshEveryMs).unref())
  }

  return {
    worker: {
      kind: 'webhooks',
      name: workName,
      tenantsAtOnce: settings.maxTenants,
      run: async (tenantId, lease) => {
        if (isStopping) return
        know(tenantId)
        const tenant = startTenantDeliveries(context, tenantId, lease)
        serving.set(tenantId, tenant)
        await tenant.ended.finally(() => serving.delete(tenantId))
      },
      nextDueMs: (db, tenantId) => nextLookMs(db, tenantId, clock()),
    },
    listen,
    stop: async () => {
      isStopping = true
      stopListening()
      for (const timer of timers) clearInterval(timer)
      clearTimeout(startTimer)
      const abortTimer = setTimeout(() => client.close(), settings.stopTimeoutMs)
      await Promise.all([...serving.values()].map((tenant) => tenant.stop()))
      clearTimeout(abortTimer)
      client.close()
    },
  }
}
