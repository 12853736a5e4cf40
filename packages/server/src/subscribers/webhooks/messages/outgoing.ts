import { browserUrl } from '../../../base/listen-host.js'
import type { Config } from '../../../config.js'
import type { StoredEvent } from '../../events/read.js'
import type { EntryGroup } from '../../inbox/entries.js'
import type { Format } from '../schema.js'
import type { SentEvent, Told } from './human-events.js'
import { type ChatMessage, oneLine } from './message.js'
import { slackPayload } from './slack.js'
import { teamsPayload } from './teams.js'

/** What is sent to a webhook at a place of the log: an event, or entries of inboxes. */
export interface Outgoing extends Omit<StoredEvent, 'type'> {
  type: string
}

/** Where the console shows a task, whatever its project; without one, its first page. */
export type LinkTo = (taskId: string | null) => string

export const createLinkTo =
  (config: Pick<Config, 'publicUrl' | 'host' | 'port'>): LinkTo =>
  (taskId) =>
    browserUrl(config, config.port, taskId ? `/console/?task=${taskId}` : '/console/')

const renderers: Record<Exclude<Format, 'standard'>, (message: ChatMessage) => object> = {
  slack: slackPayload,
  teams: teamsPayload,
}

/** The payload of a message, in the format of a chat. */
const rendered = (format: Exclude<Format, 'standard'>, message: ChatMessage): string =>
  JSON.stringify(renderers[format](message))

const headings: Record<EntryGroup['entry']['kind'], (names: string) => string> = {
  question: (names) => `Question for ${names}`,
  answer: (names) => `Answer for ${names}`,
  mention: (names) => `Mention of ${names}`,
  assigned: (names) => `Assigned to ${names}`,
  exhausted: (names) => `Out of attempts, for ${names}`,
  stale: (names) => `Stale, for ${names}`,
}

const maxHeadingLength = 150

/** Entries of inboxes as one message. */
export const outgoingOfEntries = (format: Format, group: EntryGroup, linkTo: LinkTo): Outgoing => {
  const { entry, sequence, createdAtMs, userIds, userNames } = group
  const { id, kind, taskId, projectId, title, excerpt, at, by } = entry
  const type = `inbox.${kind}`
  const message = (): ChatMessage => ({
    heading: oneLine(headings[kind](userNames.join(', ')), maxHeadingLength),
    label: taskId ?? '',
    url: linkTo(taskId),
    title: oneLine(title),
    text: excerpt,
    by: oneLine(by.keyName),
  })
  const event = { id, sequence, type, timestamp: at, actor: by, projectId, data: { ...entry, userIds }, previous: null }
  return {
    ...{ id, type, sequence, createdAtMs },
    json: format === 'standard' ? JSON.stringify(event) : rendered(format, message()),
  }
}

const readable = (type: string): string => {
  const words = type.replaceAll(/[._]/g, ' ')
  return words[0]!.toUpperCase() + words.slice(1)
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

const statusChange = ({ data, previous }: SentEvent): string =>
  previous?.status === undefined ? '' : `${textOf(previous.status)} → ${textOf(data.status)}`

export const taskIdOf = ({ type, data }: SentEvent): string | null =>
  textOf(type.startsWith('task.') ? data.id : data.taskId) || null

const toldOf = (sent: SentEvent): Told & { title: string } => ({
  heading: readable(sent.type),
  text: statusChange(sent),
  title: textOf(sent.data.title ?? sent.data.name ?? sent.data.key),
})

/** What is sent of an event; `asked` is what it asks of people, where it is sent for that. */
export const outgoingOfEvent = (
  format: Format,
  event: StoredEvent,
  linkTo: LinkTo,
  asked?: Told & { title: string },
): Outgoing => {
  if (format === 'standard') return event
  const sent = JSON.parse(event.json) as SentEvent
  const told = asked ?? toldOf(sent)
  const taskId = taskIdOf(sent)
  const message: ChatMessage = {
    ...told,
    label: taskId ?? '',
    url: linkTo(taskId),
    title: oneLine(told.title),
    by: oneLine(sent.actor.keyName),
  }
  return { ...event, json: rendered(format, message) }
}

/** A message that tells of nothing, to see whether it arrives. */
export const testMessage = (format: Exclude<Format, 'standard'>, linkTo: LinkTo): string =>
  rendered(format, {
    heading: 'Test message',
    label: '',
    url: linkTo(null),
    title: '',
    text: 'What needs a person will be told here.',
    by: '',
  })
