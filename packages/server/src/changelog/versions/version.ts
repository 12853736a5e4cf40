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
  projectId: string
  /** Of the record after the change; of a deletion that of the deleted one. */
  version: number
  beforeVersion: number | null
  /** The replaced record, whole, as JSON; null where the change made one. */
  before: string | null
  /**
   * Of a deletion, what the record needs to come back besides its fields; of another change of a task, the claim that
   * held it before, and of its move, where it was; of a move of knowledge, where the record was; of knowledge that was
   * restored, its deletion.
   */
  rest?: string | null
}

export const keptBytesOf = (versions: readonly Pick<KeptVersion, 'before'>[]): number =>
  versions.reduce((sum, { before }) => sum + (before === null ? 0 : utf8Length(before)), 0)

export const kindOfType = (type: RecordEventType): RecordKind => type.slice(0, type.indexOf('.')) as RecordKind

/** Ids of tasks, `task/comment`, `task/question`, `project/key` (with an empty project for what is tenant-wide) and ids of projects. */
export const recordName = {
  task: (id: string): string => id,
  comment: (taskId: string, id: string): string => `${taskId}/${id}`,
  question: (taskId: string, id: string): string => `${taskId}/${id}`,
  knowledge: (projectId: string, key: string): string => `${projectId}/${key}`,
  project: (id: string): string => id,
}

const partsOf = (record: string): [before: string, after: string] => {
  const at = record.indexOf('/')
  return [record.slice(0, at), record.slice(at + 1)]
}

/** The parts of the name of a comment or question. */
export const partOf = (record: string): { taskId: string; id: string } => {
  const [taskId, id] = partsOf(record)
  return { taskId, id }
}

export const itemOf = (record: string): { projectId: string; key: string } => {
  const [projectId, key] = partsOf(record)
  return { projectId, key }
}

/** A place in the history. */
export type Position = readonly [sequence: number, place: number]

/** Beyond every change. */
export const newest: Position = [Number.MAX_SAFE_INTEGER, 0]

/** What is kept of a move, where the record is now. */
export interface MoveRest {
  from: string
}

/** What is kept of a restored item. */
export interface RestoreRest {
  /** Null where only its contents were written back. */
  deletion: Position | null
}
