import type {
  ApiKey,
  Comment,
  KnowledgeItem,
  LoggedEvent,
  Project,
  Question,
  Task,
  Tenant,
  User,
  Webhook,
} from './types.gen.js'

/** A large record comes without its long text and with `truncated`: fetch it by its id. */
type MaybeTruncated<T, Long extends keyof T> = Omit<T, Long> & Partial<Pick<T, Long>> & { truncated?: true }

interface Records {
  task: MaybeTruncated<Task, 'description' | 'result' | 'checks'>
  comment: MaybeTruncated<Comment, 'body'>
  question: MaybeTruncated<Question, 'body' | 'options' | 'answer'>
  knowledge: MaybeTruncated<KnowledgeItem, 'content'>
  project: Project
  user: User
  key: ApiKey
  tenant: Tenant
  webhook: Webhook
}

export type EventType = LoggedEvent['type']

type RecordOf<T extends EventType> = T extends `${infer Kind extends keyof Records}.${string}` ? Records[Kind] : never

interface EventOf<T extends EventType> extends Omit<LoggedEvent, 'type' | 'data' | 'previous'> {
  type: T
  /** The record after the change; of a deleted one, its last state. */
  data: RecordOf<T>
  /** The previous values of the changed fields; null unless the record was updated. */
  previous: Partial<RecordOf<T>> | null
}

/** One change; `type` tells what `data` is. */
export type ChangeEvent = { [T in EventType]: EventOf<T> }[EventType]
