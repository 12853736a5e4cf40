import { utf8Length } from '../../base/text.js'
import { type EventType, eventTypes } from '../event-types.js'

/** What can be deleted by itself. */
export const trashKinds = ['task', 'comment', 'knowledge', 'project'] as const
export type TrashKind = (typeof trashKinds)[number]

const recordKinds = [...trashKinds, 'question'] as const
/** What has versions that are kept. */
export type RecordKind = (typeof recordKinds)[number]

/** Events of such records that make no version: what changed is another record. */
const derivedTypes = ['task.unblocked', 'task.ranked', 'task.stale', 'knowledge.stale'] as const

/** The events that change such a record. */
export type LoggedType = Exclude<Extract<EventType, `${RecordKind}.${string}`>, (typeof derivedTypes)[number]>

/** The history also tells which questions were deleted with their project. */
export type RecordEventType = LoggedType | 'question.deleted'

export const recordEventTypes: readonly RecordEventType[] = [
  ...eventTypes.filter(
    (type): type is LoggedType =>
      recordKinds.some((kind) => type.startsWith(`${kind}.`)) && !derivedTypes.some((derived) => derived === type),
  ),
  'question.deleted',
]

/** A change of a record, with what it replaced. */
export interface KeptVersion {
  type: RecordEventType
  /** The name of the record, unique among all kinds. */
  record: string
  /** The key of a knowledge item after the change, or the last key of a deleted item. */
  itemKey?: string
  projectId: string
  /** Of the record after the change; of a deletion that of the deleted one. */
  version: number
  beforeVersion: number | null
  /** The replaced record, whole, as JSON; null where the change made one. */
  before: string | null
  /**
   * For a deletion, what a restore needs besides the fields. For a change of a task, the claim that held it before the
   * change, and for a move of a task, its position before the move.
   */
  rest?: string | null
}

export const keptBytesOf = (versions: readonly Pick<KeptVersion, 'before'>[]): number =>
  versions.reduce((sum, { before }) => sum + (before === null ? 0 : utf8Length(before)), 0)

export const kindOfType = (type: RecordEventType): RecordKind => type.slice(0, type.indexOf('.')) as RecordKind

/** Comments and questions are named after their task, `<task>/<id>`; all other records by their ids. */
export const recordName = {
  task: (id: string): string => id,
  comment: (taskId: string, id: string): string => `${taskId}/${id}`,
  question: (taskId: string, id: string): string => `${taskId}/${id}`,
  knowledge: (id: string): string => id,
  project: (id: string): string => id,
}

/** The parts of the name of a comment or question. */
export const partOf = (record: string): { taskId: string; id: string } => {
  const at = record.indexOf('/')
  return { taskId: record.slice(0, at), id: record.slice(at + 1) }
}

/**
 * Fields that identify a record, that every change sets, or that follow from other fields. Comparisons of versions leave
 * them out.
 */
export const bookkeeping: ReadonlySet<string> = new Set([
  ...['id', 'taskId', 'version', 'createdAt', 'updatedAt', 'createdBy', 'updatedBy'],
  'statusCategory',
])

/** A place in the history. */
export type Position = readonly [sequence: number, place: number]

/** Beyond every change. */
export const newest: Position = [Number.MAX_SAFE_INTEGER, 0]
