import type {
  ApiKey,
  Comment,
  KnowledgeItem,
  LoggedEvent,
  Member,
  Project,
  Question,
  Task,
  Tenant,
  User,
  Webhook,
} from './types.gen.js'

/** A large record is sent without its long texts and with `truncated`. Fetch it by its id. */
type MaybeTruncated<T, Long extends keyof T> = Omit<T, Long> & Partial<Pick<T, Long>> & { truncated?: true }

type EventTask = MaybeTruncated<Task, 'description' | 'result' | 'checks'>

interface RecordsByKind {
  task: EventTask
  comment: MaybeTruncated<Comment, 'body'>
  question: MaybeTruncated<Question, 'body' | 'options' | 'answer'>
  knowledge: MaybeTruncated<KnowledgeItem, 'content'>
  project: Project
  user: User
  member: Member & { projectId: string }
  key: ApiKey
  tenant: Tenant
  webhook: Webhook
}

/** Event types whose data is not exactly the record. */
interface RecordsByType {
  /** The project that a task leaves gets an event with only the id, new project and version of the task. */
  'task.moved': EventTask | Pick<Task, 'id' | 'projectId' | 'version'>
  /** `respaced` lists other tasks that got a new rank to make room. */
  'task.ranked': EventTask & { respaced?: Pick<Task, 'id' | 'rank'>[] }
}

export type EventType = LoggedEvent['type']
export type EventKind = keyof RecordsByKind

type RecordOf<T extends EventType> = T extends keyof RecordsByType
  ? RecordsByType[T]
  : T extends `${infer Kind extends EventKind}.${string}`
    ? RecordsByKind[Kind]
    : never

interface EventOf<T extends EventType> extends Omit<LoggedEvent, 'type' | 'data' | 'previous'> {
  type: T
  /** The record after the change, or its last state if it was deleted. */
  data: RecordOf<T>
  /** The previous values of the changed fields; null unless the record was updated. */
  previous: Partial<RecordOf<T>> | null
}

/** One change. `type` determines the type of `data`. */
export type ChangeEvent = { [T in EventType]: EventOf<T> }[EventType]

/** A change to a record of one kind, such as `task`. */
export type ChangeOf<Kind extends EventKind> = Extract<ChangeEvent, { type: `${Kind}.${string}` }>

/** Reports whether an event is about this kind of record. */
export const isChangeOf = <Kind extends EventKind>(event: ChangeEvent, kind: Kind): event is ChangeOf<Kind> =>
  event.type.startsWith(`${kind}.`)

/** Returns the id or key that selects an event in the `subject` filter. For a comment or question, it is the task's. */
export const subjectOf = (event: ChangeEvent): string => {
  if (isChangeOf(event, 'comment') || isChangeOf(event, 'question')) return event.data.taskId
  if (isChangeOf(event, 'knowledge') || isChangeOf(event, 'project')) return event.data.key
  return isChangeOf(event, 'member') ? event.data.projectId : event.data.id
}
