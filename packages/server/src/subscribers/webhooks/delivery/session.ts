import type { Logger } from 'pino'
import type { Lease } from '../../../background/leases.js'
import { noteDue } from '../../../background/note.js'
import type { Clock } from '../../../base/clock.js'
import type { Db, Sql, Statement } from '../../../db/port.js'
import type { SecretBox } from '../../../db/secrets/service.js'
import type { Metrics } from '../../../observability/metrics.js'
import type { Tracing } from '../../../observability/tracing.js'
import type { Actor } from '../../../operations/actor.js'
import { ownOrigin } from '../../../operations/call.js'
import type { ReadAfter } from '../../events/shared-reads.js'
import type { LinkTo, Outgoing } from '../messages/outgoing.js'
import { disableWebhook } from '../service.js'
import { afterAttempt, isGone, isSuccess, problemOf } from './attempt.js'
import type { AttemptResult, DeliveryClient } from './client.js'
import { type ActiveWebhook, type Progress, type SigningWebhook, savePosition, saveProgress } from './progress-store.js'
import { afterFailure, type Health, hasFailedTooLong, healthy } from './schedule.js'
import { secretPlace, signedHeaders, urlPlace } from './signature.js'
import type { RunInSlot } from './slots.js'
import { type StoredDelivery, saveDeliveries, updateDue } from './store.js'

/** What the delivery workers of a node share. */
export interface WorkerContext {
  db: Db
  clock: Clock
  logger: Logger
  metrics: Metrics
  tracing: Tracing | undefined
  client: DeliveryClient
  read: ReadAfter
  runInSlot: RunInSlot
  secretBox: SecretBox
  linkTo: LinkTo
  /** The tenant's lease. */
  lease: Lease
}

/** What is sent, and the trace that caused it. */
export type Message = Pick<Outgoing, 'json' | 'traceparent'>

/**
 * No request starts with less time than this left on the lease, because another node may soon send the same message.
 */
const minLeaseMs = 5_000

/**
 * One webhook while this node holds its tenant's lease. Only the lease holder writes the webhook's health and position.
 */
export interface DeliverySession extends Omit<WorkerContext, 'db'> {
  /** The database of the webhook's tenant. */
  db: Sql
  webhook: ActiveWebhook
  health: Health
  /** How far the log was read; the database may lag behind. */
  readUpTo: number
  /** When the last request ended, on the monotonic clock. */
  sentAtMs: number
  /** Whether no more requests may start. */
  isStopping(): boolean
  /** Tries a delivery once; undefined where the worker stopped before it was sent or answered. */
  attempt(webhook: SigningWebhook, delivery: StoredDelivery, message: Message): Promise<StoredDelivery | undefined>
  /**
   * Writes deliveries and progress together. Returns false if this worker must end because the webhook is disabled,
   * deleted or served elsewhere.
   */
  save(webhook: ActiveWebhook, progress: Progress, deliveries: readonly StoredDelivery[]): Promise<boolean>
  /** The next save turns the webhook off. */
  disableWith(reason: string): void
  /** Saves how far the log was read. */
  savePassed(): Promise<void>
  observeDelay(eventAtMs: number): void
}

const deliveryActor = (tenantId: string): Actor => ({
  tenantId,
  keyId: 'service',
  keyName: 'webhook delivery',
  userId: null,
  scopes: ['admin'],
  projectIds: null,
  keyExpiresAt: null,
})

/** Shorter parts of a URL are words, which give nothing away. */
const minSecretLength = 6

/** A text without the secret parts of a URL: a receiver may repeat them in its answer. */
const withoutUrl = (text: string, url: string): string => {
  const { pathname, searchParams } = new URL(url)
  const parts = [...pathname.split('/'), ...searchParams.values()].flatMap((part) => [part, safelyDecoded(part)])
  const secrets = parts.filter(({ length }) => length >= minSecretLength).toSorted((a, b) => b.length - a.length)
  return secrets.reduce((left, secret) => left.replaceAll(secret, '…'), text)
}

const safelyDecoded = (part: string): string => {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

const startSpan = (
  tracing: Tracing | undefined,
  { tenantId, id }: SigningWebhook,
  delivery: StoredDelivery,
  traceparent: string | undefined,
) =>
  tracing?.startMessage(traceparent, 'POST webhook', {
    'http.request.method': 'POST',
    'http.request.resend_count': delivery.attempts,
    'worklore.tenant.id': tenantId,
    'worklore.webhook.id': id,
    'worklore.event.id': delivery.eventId,
    'worklore.event.type': delivery.type,
  })

/** Schedules the next run of the webhook worker: when a delivery must be retried or the webhook's pause ends. */
const noteNextLook = (
  tx: Sql,
  tenantId: string,
  { health }: Progress,
  deliveries: readonly StoredDelivery[],
  nowMs: number,
): Statement[] => {
  const times = [health.pausedUntil, ...deliveries.map(({ nextAttemptAt }) => Date.parse(nextAttemptAt ?? ''))]
  const later = times.filter((ms) => ms > nowMs)
  return later.length === 0 ? [] : noteDue(tx, { tenantId, kind: 'webhooks', dueAtMs: Math.min(...later) }, nowMs)
}

export const createDeliverySession = (
  context: WorkerContext,
  webhook: ActiveWebhook,
  isStopped: () => boolean,
): DeliverySession => {
  const { clock, metrics, tracing, client, lease } = context
  const db = context.db.ofTenant(webhook.tenantId)
  let disabledReason: string | undefined
  let savedPosition = webhook.position
  const isStopping = (): boolean => isStopped() || lease.remainingMs() < minLeaseMs

  const updateHealth = (delivery: StoredDelivery, result: AttemptResult, nowMs: number): void => {
    if (isSuccess(result)) {
      session.health = healthy
      return
    }
    if (isGone(result)) disabledReason = 'The receiver answered 410 Gone.'
    if (delivery.reason === 'ping') return
    session.health = afterFailure(session.health, nowMs, result.retryAfterMs)
    if (hasFailedTooLong(session.health, nowMs)) {
      disabledReason = `Deliveries failed for 5 days. Last attempt: ${problemOf(result)}.`
    }
  }

  const postToSecretUrl = async (
    url: string,
    headers: Record<string, string>,
    body: string,
  ): Promise<AttemptResult> => {
    const result = await client.post(url, headers, body)
    const { error } = result
    return { ...result, body: withoutUrl(result.body, url), error: error && withoutUrl(error, url) }
  }

  const attempt: DeliverySession['attempt'] = (target, delivery, { json: payload, traceparent }) =>
    context.runInSlot(target.tenantId, async () => {
      if (isStopping()) return undefined
      const place = secretPlace(target.tenantId, target.id)
      const secrets = target.secrets.map((secret) => context.secretBox.open(place, secret))
      const signed = signedHeaders(delivery.eventId, clock(), payload, secrets)
      const span = startSpan(tracing, target, delivery, traceparent)
      const headers = { ...signed, ...(traceparent && { traceparent }), ...span?.headers }
      const { tenantId, id, url, sealedUrl } = target
      const result =
        sealedUrl === null
          ? await client.post(url, headers, payload)
          : await postToSecretUrl(context.secretBox.open(urlPlace(tenantId, id), sealedUrl), headers, payload)
      span?.end(
        result.status === null ? {} : { 'http.response.status_code': result.status },
        isSuccess(result) ? undefined : String(result.status ?? 'no response'),
      )
      session.sentAtMs = performance.now()
      if (result.status === null && client.isClosed()) return undefined
      const nowMs = clock()
      const tried = afterAttempt(delivery, result, nowMs)
      updateHealth(delivery, result, nowMs)
      metrics.countDelivery(tried.status as 'succeeded' | 'retrying' | 'failed')
      return tried
    })

  const saveIn = async (
    tx: Sql,
    { tenantId, id }: ActiveWebhook,
    progress: Progress,
    deliveries: readonly StoredDelivery[],
  ): Promise<boolean> => {
    if (!(await saveProgress(tx, webhook, progress))) return false
    await saveDeliveries(tx, tenantId, id, deliveries)
    if (progress.hasRetried || deliveries.some(({ nextAttemptAt }) => nextAttemptAt !== null)) {
      await updateDue(tx, tenantId, id)
    }
    await tx.runAll(noteNextLook(tx, tenantId, progress, deliveries, clock()))
    if (disabledReason === undefined) return true
    const call = { db: tx, clock, actor: deliveryActor(tenantId), origin: ownOrigin('disableWebhook') }
    await disableWebhook(call, id, disabledReason)
    return false
  }

  const save: DeliverySession['save'] = async (target, progress, deliveries) => {
    if (lease.remainingMs() === 0) return false
    // Only disabling the webhook writes an event, which needs a transaction of the tenant.
    const group = disabledReason && target.tenantId
    const isSaved = await db.transaction((tx) => saveIn(tx, target, progress, deliveries), group)
    if (isSaved && progress.position) savedPosition = progress.position.to
    return isSaved
  }

  const session: DeliverySession = {
    ...context,
    db,
    webhook,
    health: webhook.health,
    readUpTo: webhook.position,
    sentAtMs: 0,
    isStopping,
    attempt,
    save,
    disableWith: (reason) => {
      disabledReason = reason
    },
    savePassed: async () => {
      if (session.readUpTo <= savedPosition || lease.remainingMs() === 0) return
      await savePosition(db, webhook, { from: savedPosition, to: session.readUpTo })
    },
    observeDelay: (eventAtMs) => metrics.observeDeliveryDelay(Math.max(0, clock() - eventAtMs)),
  }
  return session
}
