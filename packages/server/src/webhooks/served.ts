import type { Logger } from 'pino'
import type { Actor } from '../actor.js'
import type { Clock } from '../clock.js'
import type { Db } from '../db/port.js'
import type { ReadAfter } from '../events/shared-reads.js'
import type { Metrics } from '../metrics.js'
import { afterAttempt, isSuccess, isUnwanted, problemOf } from './attempt.js'
import { type StoredDelivery, saveDeliveries, updateDue } from './delivery-store.js'
import { type LeasedWebhook, type Progress, type SigningWebhook, saveProgress } from './lease-store.js'
import type { Answer, Poster } from './post.js'
import { afterFailure, type Health, hasFailedTooLong, healthy } from './schedule.js'
import { disableWebhook } from './service.js'
import { signedHeaders } from './signature.js'

/** What serving webhooks needs, the same for all of them. */
export interface Workshop {
  db: Db
  clock: Clock
  logger: Logger
  metrics: Metrics
  nodeId: string
  poster: Poster
  read: ReadAfter
  /** Waits until one more request may be under way. */
  inSlot<T>(work: () => Promise<T>): Promise<T>
  isStopping(): boolean
}

/** One webhook while this node serves it. Only the holder of the lease writes its health and position. */
export interface Served extends Workshop {
  webhook: LeasedWebhook
  health: Health
  /** How far the log was looked through; the store may lag behind. */
  seenUpTo: number
  /** Tries a delivery once; undefined where the service stops before it is known how that ended. */
  attempt(webhook: SigningWebhook, delivery: StoredDelivery, payload: string): Promise<StoredDelivery | undefined>
  /** Writes deliveries and progress together; answers false where the lease is lost. */
  save(webhook: LeasedWebhook, progress: Progress, deliveries: readonly StoredDelivery[]): Promise<boolean>
  noteDelay(eventAtMs: number): void
}

const deliverer = (tenantId: string): Actor => ({
  tenantId,
  keyId: 'service',
  keyName: 'webhook delivery',
  userId: null,
  scopes: ['admin'],
  projectIds: null,
  keyExpiresAt: null,
})

export const serveWebhook = (workshop: Workshop, webhook: LeasedWebhook): Served => {
  const { db, clock, metrics, nodeId, poster } = workshop
  let disabledReason: string | undefined

  const judge = (delivery: StoredDelivery, answer: Answer, nowMs: number): void => {
    if (isSuccess(answer)) {
      served.health = healthy
      return
    }
    if (isUnwanted(answer)) disabledReason = 'The receiver answered 410 Gone.'
    if (delivery.reason === 'ping') return
    served.health = afterFailure(served.health, nowMs, answer.retryAfterMs)
    if (hasFailedTooLong(served.health, nowMs)) {
      disabledReason = `It has failed for 5 days; the last attempt: ${problemOf(answer)}.`
    }
  }

  const attempt: Served['attempt'] = (target, delivery, payload) =>
    workshop.inSlot(async () => {
      const headers = signedHeaders(delivery.eventId, clock(), payload, target.secrets)
      const answer = await poster.post(target.url, headers, payload)
      if (answer.status === null && workshop.isStopping()) return undefined
      const nowMs = clock()
      const tried = afterAttempt(delivery, answer, nowMs)
      judge(delivery, answer, nowMs)
      metrics.countDelivery(tried.status as 'succeeded' | 'retrying' | 'failed')
      return tried
    })

  const save: Served['save'] = (target, progress, deliveries) =>
    db.transaction(async (tx) => {
      const { tenantId, id } = target
      if (!(await saveProgress(tx, target, nodeId, progress))) return false
      await saveDeliveries(tx, tenantId, id, deliveries)
      if (progress.isQueueServed || deliveries.some(({ nextAttemptAt }) => nextAttemptAt !== null)) {
        await updateDue(tx, tenantId, id)
      }
      if (disabledReason === undefined) return true
      await disableWebhook({ db: tx, clock, actor: deliverer(tenantId) }, id, disabledReason)
      return false
    })

  const served: Served = {
    ...workshop,
    webhook,
    health: webhook.health,
    seenUpTo: webhook.position,
    attempt,
    save,
    noteDelay: (eventAtMs) => metrics.observeDeliveryDelay(Math.max(0, clock() - eventAtMs)),
  }
  return served
}
