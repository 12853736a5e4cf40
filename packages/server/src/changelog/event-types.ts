import { invalid } from '../base/errors.js'
import type { ProjectSet } from '../base/project-set.js'

export const eventTypes = [
  'task.created',
  'task.updated',
  'task.deleted',
  'task.claimed',
  'task.released',
  'task.claim_expired',
  'task.unblocked',
  'task.moved',
  'task.ranked',
  'task.restored',
  'task.stale',
  'comment.created',
  'comment.updated',
  'comment.deleted',
  'comment.restored',
  'question.asked',
  'question.answered',
  'question.withdrawn',
  'knowledge.created',
  'knowledge.updated',
  'knowledge.deleted',
  'knowledge.moved',
  'knowledge.restored',
  'knowledge.stale',
  'project.created',
  'project.updated',
  'project.deleted',
  'project.restored',
  'user.created',
  'user.updated',
  'user.deleted',
  'member.set',
  'member.removed',
  'key.created',
  'key.updated',
  'key.revoked',
  'key.rotated',
  'key.paused',
  'key.resumed',
  'tenant.paused',
  'tenant.resumed',
  'webhook.created',
  'webhook.updated',
  'webhook.rotated',
  'webhook.disabled',
  'webhook.deleted',
] as const

export type EventType = (typeof eventTypes)[number]
export type EventKind = EventType extends `${infer Kind}.${string}` ? Kind : never

export const kindOf = (type: EventType): EventKind => type.slice(0, type.indexOf('.')) as EventKind

/** What of the log is wanted. */
export interface EventFilter {
  /** Null is every type. */
  types: readonly EventType[] | null
  /** The projects whose events are wanted, '' for those of none. */
  projectIds: ProjectSet
}

const matches = (type: EventType, pattern: string): boolean =>
  pattern === '*' || pattern === type || pattern === `${kindOf(type)}.*`

/** The types that patterns such as `task.*` stand for, in the order of the list. */
export const typesMatching = (patterns: readonly string[], path: string): EventType[] => {
  for (const pattern of patterns) {
    if (eventTypes.some((type) => matches(type, pattern))) continue
    throw invalid({
      path,
      message: `is not an event type: "${pattern}"; use a type (${eventTypes.join(', ')}), a wildcard (task.*), or *`,
    })
  }
  return eventTypes.filter((type) => patterns.some((pattern) => matches(type, pattern)))
}
