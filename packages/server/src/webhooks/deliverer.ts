import type { Logger } from 'pino'
import type { Core } from '../core.js'
import type { News } from '../db/news.js'
import { createSharedReads } from '../events/shared-reads.js'
import { randomBase62 } from '../ids.js'
import { type Courier, startCourier } from './courier.js'
import { activeWebhookIds, claimWebhooks, releaseAllLeases, renewLeases, webhooksTopic } from './lease-store.js'
import { createPoster } from './post.js'
import type { Workshop } from './served.js'
import { createSlots } from './slots.js'

export interface DeliverySettings {
  timeoutMs: number
  leaseMs: number
  /** How often a node looks for work without being told of any. */
  lookEveryMs: number
  /** How long a webhook with nothing to send is kept, so that the next event finds it served. */
  lingerMs: number
  /** Requests under way at once, over all webhooks of this node. */
  maxRequests: number
  /** Webhooks served at once by this node. */
  maxServed: number
  /** How long a request under way may still take when the service stops. */
  graceMs: number
}

export const deliverySettings: DeliverySettings = {
  timeoutMs: 15_000,
  leaseMs: 15_000,
  lookEveryMs: 1_000,
  lingerMs: 3_000,
  maxRequests: 256,
  maxServed: 1_000,
  graceMs: 5_000,
}

/** Events that come together are claimed together. */
const claimAfterMs = 20
const refreshEveryMs = 30_000

/** Sends the log to webhooks. Every node runs one; a lease tells which of them serves a webhook. */
export const startDeliverer = async (
  core: Core,
  logger: Logger,
  settings: DeliverySettings,
): Promise<{ stop(): Promise<void> }> => {
  const { db, clock, metrics, watches, targets } = core
  const nodeId = `node_${randomBase62(12)}`
  const couriers = new Map<string, Courier>()
  const poster = createPoster(targets, settings.timeoutMs)
  let activeIds = new Map<string, string[]>()
  let isStopping = false
  let claimTimer: NodeJS.Timeout | undefined
  let work = Promise.resolve()

  const workshop: Workshop = {
    db,
    clock,
    logger,
    metrics,
    nodeId,
    poster,
    read: createSharedReads(db, watches.newsCount),
    inSlot: createSlots(settings.maxRequests),
    isStopping: () => isStopping,
  }

  /** One piece of its own work after the other; what fails is tried again by the next look. */
  const inTurn = (piece: () => Promise<void>): Promise<void> => {
    work = work.then(piece).catch((error) => {
      metrics.countFailure('looking for webhooks to serve')
      logger.warn({ err: error }, 'looking for webhooks to serve failed and will be tried again')
    })
    return work
  }

  const claim = async (): Promise<void> => {
    const room = settings.maxServed - couriers.size
    if (isStopping || room <= 0) return
    for (const webhook of await claimWebhooks(db, nodeId, settings.leaseMs, clock(), Math.min(room, 100))) {
      const onEnd = (): void => {
        couriers.delete(webhook.id)
        // News may have come while it was being given back.
        claimSoon()
      }
      couriers.set(webhook.id, startCourier(workshop, webhook, onEnd))
    }
  }
  const claimSoon = (): void => {
    if (isStopping || claimTimer) return
    claimTimer = setTimeout(() => {
      claimTimer = undefined
      inTurn(claim)
    }, claimAfterMs)
  }
  const refresh = async (): Promise<void> => {
    activeIds = await activeWebhookIds(db)
  }

  const hear = (news: News): void => {
    if (news.has(webhooksTopic)) {
      for (const courier of couriers.values()) courier.wake()
      inTurn(refresh)
      claimSoon()
    }
    for (const [tenantId, ids] of activeIds) {
      if (!news.has(tenantId)) continue
      for (const id of ids) {
        const courier = couriers.get(id)
        if (courier) courier.wakeLine()
        else claimSoon()
      }
    }
  }

  let renewedAtMs = performance.now()
  const look = async (): Promise<void> => {
    if (couriers.size > 0 && performance.now() - renewedAtMs >= settings.leaseMs / 3) {
      renewedAtMs = performance.now()
      await renewLeases(db, nodeId, settings.leaseMs)
    }
    for (const courier of couriers.values()) {
      if (courier.idleForMs() > settings.lingerMs) courier.stop()
      else courier.wake()
    }
    await claim()
  }

  if (!db.dialect.isShared) await releaseAllLeases(db)
  const leave = db.listen(hear)
  await inTurn(refresh)
  const timers = [
    setInterval(() => inTurn(look), settings.lookEveryMs).unref(),
    setInterval(() => inTurn(refresh), refreshEveryMs).unref(),
  ]
  claimSoon()

  return {
    stop: async () => {
      isStopping = true
      leave()
      for (const timer of timers) clearInterval(timer)
      clearTimeout(claimTimer)
      await work
      const hurry = setTimeout(() => poster.close(), settings.graceMs)
      await Promise.all([...couriers.values()].map((courier) => courier.stop()))
      clearTimeout(hurry)
      poster.close()
    },
  }
}
