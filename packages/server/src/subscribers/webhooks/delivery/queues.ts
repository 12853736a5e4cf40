import type { StoredEvent } from '../../events/read.js'
import { createCachedReads } from '../../events/shared-reads.js'
import type { Outgoing } from '../messages/outgoing.js'
import { abandoned } from './attempt.js'
import { findActive, type Progress, type SigningWebhook } from './progress-store.js'
import { newDelivery } from './service.js'
import type { DeliverySession } from './session.js'
import { messageOf, readOutgoing } from './source.js'
import { listDueDeliveries, type StoredDelivery } from './store.js'

/**
 * Sends a batch of a queue. `again`: there may be more. `idle`: nothing to send until woken. `over`: the webhook is
 * disabled, deleted or served elsewhere.
 */
export type SendBatch = () => Promise<'again' | 'idle' | 'over'>

/** Results are written together, after so many or so long. */
const deliveriesPerWrite = 100
const writeAfterMs = 200
/** Events that are not wanted cost no write until so many were passed. */
const passedPerWrite = 1_000

const isPaused = (session: DeliverySession): boolean => session.health.pausedUntil > session.clock()

const current = (session: DeliverySession): Promise<SigningWebhook | undefined> =>
  findActive(session.db, session.webhook, session.clock())

/**
 * Sends messages in their order until it is time to write, and answers what was sent. Those of one place in the log are
 * sent together, unless the worker stops.
 */
const sendInOrder = async (
  session: DeliverySession,
  webhook: SigningWebhook,
  messages: readonly Outgoing[],
  reason: 'event' | 'replay',
): Promise<StoredDelivery[]> => {
  const sent: StoredDelivery[] = []
  const untilMs = performance.now() + writeAfterMs
  for (const message of messages) {
    const { id: eventId, type, sequence } = message
    const mayPause = sequence !== sent.at(-1)?.sequence
    if (mayPause && (sent.length >= deliveriesPerWrite || performance.now() >= untilMs || isPaused(session))) break
    if (session.isStopping()) break
    const fields = { webhookId: webhook.id, reason, eventId, type, sequence, payload: null }
    const delivery = await session.attempt(webhook, newDelivery(session.clock(), fields), message)
    if (!delivery) break
    sent.push(delivery)
    if (reason === 'event' && delivery.status === 'succeeded') session.observeDelay(message.createdAtMs)
  }
  return sent
}

/** The last place of which everything was sent. */
const lastSent = (
  messages: readonly Outgoing[],
  sent: readonly StoredDelivery[],
  upTo: number,
  from: number,
): number => (sent.length === messages.length ? upTo : Math.max(from, messages[sent.length]!.sequence - 1))

/** Why a webhook limited to a project or a user has nothing more to send, once the deletion of that was passed. */
const lossOf = (
  { projectId, inboxOf }: SigningWebhook,
  events: readonly StoredEvent[],
  position: number,
): string | undefined => {
  const passed = events.filter(({ sequence }) => sequence <= position)
  if (projectId !== null && passed.some(({ type }) => type === 'project.deleted')) return 'The project was deleted.'
  const isOfUser = ({ type, json }: StoredEvent): boolean =>
    type === 'user.deleted' && JSON.parse(json).data.id === inboxOf
  return inboxOf !== null && passed.some(isOfUser) ? 'The user was deleted.' : undefined
}

/** New events, in the order of the log. */
export const eventQueue = (session: DeliverySession): SendBatch => {
  const read = createCachedReads(session.read)
  return async () => {
    const webhook = await current(session)
    if (!webhook) return 'over'
    if (isPaused(session)) return 'idle'
    const from = Math.max(webhook.position, session.readUpTo)
    const { messages, events, upTo, hasMore } = await readOutgoing(session, read, webhook, from)
    const sent = await sendInOrder(session, webhook, messages, 'event')
    const position = lastSent(messages, sent, upTo, from)
    session.readUpTo = position
    const loss = lossOf(webhook, events, position)
    if (loss !== undefined) session.disableWith(loss)
    const isWorthWriting = loss !== undefined || sent.length > 0 || position - webhook.position >= passedPerWrite
    const progress: Progress = { position: { from: webhook.position, to: position }, health: session.health }
    if (isWorthWriting && !(await session.save(webhook, progress, sent))) return 'over'
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
    const { messages, upTo } = await readOutgoing(session, read, webhook, from)
    const wanted = messages.filter(({ sequence }) => sequence <= until)
    const sent = await sendInOrder(session, webhook, wanted, 'replay')
    const position = lastSent(wanted, sent, upTo, from)
    if (position === from) return 'idle'
    const to = position >= until ? null : position
    const progress: Progress = { replayPosition: { from, to }, health: session.health }
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
      const message = await messageOf(session, webhook, delivery)
      const after =
        message === undefined
          ? abandoned(delivery, 'the event is no longer in the log', session.clock())
          : await session.attempt(webhook, delivery, message)
      if (!after) break
      tried.push(after)
    }
    if (tried.length === 0) return 'idle'
    return (await session.save(webhook, { hasRetried: true, health: session.health }, tried)) ? 'again' : 'over'
  }
