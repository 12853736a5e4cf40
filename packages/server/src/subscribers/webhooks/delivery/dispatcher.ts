import type { Logger } from 'pino'
import { randomBase62 } from '../../../base/ids.js'
import type { DueWorker } from '../../../changelog/due-work/loop.js'
import { listTenantsWith } from '../../../changelog/due-work/note.js'
import type { CommitNotification } from '../../../db/commit-notifier.js'
import type { Core } from '../../../operations/core.js'
import { inTurns } from '../../../scheduling/in-turns.js'
import { createSharedReads } from '../../events/shared-reads.js'
import { createLinkTo } from '../messages/outgoing.js'
import { createDeliveryClient } from './client.js'
import {
  activeWebhookIds,
  claimWebhooks,
  deliveriesTopic,
  isAnyWaiting,
  nextLookMs,
  releaseAllLeases,
  renewLeases,
  webhooksTopic,
} from './lease-store.js'
import type { WorkerContext } from './session.js'
import { createDeliverySlots } from './slots.js'
import { type DeliveryWorker, startDeliveryWorker } from './worker.js'

export interface DeliverySettings {
  timeoutMs: number
  leaseMs: number
  /** How often a node looks for work without a commit notification. */
  pollIntervalMs: number
  /** How long a worker with nothing to send is kept, so that the next event is sent at once. */
  idleTimeoutMs: number
  /** Requests under way at once, over all webhooks of this node. */
  maxConcurrentDeliveries: number
  /** Webhooks that this node holds a lease of. */
  maxWorkers: number
  /** How long a worker goes on while others wait for one. */
  workerTimeSliceMs: number
  /** How long a request under way may still take when the service stops. */
  stopTimeoutMs: number
}

export const deliverySettings: DeliverySettings = {
  timeoutMs: 15_000,
  leaseMs: 15_000,
  pollIntervalMs: 1_000,
  idleTimeoutMs: 3_000,
  maxConcurrentDeliveries: 256,
  maxWorkers: 1_000,
  workerTimeSliceMs: 5_000,
  stopTimeoutMs: 5_000,
}

/** Events that come together are claimed together. */
const claimAfterMs = 20
const webhooksPerClaim = 100
const refreshEveryMs = 30_000
/** A commit of a tenant that is not among them is found when its webhooks are looked at next. */
const maxTrackedTenants = 100_000
const maxWaitingForRoom = 1_000
/** Tenants whose leases are renewed at once. */
const renewalsAtOnce = 20
/** Workers that make room at once, as a share of all. */
const yieldingShare = 0.1

interface DeliveryDispatcher {
  /** Looks at the webhooks of a tenant at the times that were noted for it. */
  worker: DueWorker
  stop(): Promise<void>
}

/** Sends the log to webhooks. Every node runs one; a lease says which node sends to a webhook. */
export const startDeliveryDispatcher = async (
  core: Core,
  logger: Logger,
  settings: DeliverySettings,
): Promise<DeliveryDispatcher> => {
  const { db, clock, metrics, tracing, watches, targets, secretBox, config } = core
  const nodeId = `node_${randomBase62(12)}`
  const workers = new Map<string, DeliveryWorker>()
  const client = createDeliveryClient(targets, settings.timeoutMs)
  /** By tenant, the webhooks that are on. */
  const activeIds = new Map<string, readonly string[]>()
  /** Tenants that this node had no worker for, in their order. */
  const waitingForRoom = new Set<string>()
  const claiming = new Set<Promise<void>>()
  let claimedRoom = 0
  let isStopping = false
  let claimTimer: NodeJS.Timeout | undefined
  let work = Promise.resolve()

  const context: WorkerContext = {
    db,
    clock,
    logger,
    metrics,
    tracing,
    nodeId,
    client,
    secretBox,
    linkTo: createLinkTo(config),
    read: createSharedReads(db, watches.notificationCount),
    runInSlot: createDeliverySlots(settings.maxConcurrentDeliveries),
    isStopping: () => isStopping,
  }

  const noteFailure = (error: unknown): void => {
    metrics.countFailure('claiming webhooks')
    logger.warn({ err: error }, 'claiming webhooks failed and will be retried')
  }

  /** Tasks run one after the other, each waiting once at most; what fails is retried by the next poll. */
  const serial = (task: () => Promise<void>): (() => Promise<void>) => {
    let isWaiting = false
    return () => {
      if (isWaiting) return work
      isWaiting = true
      work = work
        .then(() => {
          isWaiting = false
          return task()
        })
        .catch(noteFailure)
      return work
    }
  }

  const noteWaiting = async (tenantId: string): Promise<void> => {
    if (waitingForRoom.size < maxWaitingForRoom && (await isAnyWaiting(db, tenantId, clock())))
      waitingForRoom.add(tenantId)
  }

  const claimSome = async (tenantId: string, count: number): Promise<void> => {
    const claimed = await claimWebhooks(db, tenantId, nodeId, settings.leaseMs, clock(), count)
    for (const webhook of claimed) {
      const onEnd = (): void => {
        workers.delete(webhook.id)
        // Events may have been committed while the lease was being released.
        claimSoon(webhook.tenantId)
      }
      workers.set(webhook.id, startDeliveryWorker(context, webhook, onEnd))
    }
    if (claimed.length === count) claimSoon(tenantId)
  }

  const claimFor = (tenantId: string): Promise<void> => {
    const count = Math.min(settings.maxWorkers - workers.size - claimedRoom, webhooksPerClaim)
    if (isStopping) return Promise.resolve()
    if (count <= 0) return noteWaiting(tenantId)
    claimedRoom += count
    const claimed = claimSome(tenantId, count).finally(() => {
      claimedRoom -= count
      claiming.delete(claimed)
      if (waitingForRoom.size > 0) scheduleClaim()
    })
    claiming.add(claimed)
    return claimed
  }

  /** The tenants to claim webhooks for. What fails for one is retried at its next look, and the others go on. */
  let toClaim = new Set<string>()
  const claim = serial(async () => {
    const tenantIds = new Set([...waitingForRoom, ...toClaim])
    waitingForRoom.clear()
    toClaim = new Set()
    for (const tenantId of tenantIds) await claimFor(tenantId).catch(noteFailure)
  })
  const scheduleClaim = (): void => {
    if (isStopping) return
    claimTimer ??= setTimeout(() => {
      claimTimer = undefined
      claim()
    }, claimAfterMs)
  }
  const claimSoon = (tenantId: string): void => {
    toClaim.add(tenantId)
    scheduleClaim()
  }

  const track = async (tenantId: string): Promise<void> => {
    const ids = await activeWebhookIds(db, tenantId)
    if (ids.length > 0) activeIds.set(tenantId, ids)
    else activeIds.delete(tenantId)
  }
  const refresh = serial(async () => {
    const tenantIds = new Set(await listTenantsWith(db, 'webhooks', maxTrackedTenants))
    for (const tenantId of activeIds.keys()) if (!tenantIds.has(tenantId)) activeIds.delete(tenantId)
    for (const tenantId of tenantIds) {
      if (activeIds.has(tenantId)) continue
      await track(tenantId).catch(noteFailure)
      // Nobody heard of what was committed before.
      claimSoon(tenantId)
    }
  })

  const onCommits = (commits: CommitNotification): void => {
    const hasWebhooks = commits.has(webhooksTopic)
    const hasDeliveries = hasWebhooks || commits.has(deliveriesTopic)
    for (const [tenantId, ids] of activeIds) {
      const hasEvents = commits.has(tenantId)
      if (!hasEvents && !hasDeliveries) continue
      for (const id of ids) {
        const worker = workers.get(id)
        const isNamed = hasDeliveries && commits.has(id)
        if (!worker && (hasEvents || isNamed)) claimSoon(tenantId)
        else if (isNamed) worker?.wake()
        else if (hasEvents) worker?.wakeEventQueue()
      }
      // A change of a webhook is an event too: which ones are on is read again.
      if (hasWebhooks && hasEvents) activeIds.delete(tenantId)
    }
    if (hasWebhooks) refresh()
  }

  /** Lets the workers that ran longest release their webhooks where others wait: all get their turn. */
  const makeRoom = (): void => {
    if (workers.size < settings.maxWorkers || waitingForRoom.size === 0) return
    let yielding = [...workers.values()].filter((worker) => worker.isStopped()).length
    const most = Math.max(1, Math.floor(settings.maxWorkers * yieldingShare))
    for (const worker of workers.values()) {
      if (yielding >= most || worker.runningForMs() < settings.workerTimeSliceMs) return
      if (worker.isStopped()) continue
      worker.stop()
      yielding++
    }
  }

  const renewAll = async (): Promise<void> => {
    const tenantIds = [...new Set([...workers.values()].map(({ tenantId }) => tenantId))]
    await inTurns(tenantIds, renewalsAtOnce, async (some) => {
      await Promise.all(some.map((tenantId) => renewLeases(db, tenantId, nodeId, settings.leaseMs).catch(noteFailure)))
    })
  }

  let renewedAtMs = performance.now()
  const poll = serial(async () => {
    if (workers.size > 0 && performance.now() - renewedAtMs >= settings.leaseMs / 3) {
      renewedAtMs = performance.now()
      await renewAll()
    }
    for (const worker of workers.values()) {
      if (worker.idleForMs() > settings.idleTimeoutMs) worker.stop()
      else worker.wake()
    }
    makeRoom()
  })

  if (!db.dialect.isShared) await releaseAllLeases(db)
  const stopListening = db.listen(onCommits)
  void refresh()
  const timers = [setInterval(poll, settings.pollIntervalMs).unref(), setInterval(refresh, refreshEveryMs).unref()]

  return {
    worker: {
      kind: 'webhooks',
      name: 'claiming webhooks',
      run: async (tenantId) => {
        await track(tenantId)
        await claimFor(tenantId)
      },
      nextDueMs: async (db, tenantId) => {
        const nextMs = await nextLookMs(db, tenantId, clock())
        return nextMs === null ? null : Math.max(nextMs, clock() + settings.pollIntervalMs)
      },
    },
    stop: async () => {
      isStopping = true
      stopListening()
      for (const timer of timers) clearInterval(timer)
      clearTimeout(claimTimer)
      await work
      await Promise.allSettled(claiming)
      const abortTimer = setTimeout(() => client.close(), settings.stopTimeoutMs)
      await Promise.all([...workers.values()].map((worker) => worker.stop()))
      clearTimeout(abortTimer)
      client.close()
    },
  }
}
