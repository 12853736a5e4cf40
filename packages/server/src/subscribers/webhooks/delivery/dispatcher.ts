import type { Logger } from 'pino'
import { randomBase62 } from '../../../base/ids.js'
import type { CommitNotification } from '../../../db/commit-notifier.js'
import type { Core } from '../../../operations/core.js'
import { createSharedReads } from '../../events/shared-reads.js'
import { createLinkTo } from '../messages/outgoing.js'
import { createDeliveryClient } from './client.js'
import {
  activeWebhookIds,
  claimWebhooks,
  deliveriesTopic,
  isAnyWaiting,
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
/** For more tenants at once, all webhooks are looked through. */
const tenantsPerClaim = 100
/** Looking through all webhooks takes this share of the time at most. */
const scanShare = 0.1
const refreshEveryMs = 30_000
/** A commit of a tenant whose webhooks are not among them is found by the next poll. */
const maxTrackedWebhooks = 100_000
/** Workers that make room at once, as a share of all. */
const yieldingShare = 0.1

/** Sends the log to webhooks. Every node runs one; a lease says which node sends to a webhook. */
export const startDeliveryDispatcher = async (
  core: Core,
  logger: Logger,
  settings: DeliverySettings,
): Promise<{ stop(): Promise<void> }> => {
  const { db, clock, metrics, watches, targets, secretBox, config } = core
  const nodeId = `node_${randomBase62(12)}`
  const workers = new Map<string, DeliveryWorker>()
  const client = createDeliveryClient(targets, settings.timeoutMs)
  let activeIds = new Map<string, string[]>()
  let isStopping = false
  let claimTimer: NodeJS.Timeout | undefined
  let work = Promise.resolve()

  const context: WorkerContext = {
    db,
    clock,
    logger,
    metrics,
    nodeId,
    client,
    secretBox,
    linkTo: createLinkTo(config),
    read: createSharedReads(db, watches.notificationCount),
    runInSlot: createDeliverySlots(settings.maxConcurrentDeliveries),
    isStopping: () => isStopping,
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
        .catch((error) => {
          metrics.countFailure('claiming webhooks')
          logger.warn({ err: error }, 'claiming webhooks failed and will be retried')
        })
      return work
    }
  }

  const claimFor = async (tenantId: string | undefined): Promise<void> => {
    const count = Math.min(settings.maxWorkers - workers.size, webhooksPerClaim)
    if (isStopping || count <= 0) return
    const claimed = await claimWebhooks(db, nodeId, settings.leaseMs, clock(), count, tenantId)
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

  /** The tenants to claim webhooks for; undefined stands for all. */
  let toClaim = new Set<string | undefined>()
  let nextScanAtMs = 0
  const claim = serial(async () => {
    const tenantIds = toClaim
    toClaim = new Set()
    const isScan = tenantIds.delete(undefined) || tenantIds.size > tenantsPerClaim
    const startedAtMs = performance.now()
    if (isScan && startedAtMs >= nextScanAtMs) {
      await claimFor(undefined)
      nextScanAtMs = performance.now() + (performance.now() - startedAtMs) / scanShare
      return
    }
    // The others are found by the next poll.
    for (const tenantId of [...tenantIds].slice(0, tenantsPerClaim)) await claimFor(tenantId)
  })
  const claimSoon = (tenantId?: string): void => {
    if (isStopping) return
    toClaim.add(tenantId)
    claimTimer ??= setTimeout(() => {
      claimTimer = undefined
      claim()
    }, claimAfterMs)
  }
  const refresh = serial(async () => {
    activeIds = await activeWebhookIds(db, maxTrackedWebhooks)
  })

  const onCommits = (commits: CommitNotification): void => {
    const hasWebhooks = commits.has(webhooksTopic)
    const hasDeliveries = hasWebhooks || commits.has(deliveriesTopic)
    if (hasWebhooks) {
      refresh()
      claimSoon()
    }
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
    }
  }

  /** Lets the workers that ran longest release their webhooks where others wait: all get their turn. */
  const makeRoom = async (): Promise<void> => {
    if (workers.size < settings.maxWorkers || !(await isAnyWaiting(db, clock()))) return
    let yielding = [...workers.values()].filter((worker) => worker.isStopped()).length
    const most = Math.max(1, Math.floor(settings.maxWorkers * yieldingShare))
    for (const worker of workers.values()) {
      if (yielding >= most || worker.runningForMs() < settings.workerTimeSliceMs) return
      if (worker.isStopped()) continue
      worker.stop()
      yielding++
    }
  }

  let renewedAtMs = performance.now()
  const poll = serial(async () => {
    if (workers.size > 0 && performance.now() - renewedAtMs >= settings.leaseMs / 3) {
      renewedAtMs = performance.now()
      await renewLeases(db, nodeId, settings.leaseMs)
    }
    for (const worker of workers.values()) {
      if (worker.idleForMs() > settings.idleTimeoutMs) worker.stop()
      else worker.wake()
    }
    await makeRoom()
    claimSoon()
  })

  if (!db.dialect.isShared) await releaseAllLeases(db)
  const stopListening = db.listen(onCommits)
  await refresh()
  const timers = [setInterval(poll, settings.pollIntervalMs).unref(), setInterval(refresh, refreshEveryMs).unref()]
  claimSoon()

  return {
    stop: async () => {
      isStopping = true
      stopListening()
      for (const timer of timers) clearInterval(timer)
      clearTimeout(claimTimer)
      await work
      const abortTimer = setTimeout(() => client.close(), settings.stopTimeoutMs)
      await Promise.all([...workers.values()].map((worker) => worker.stop()))
      clearTimeout(abortTimer)
      client.close()
    },
  }
}
