import { createCachedReads } from '../../events/cached-reads.js'
import { type EventPage, eventAt, type StoredEvent, trimmedTo } from '../../events/read.js'
import type { ReadAfter } from '../../events/shared-reads.js'
import { abandoned } from './attempt.js'
import { findLeased, type Progress, type SigningWebhook } from './lease-store.js'
import { newDelivery } from './service.js'
import type { DeliverySession } from './session.js'
import { listDueDeliveries, type StoredDelivery } from './store.js'

/** Sends a batch of a queue. `again`: there may be more; `idle`: nothing until woken; `over`: the lease is lost or the webhook is off. */
export type SendBatch = () => Promise<'again' | 'idle' | 'over'>

/** Results are written together, after so many or so long. */
const deliveriesPerWrite = 100
const writeAfterMs = 200
/** Events that are not wanted cost no write until so many were passed. */
const passedPerWrite = 1_000

const isPaused = (session: DeliverySession): boolean => session.health.pausedUntil > session.clock()

const current = async (session: DeliverySession): Promise<SigningWebhook | undefined> => {
  const webhook = await findLeased(session.db, session.webhook, session.nodeId, session.clock())
  return webhook?.isActive ? webhook : undefined
}

/** Reads on; where the log was trimmed meanwhile, from the oldest event left. */
const readOn = async (
  session: DeliverySession,
  read: ReadAfter,
  webhook: SigningWebhook,
  after: number,
): Promise<EventPage> => {
  try {
    return await read(webhook.tenantId, after, webhook.filter)
  } catch (error) {
    const oldest = trimmedTo(error)
    if (oldest === undefined) throw error
    session.logger.warn({ webhookId: webhook.id, after, oldest }, 'events were trimmed before a webhook got them')
    return read(webhook.tenantId, oldest - 1, webhook.filter)
  }
}

/** Sends events in their order until it is time to write, and answers what was sent. */
const sendInOrder = async (
  session: DeliverySession,
  webhook: SigningWebhook,
  events: readonly StoredEvent[],
  reason: 'event' | 'replay',
): Promise<StoredDelivery[]> => {
  const sent: StoredDelivery[] = []
  const untilMs = performance.now() + writeAfterMs
  for (const event of events) {
    if (sent.length === deliveriesPerWrite || performance.now() >= untilMs) break
    if (session.isStopping() || isPaused(session)) break
    const { id: eventId, type, sequence } = event
    const fields = { webhookId: webhook.id, reason, eventId, type, sequence, payload: null }
    const delivery = await session.attempt(webhook, newDelivery(session.clock(), fields), event.json)
    if (!delivery) break
    sent.push(delivery)
    if (reason === 'event' && delivery.status === 'succeeded') session.observeDelay(event.createdAtMs)
  }
  return sent
}

const lastSent = (
  events: readonly StoredEvent[],
  sent: readonly StoredDelivery[],
  upTo: number,
  from: number,
): number => (sent.length === events.length ? upTo : (sent.at(-1)?.sequence ?? from))

/** A webhook limited to a project has nothing more to send once the project's deletion was passed. */
const hasLostProject = ({ projectId }: SigningWebhook, events: readonly StoredEvent[], position: number): boolean =>
  projectId !== null && events.some(({ type, sequence }) => type === 'project.deleted' && sequence <= position)

/** New events, in the order of the log. */
export const eventQueue = (session: DeliverySession): SendBatch => {
  const read = createCachedReads(session.read)
  return async () => {
    const webhook = await current(session)
    if (!webhook) return 'over'
    if (isPaused(session)) return 'idle'
    const from = Math.max(webhook.position, session.readUpTo)
    const { events, upTo, hasMore } = await readOn(session, read, webhook, from)
    const wanted = events.filter(({ type }) => webhook.types.includes(type))
    const sent = await sendInOrder(session, webhook, wanted, 'event')
    const position = lastSent(wanted, sent, upTo, from)
    session.readUpTo = position
    const isLast = hasLostProject(webhook, events, position)
    if (isLast) session.disableWith('The project was deleted.')
    const isWorthWriting = isLast || sent.length > 0 || position - webhook.position >= passedPerWrite
    if (isWorthWriting && !(await session.save(webhook, { position, health: session.health }, sent))) return 'over'
    return position > from && (hasMore || position < upTo) ? 'again' : 'idle'
  }
}

/** A range of the log that is replayed, in its order. */
export const replayQueue = (session: DeliverySession): SendBatch => {
  const read = createCachedReads(session.read)
  return async () => {
    const webhook = await current(session)
    if (!webhook) return 'over'
    if (!webhook.replay || isPaused(session)) return 'idle'
    const { position: from, until } = webhook.replay
    const { events, upTo } = await readOn(session, read, webhook, from)
    const wanted = events.filter(({ sequence, type }) => sequence <= until && webhook.types.includes(type))
    const sent = await sendInOrder(session, webhook, wanted, 'replay')
    const position = lastSent(wanted, sent, upTo, from)
    if (position === from) return 'idle'
    const progress: Progress = { replayPosition: position >= until ? null : position, health: session.health }
    return (await session.save(webhook, progress, sent)) ? 'again' : 'over'
  }
}

const duePerStep = 20

/** Retries, redeliveries and pings, each at its time. */
export const retryQueue =
  (session: DeliverySession): SendBatch =>
  async () => {
    const webhook = await current(session)
    if (!webhook) return 'over'
    const { tenantId, id } = webhook
    const due = await listDueDeliveries(session.db, tenantId, id, session.clock(), duePerStep)
    if (due.length === 0) return 'idle'
    const untilMs = performance.now() + writeAfterMs
    const tried: StoredDelivery[] = []
    for (const delivery of due) {
      if (session.isStopping() || performance.now() >= untilMs) break
      const payload = delivery.payload ?? (await eventAt(session.db, tenantId, delivery.sequence ?? 0))?.json
      const after =
        payload === undefined
          ? abandoned(delivery, 'the event is no longer in the log', session.clock())
          : await session.attempt(webhook, delivery, payload)
      if (!after) break
      tried.push(after)
    }
    if (tried.length === 0) return 'idle'
    return (await session.save(webhook, { hasRetried: true, health: session.health }, tried)) ? 'again' : 'over'
  }
