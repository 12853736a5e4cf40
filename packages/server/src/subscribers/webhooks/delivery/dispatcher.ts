import type { Logger } from 'pino'
import type { DueWorker } from '../../../changelog/due-work/loop.js'
import { listTenantsWith } from '../../../changelog/due-work/note.js'
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
  /** How often the webhooks of a tenant are read while it is served, for retries and what no commit announced. */
  pollIntervalMs: number
  /** How long a tenant with nothing to send is kept, so that its next event is sent at once. */
  idleTimeoutMs: number
  /** Requests under way at once, over all webhooks of this node. */
  maxConcurrentDeliveries: number
  /** Tenants that this node serves at once. */
  maxTenants: number
  /** How long a tenant is served at least once this node serves as many as it can. */
  tenantTimeSliceMs: number
  /** How long a request under way may still take when the service stops. */
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
/** Commits that come together start a tenant's deliveries once. */
const startAfterMs = 20
const refreshEveryMs = 30_000
/** A commit of a tenant that is not among them is found when its webhooks are looked at next. */
const maxKnownTenants = 100_000
/** Tenants that make room at once, as a share of all. */
const yieldingShare = 0.1

interface DeliveryDispatcher {
  /** Serves the webhooks of one tenant at a time noted for it, or when a commit wakes it. */
  worker: DueWorker
  /** Starts listening to commits; `wake` starts the worker for a tenant, unless a node serves it already. */
  listen(wake: (tenantId: string) => void): void
  stop(): Promise<void>
}

/**
 * Sends the log to webhooks. Every node runs one; the lease of the background work says which node serves a tenant, and
 * inside that node everything is woken in memory.
 */
export const createDeliveryDispatcher = (
  core: Core,
  logger: Logger,
  settings: DeliverySettings,
): DeliveryDispatcher => {
  const { db, clock, metrics, tracing, watches, targets, secretBox, config } = core
  const client = createDeliveryClient(targets, settings.timeoutMs)
  const serving = new Map<string, TenantDeliveries>()
  /** Tenants with webhooks that are on. */
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

  /** Stops the tenants that were served longest, so that others get their turn. */
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
