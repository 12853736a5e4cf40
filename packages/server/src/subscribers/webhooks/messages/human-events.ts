import { type EventType, eventTypes } from '../../../changelog/event-types.js'
import { isCategory } from '../../../tenancy/projects/statuses.js'
import { type ChatMessage, oneLine } from './message.js'

/** An event as it is sent. */
export interface SentEvent {
  type: string
  projectId: string
  actor: { keyName: string }
  data: Record<string, unknown>
  previous: Record<string, unknown> | null
}

export type Told = Pick<ChatMessage, 'heading' | 'text' | 'options'>

/** Ten of them, escaped, stay below the limits of chats. */
const maxOptionLength = 50

const questionToAnyone = ({ data: { to, body, options } }: SentEvent): Told | undefined => {
  if (to !== null) return undefined
  const told = { heading: 'Question for anyone', text: oneLine(String(body)) }
  if (!Array.isArray(options)) return told
  return { ...told, options: options.map((option) => oneLine(String(option), maxOptionLength)).join(' · ') }
}

/** Returns the texts of the open checks that only a person may decide. */
const openChecks = (checks: unknown): string[] =>
  Array.isArray(checks)
    ? checks.filter(({ state, verifier }) => state === 'open' && verifier === 'human').map(({ text }) => String(text))
    : []

/** Describes the open checks for people of a task that has just entered review, or got more of them while in review. */
const checksInReview = ({ type, data, previous }: SentEvent): Told | undefined => {
  const open = openChecks(data.checks)
  const category = data.statusCategory
  if (category !== 'in_review' || open.length === 0) return undefined
  // `previous` has a category only in projects that define their statuses.
  const before = previous?.statusCategory ?? previous?.status ?? category
  const isNew = type === 'task.created' || (before !== category && isCategory(String(before)))
  if (!isNew && open.length <= openChecks(previous?.checks ?? data.checks).length) return undefined
  const checks = open.length === 1 ? '1 check' : `${open.length} checks`
  return { heading: `${checks} to decide`, text: oneLine(open.join('; ')) }
}

/** What asks something of any person is an event, not an entry in everybody's inbox. */
const humanEvents: Readonly<Record<string, (event: SentEvent) => Told | undefined>> = {
  'question.asked': questionToAnyone,
  'task.created': checksInReview,
  'task.updated': checksInReview,
  'task.released': checksInReview,
}

export const humanEventTypes: readonly EventType[] = eventTypes.filter((type) => type in humanEvents)

/** What an event asks of any person; undefined where it asks nothing. */
export const askedOfHumans = (event: SentEvent): Told | undefined => humanEvents[event.type]?.(event)
