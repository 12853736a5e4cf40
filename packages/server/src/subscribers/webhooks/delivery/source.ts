import { humanReaders } from '../../../tenancy/keys/readers.js'
import { listPrivateProjects } from '../../../tenancy/projects/members/service.js'
import { shownTasks } from '../../../work/tasks/service.js'
import { type EventPage, eventAt, type StoredEvent, trimmedTo } from '../../events/read.js'
import type { ReadAfter } from '../../events/shared-reads.js'
import { entriesBetween } from '../../inbox/entries.js'
import { askedOfHumans, type SentEvent } from '../messages/human-events.js'
import { type Outgoing, outgoingOfEntries, outgoingOfEvent, taskIdOf } from '../messages/outgoing.js'
import { ofHumans, type SigningWebhook } from './progress-store.js'
import type { DeliverySession, Message } from './session.js'
import type { StoredDelivery } from './store.js'

/** What a part of the log has for a webhook. */
interface OutgoingPage {
  messages: Outgoing[]
  /** The events that were read, also those that are not sent. */
  events: StoredEvent[]
  upTo: number
  hasMore: boolean
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

/** A chat of all people tells nothing of private projects, unless it is such a project's. */
const withheldProjects = async (
  { db }: DeliverySession,
  { tenantId, inboxOf, projectId }: SigningWebhook,
): Promise<ReadonlySet<string>> =>
  new Set(inboxOf === ofHumans && projectId === null ? await listPrivateProjects(db, tenantId) : [])

const entriesOf = async (
  session: DeliverySession,
  webhook: SigningWebhook,
  range: readonly [after: number, end: number],
): Promise<{ messages: Outgoing[]; upTo: number }> => {
  const { db, clock, linkTo } = session
  const { tenantId, format, inboxOf, projectId } = webhook
  if (inboxOf === null) return { messages: [], upTo: range[1] }
  const { groups, upTo } = await entriesBetween(db, tenantId, range, { inboxOf, projectId }, clock())
  const withheld = groups.length === 0 ? new Set() : await withheldProjects(session, webhook)
  const told = groups.filter(({ entry }) => !withheld.has(entry.projectId))
  return { messages: told.map((group) => outgoingOfEntries(format, group, linkTo)), upTo }
}

/** Of events that ask something of any person, those about a task that is there and that a human user may read. */
const askedOf = async (
  session: DeliverySession,
  webhook: SigningWebhook,
  events: readonly StoredEvent[],
): Promise<Outgoing[]> => {
  const { db, clock, linkTo } = session
  const { tenantId, format } = webhook
  const asked = events.flatMap((event) => {
    const sent = JSON.parse(event.json) as SentEvent
    const told = askedOfHumans(sent)
    return told ? [{ event, told, taskId: taskIdOf(sent) ?? '' }] : []
  })
  if (asked.length === 0) return []
  const mayRead = await humanReaders(db, tenantId, clock())
  const withheld = await withheldProjects(session, webhook)
  // It may have been moved since.
  const isTold = (projectId: string): boolean =>
    mayRead(projectId) && !withheld.has(projectId) && [null, projectId].includes(webhook.projectId)
  const tasks = await shownTasks(db, tenantId, [...new Set(asked.map(({ taskId }) => taskId))])
  return asked.flatMap(({ event, told, taskId }) => {
    const task = tasks.get(taskId)
    return task && isTold(task.projectId)
      ? [outgoingOfEvent(format, event, linkTo, { ...told, title: task.title })]
      : []
  })
}

/** What events have for a webhook. */
const messagesOf = async (
  session: DeliverySession,
  webhook: SigningWebhook,
  events: readonly StoredEvent[],
): Promise<Outgoing[]> =>
  webhook.inboxOf === null
    ? events.map((event) => outgoingOfEvent(webhook.format, event, session.linkTo))
    : askedOf(session, webhook, events)

export const readOutgoing = async (
  session: DeliverySession,
  read: ReadAfter,
  webhook: SigningWebhook,
  after: number,
): Promise<OutgoingPage> => {
  const page = await readOn(session, read, webhook, after)
  const entries = await entriesOf(session, webhook, [after, page.upTo])
  const events = page.events.filter(({ sequence }) => sequence <= entries.upTo)
  const wanted = events.filter(({ type }) => webhook.types.includes(type))
  const ofEvents = await messagesOf(session, webhook, wanted)
  return {
    messages: [...ofEvents, ...entries.messages].toSorted((a, b) => a.sequence - b.sequence),
    events,
    upTo: entries.upTo,
    hasMore: page.hasMore || entries.upTo < page.upTo,
  }
}

/** What a delivery sends; undefined where that is no longer kept, or may no longer be read. */
export const messageOf = async (
  session: DeliverySession,
  webhook: SigningWebhook,
  { payload, eventId, sequence }: StoredDelivery,
): Promise<Message | undefined> => {
  if (payload !== null) return { json: payload }
  if (sequence === null) return undefined
  const { messages } = await entriesOf(session, webhook, [sequence - 1, sequence])
  const ofEntries = messages.find(({ id }) => id === eventId)
  if (ofEntries) return ofEntries
  const event = await eventAt(session.db, webhook.tenantId, sequence)
  return event?.id === eventId ? (await messagesOf(session, webhook, [event]))[0] : undefined
}
