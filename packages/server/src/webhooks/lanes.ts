import { eventAt, type StoredEvent, type Stretch, trimmedTo } from '../events/read.js'
import { createRememberedReads } from '../events/remembered-reads.js'
import type { ReadAfter } from '../events/shared-reads.js'
import { givenUp } from './attempt.js'
import { newDelivery } from './delivery-service.js'
import { listDueDeliveries, type StoredDelivery } from './delivery-store.js'
import { findLeased, type Progress, type SigningWebhook } from './lease-store.js'
import type { Served } from './served.js'

/** `again` asks to be called at once, `idle` after news, and `over` never. */
export type LaneStep = () => Promise<'again' | 'idle' | 'over'>

/** Results are written together, after so many or so long. */
const deliveriesPerWrite = 100
const writeAfterMs = 200
/** Events that are not wanted cost no write until so many were passed. */
const passedPerWrite = 1_000

const isPaused = (served: Served): boolean => served.health.pausedUntil > served.clock()

const current = async (served: Served): Promise<SigningWebhook | undefined> => {
  const webhook = await findLeased(served.db, served.webhook, served.nodeId, served.clock())
  return webhook?.isActive ? webhook : undefined
}

/** Reads on; where the log was trimmed meanwhile, from the oldest event left. */
const readOn = async (served: Served, read: ReadAfter, webhook: SigningWebhook, after: number): Promise<Stretch> => {
  try {
    return await read(webhook.tenantId, after, webhook.filter)
  } catch (error) {
    const oldest = trimmedTo(error)
    if (oldest === undefined) throw error
    served.logger.warn({ webhookId: webhook.id, after, oldest }, 'events were trimmed before a webhook got them')
    return read(webhook.tenantId, oldest - 1, webhook.filter)
  }
}

/** Sends events in their order until it is time to write, and answers what was sent. */
const sendInOrder = async (
  served: Served,
  webhook: SigningWebhook,
  events: readonly StoredEvent[],
  reason: 'event' | 'replay',
): Promise<StoredDelivery[]> => {
  const sent: StoredDelivery[] = []
  const untilMs = performance.now() + writeAfterMs
  for (const event of events) {
    if (sent.length === deliveriesPerWrite || performance.now() >= untilMs) break
    if (served.isStopping() || isPaused(served)) break
    const { id: eventId, type, sequence } = event
    const fields = { webhookId: webhook.id, reason, eventId, type, sequence, payload: null }
    const delivery = await served.attempt(webhook, newDelivery(served.clock(), fields), event.json)
    if (!delivery) break
    sent.push(delivery)
    if (reason === 'event' && delivery.status === 'succeeded') served.noteDelay(event.createdAtMs)
  }
  return sent
}

const lastSent = (
  events: readonly StoredEvent[],
  sent: readonly StoredDelivery[],
  upTo: number,
  from: number,
): number => (sent.length === events.length ? upTo : (sent.at(-1)?.sequence ?? from))

/** What is new in the log, in its order. */
export const lineLane = (served: Served): LaneStep => {
  const read = createRememberedReads(served.read)
  return async () => {
    const webhook = await current(served)
    if (!webhook) return 'over'
    if (isPaused(served)) return 'idle'
    const from = Math.max(webhook.position, served.seenUpTo)
    const { events, upTo, hasMore } = await readOn(served, read, webhook, from)
    const sent = await sendInOrder(served, webhook, events, 'event')
    const position = lastSent(events, sent, upTo, from)
    served.seenUpTo = position
    const isWorthWriting = sent.length > 0 || position - webhook.position >= passedPerWrite
    if (isWorthWriting && !(await served.save(webhook, { position, health: served.health }, sent))) return 'over'
    return position > from && (hasMore || position < upTo) ? 'again' : 'idle'
  }
}

/** A stretch of the log that was asked for once more, in its order. */
export const replayLane = (served: Served): LaneStep => {
  const read = createRememberedReads(served.read)
  return async () => {
    const webhook = await current(served)
    if (!webhook) return 'over'
    if (!webhook.replay || isPaused(served)) return 'idle'
    const { position: from, until } = webhook.replay
    const { events, upTo } = await readOn(served, read, webhook, from)
    const wanted = events.filter(({ sequence }) => sequence <= until)
    const sent = await sendInOrder(served, webhook, wanted, 'replay')
    const position = lastSent(wanted, sent, upTo, from)
    if (position === from) return 'idle'
    const progress: Progress = { replayPosition: position >= until ? null : position, health: served.health }
    return (await served.save(webhook, progress, sent)) ? 'again' : 'over'
  }
}

const duePerStep = 20

/** What failed before or was asked for by itself, each at its time. */
export const retryLane =
  (served: Served): LaneStep =>
  async () => {
    const webhook = await current(served)
    if (!webhook) return 'over'
    const { tenantId, id } = webhook
    const due = await listDueDeliveries(served.db, tenantId, id, served.clock(), duePerStep)
    if (due.length === 0) return 'idle'
    const untilMs = performance.now() + writeAfterMs
    const tried: StoredDelivery[] = []
    for (const delivery of due) {
      if (served.isStopping() || performance.now() >= untilMs) break
      const payload = delivery.payload ?? (await eventAt(served.db, tenantId, delivery.sequence ?? 0))?.json
      const after =
        payload === undefined
          ? givenUp(delivery, 'the event is no longer in the log', served.clock())
          : await served.attempt(webhook, delivery, payload)
      if (!after) break
      tried.push(after)
    }
    if (tried.length === 0) return 'idle'
    return (await served.save(webhook, { isQueueServed: true, health: served.health }, tried)) ? 'again' : 'over'
  }
