// Generated from openapi.json by "npm run generate".

/** The API key that made the change, and the user it belongs to. */
export interface Actor {
  keyId: string
  keyName: string
  userId: string | null
}

export interface Task {
  /** The key of the project and a number. */
  id: string
  projectId: string
  /** 1 to 500 characters after trimming. */
  title: string
  /** Up to 64 KiB of UTF-8. */
  description: string
  status: 'todo' | 'in_progress' | 'in_review' | 'done' | 'cancelled'
  priority: 'low' | 'medium' | 'high' | 'urgent'
  assignee: {
    id: string
    name: string
  } | null
  /** Up to 50 labels of 1 to 64 characters without a comma; the order is kept, repeats are dropped. */
  labels: string[]
  /** A date (`2026-01-31`), returned as it is, or a timestamp, returned in UTC. */
  dueDate: string | null
  /** Counts the changes of the record, from 1. */
  version: number
  createdAt: string
  updatedAt: string
  createdBy: Actor
}

export interface TaskPagination {
  page?: number
  limit: number
  /** Exact up to 1,000, unless asked for with `total=exact`; in a search up to 300. */
  total?: number
  /** There are more than `total`. */
  totalIsCapped?: true
  totalPages?: number
  hasMore: boolean
  nextCursor: string | null
}

export interface Explanation {
  /** `exact`: the query is its key or id. `words`: meaning had no part, as the text has no vector yet. */
  by: 'exact' | 'words' | 'words and meaning'
  bm25: number
  /** BM25 over the root of the most it could be. */
  strength: number
  /** BM25 as a share of the most that the query's words could give. */
  lexical: number
  /** Share of the query's words found, weighted by how rare they are. */
  coverage: number
  /** Nearness in meaning. */
  cosine: number | null
}

export interface FoundTask {
  /** The key of the project and a number. */
  id: string
  projectId: string
  /** 1 to 500 characters after trimming. */
  title: string
  /** Up to 64 KiB of UTF-8. */
  description: string
  status: 'todo' | 'in_progress' | 'in_review' | 'done' | 'cancelled'
  priority: 'low' | 'medium' | 'high' | 'urgent'
  assignee: {
    id: string
    name: string
  } | null
  /** Up to 50 labels of 1 to 64 characters without a comma; the order is kept, repeats are dropped. */
  labels: string[]
  /** A date (`2026-01-31`), returned as it is, or a timestamp, returned in UTC. */
  dueDate: string | null
  /** Counts the changes of the record, from 1. */
  version: number
  createdAt: string
  updatedAt: string
  createdBy: Actor
  /** Higher is a closer match. */
  score: number
  explain?: Explanation
}

/** Without `content` where the list was asked for `fields=key`. */
export interface ListedKnowledgeItem {
  /** 1 to 512 bytes of UTF-8. Slashes divide it into segments; none is empty, `.` or `..`. */
  key: string
  /** Null where the item is tenant-wide. */
  projectId: string | null
  /** Counts the changes of the record, from 1. */
  version: number
  createdAt: string
  updatedAt: string
  createdBy: Actor
  updatedBy: Actor
  /** Up to 1 MiB of UTF-8, returned byte for byte. */
  content?: string
}

export interface CursorPagination {
  limit: number
  hasMore: boolean
  nextCursor: string | null
}

export interface KnowledgeHit {
  /** 1 to 512 bytes of UTF-8. Slashes divide it into segments; none is empty, `.` or `..`. */
  key: string
  /** Up to 1 MiB of UTF-8, returned byte for byte. */
  content: string
  /** Higher is a closer match. */
  score: number
  /** Null where the item is tenant-wide. */
  projectId: string | null
  updatedAt: string
  /** The best passage, HTML-escaped, with `<mark>` around what matched. */
  snippet: string
  explain?: Explanation
}

export interface KnowledgeItem {
  /** 1 to 512 bytes of UTF-8. Slashes divide it into segments; none is empty, `.` or `..`. */
  key: string
  /** Null where the item is tenant-wide. */
  projectId: string | null
  /** Counts the changes of the record, from 1. */
  version: number
  createdAt: string
  updatedAt: string
  createdBy: Actor
  updatedBy: Actor
  /** Up to 1 MiB of UTF-8, returned byte for byte. */
  content: string
}

export interface Project {
  id: string
  /** 2 to 10 of A-Z and 0-9, a letter first. Unique in the tenant and fixed for life. */
  key: string
  name: string
  description: string
  /** Counts the changes of the record, from 1. */
  version: number
  createdAt: string
  updatedAt: string
}

/** Whoever a task can be assigned to: a person or an agent. */
export interface User {
  id: string
  name: string
  email: string | null
  kind: 'human' | 'agent'
  createdAt: string
  updatedAt: string
}

export interface ApiKey {
  id: string
  name: string
  /** The start of the secret, to recognise it by. */
  prefix: string
  scopes: ('tasks:read' | 'tasks:write' | 'knowledge:read' | 'knowledge:write' | 'admin')[]
  /** The projects the key is limited to, by id or key; null for all. */
  projectIds: string[] | null
  /** The user the key belongs to. */
  userId: string | null
  /** When the key ends; null for never. */
  expiresAt: string | null
  createdAt: string
  lastUsedAt: string | null
}

export interface ApiKeyWithSecret {
  id: string
  name: string
  /** The start of the secret, to recognise it by. */
  prefix: string
  scopes: ('tasks:read' | 'tasks:write' | 'knowledge:read' | 'knowledge:write' | 'admin')[]
  /** The projects the key is limited to, by id or key; null for all. */
  projectIds: string[] | null
  /** The user the key belongs to. */
  userId: string | null
  /** When the key ends; null for never. */
  expiresAt: string | null
  createdAt: string
  lastUsedAt: string | null
  /** The secret, shown this once; null in the replay of an idempotent request. */
  key: string | null
}

export interface LoggedEvent {
  id: string
  /** Rises by one with each event of the tenant. */
  sequence: number
  type: 'task.created' | 'task.updated' | 'task.deleted' | 'knowledge.created' | 'knowledge.updated' | 'knowledge.deleted' | 'project.created' | 'project.updated' | 'project.deleted' | 'user.created' | 'user.updated' | 'user.deleted' | 'key.created' | 'key.updated' | 'key.revoked' | 'key.rotated' | 'webhook.created' | 'webhook.updated' | 'webhook.rotated' | 'webhook.disabled' | 'webhook.deleted'
  timestamp: string
  actor: Actor
  /** Null where the record belongs to no project. */
  projectId: string | null
  /** The record after the change; of a deleted one, its last state. A large one comes without its long text and with `truncated: true`: fetch it by its id. */
  data: Record<string, unknown>
  /** The changed fields as they were before; null unless updated. */
  previous: Record<string, unknown> | null
}

export interface EventPagination {
  limit: number
  /** Whether the log goes on beyond this page. */
  hasMore: boolean
  /** Send it as `after` to go on. It moves past events that were not asked for or may not be seen. */
  nextAfter: number
}

export interface Webhook {
  id: string
  /** Where events are sent: https, on the public internet. */
  url: string
  /** The types of events to send; `task.*` is all of a kind, `*` is all. */
  events: string[]
  /** Send only events of this project. The project, by its id (`prj_…`) or by its key (`ACME`). */
  projectId: string | null
  description: string
  /** One that is off sends nothing; on again, it goes on where it was. */
  active: boolean
  /** Why the service turned it off. */
  disabledReason: string | null
  /** When it began to fail, if it does. */
  failingSince: string | null
  /** Events up to this sequence were sent, or wait for another attempt. */
  position: number
  /** How far the replay under way has come. */
  replay: {
    position: number
    toSequence: number
  } | null
  createdAt: string
  updatedAt: string
}

export interface WebhookWithSecret {
  id: string
  /** Where events are sent: https, on the public internet. */
  url: string
  /** The types of events to send; `task.*` is all of a kind, `*` is all. */
  events: string[]
  /** Send only events of this project. The project, by its id (`prj_…`) or by its key (`ACME`). */
  projectId: string | null
  description: string
  /** One that is off sends nothing; on again, it goes on where it was. */
  active: boolean
  /** Why the service turned it off. */
  disabledReason: string | null
  /** When it began to fail, if it does. */
  failingSince: string | null
  /** Events up to this sequence were sent, or wait for another attempt. */
  position: number
  /** How far the replay under way has come. */
  replay: {
    position: number
    toSequence: number
  } | null
  createdAt: string
  updatedAt: string
  /** Signs what is sent. Shown this once; null in the replay of an idempotent request. */
  secret: string | null
}

export interface WebhookDelivery {
  id: string
  webhookId: string
  /** What it was sent for. */
  reason: 'event' | 'replay' | 'redelivery' | 'ping'
  /** The `webhook-id` it is sent with, the same in every attempt. */
  eventId: string
  type: string
  /** The place of the event in the log; a ping has none. */
  sequence: number | null
  /** `pending` waits for its first attempt, `retrying` for another; `failed` has been given up. */
  status: 'pending' | 'retrying' | 'succeeded' | 'failed'
  attempts: number
  nextAttemptAt: string | null
  /** Of the last attempt; null where there was no answer. */
  responseStatus: number | null
  /** The first 1,024 bytes of the last answer. */
  responseBody: string | null
  /** Why the last attempt failed. */
  error: string | null
  /** How long the last attempt took. */
  durationMs: number | null
  createdAt: string
  attemptedAt: string | null
}

export interface WebhookReplay {
  webhookId: string
  fromSequence: number
  toSequence: number
}

export interface Me {
  tenant: {
    id: string
    name: string
  }
  plan: string
  key: {
    id: string
    name: string
  }
  user: User | null
  scopes: ('tasks:read' | 'tasks:write' | 'knowledge:read' | 'knowledge:write' | 'admin')[]
  /** The projects the key is limited to; null for all. */
  projects: {
    id: string
    key: string
    name: string
  }[] | null
  limits: {
    name: string
    limit: number
    remaining: number
    /** Unix seconds */
    reset: number
  }[]
}

export interface ErrorAnswer {
  error: {
    code: 'VALIDATION_ERROR' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'METHOD_NOT_ALLOWED' | 'REQUEST_TIMEOUT' | 'CONFLICT' | 'GONE' | 'PRECONDITION_FAILED' | 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE' | 'IDEMPOTENCY_MISMATCH' | 'RATE_LIMIT_EXCEEDED' | 'HEADERS_TOO_LARGE' | 'INTERNAL_ERROR' | 'SERVICE_UNAVAILABLE'
    /** What is wrong and what to do next. */
    message: string
    requestId: string
    details?: {
      path: string
      message: string
    }[]
    hint?: string
    /** Seconds to wait. */
    retryAfter?: number
  }
}

export interface ListTasksQuery {
  /** The project, by its id (`prj_…`) or by its key (`ACME`). A comma list means any of them. */
  projectId?: string | undefined
  /** One of todo, in_progress, in_review, done, cancelled. A comma list means any of them. */
  status?: string | undefined
  /** The id of a user, or `none` for tasks of no one. A comma list means any of them. */
  assignee?: string | undefined
  /** One of low, medium, high, urgent. A comma list means any of them. */
  priority?: string | undefined
  /** A label. A comma list means any of them. */
  label?: string | undefined
  /** Due before this date or time. */
  dueBefore?: string | undefined
  /** Due after this date or time. */
  dueAfter?: string | undefined
  /** Changed after this date or time. */
  updatedAfter?: string | undefined
  /** With `-` descending. Ties go by project and number; tasks without a due date come last. */
  sort?: 'createdAt' | 'updatedAt' | 'priority' | 'dueDate' | '-createdAt' | '-updatedAt' | '-priority' | '-dueDate' | undefined
  /** Page number. */
  page?: number | undefined
  /** Records a page, at most 100. */
  limit?: number | undefined
  /** Where to go on: `nextCursor` of the page before. It belongs to the same filters and order. */
  cursor?: string | undefined
  /** Count beyond 1,000. */
  total?: 'exact' | undefined
}

export interface ListTasksAnswer {
  data: Task[]
  pagination: TaskPagination
}

export interface CreateTaskBody {
  /** The project, by its id (`prj_…`) or by its key (`ACME`). */
  projectId: string
  /** 1 to 500 characters after trimming. */
  title: string
  /** Up to 64 KiB of UTF-8. */
  description?: string | undefined
  status?: 'todo' | 'in_progress' | 'in_review' | 'done' | 'cancelled' | undefined
  priority?: 'low' | 'medium' | 'high' | 'urgent' | undefined
  /** The user to assign, or null for no one. */
  assigneeId?: string | null | undefined
  /** Up to 50 labels of 1 to 64 characters without a comma; the order is kept, repeats are dropped. */
  labels?: string[] | undefined
  /** A date (`2026-01-31`), returned as it is, or a timestamp, returned in UTC. */
  dueDate?: string | null | undefined
}

export interface CreateTaskAnswer {
  data: Task
}

export interface SearchTasksQuery {
  /** Words to look for in titles and descriptions. */
  q: string
  /** The project, by its id (`prj_…`) or by its key (`ACME`). A comma list means any of them. */
  projectId?: string | undefined
  /** One of todo, in_progress, in_review, done, cancelled. A comma list means any of them. */
  status?: string | undefined
  /** The id of a user, or `none` for tasks of no one. A comma list means any of them. */
  assignee?: string | undefined
  /** One of low, medium, high, urgent. A comma list means any of them. */
  priority?: string | undefined
  /** A label. A comma list means any of them. */
  label?: string | undefined
  /** Due before this date or time. */
  dueBefore?: string | undefined
  /** Due after this date or time. */
  dueAfter?: string | undefined
  /** Changed after this date or time. */
  updatedAfter?: string | undefined
  /** Page number. */
  page?: number | undefined
  /** Records a page, at most 100. */
  limit?: number | undefined
  /** Add to each hit what its score is made of. */
  explain?: boolean | undefined
}

export interface SearchTasksAnswer {
  data: FoundTask[]
  pagination: TaskPagination
  /** Whether meaning had a part in this search. False: words alone, because the model is off or away. */
  semantic: boolean
}

export interface GetTaskAnswer {
  data: Task
}

export interface UpdateTaskBody {
  /** 1 to 500 characters after trimming. */
  title?: string | undefined
  /** Up to 64 KiB of UTF-8. */
  description?: string | undefined
  status?: 'todo' | 'in_progress' | 'in_review' | 'done' | 'cancelled' | undefined
  priority?: 'low' | 'medium' | 'high' | 'urgent' | undefined
  /** The user to assign, or null for no one. */
  assigneeId?: string | null | undefined
  /** Up to 50 labels of 1 to 64 characters without a comma; the order is kept, repeats are dropped. */
  labels?: string[] | undefined
  /** A date (`2026-01-31`), returned as it is, or a timestamp, returned in UTC. */
  dueDate?: string | null | undefined
}

export interface UpdateTaskAnswer {
  data: Task
}

export interface DeleteTaskAnswer {
  data: {
    id: string
    deleted: true
  }
}

export interface ListKnowledgeQuery {
  /** The project, by its id (`prj_…`) or by its key (`ACME`). */
  projectId?: string | undefined
  /** Only keys that begin with this text, taken literally. */
  prefix?: string | undefined
  /** Not together with `projectId`. */
  scope?: 'all' | 'tenant' | 'project' | undefined
  /** Records a page, at most 500. */
  limit?: number | undefined
  /** Where to go on: `nextCursor` of the page before. It belongs to the same filters and order. */
  cursor?: string | undefined
  /** `key` leaves the content out. */
  fields?: 'key' | undefined
}

export interface ListKnowledgeAnswer {
  data: ListedKnowledgeItem[]
  pagination: CursorPagination
}

export interface SearchKnowledgeQuery {
  /** Words to look for in keys and contents. */
  q: string
  /** The project, by its id (`prj_…`) or by its key (`ACME`). */
  projectId?: string | undefined
  /** With `projectId`: tenant-wide items too. */
  includeTenant?: boolean | undefined
  /** Only keys that begin with this text, taken literally. */
  prefix?: string | undefined
  /** Records a page, at most 100. */
  limit?: number | undefined
  minScore?: number | undefined
  /** Add to each hit what its score is made of. */
  explain?: boolean | undefined
}

export interface SearchKnowledgeAnswer {
  data: KnowledgeHit[]
  /** Whether meaning had a part in this search. False: words alone, because the model is off or away. */
  semantic: boolean
}

export interface GetKnowledgeQuery {
  /** The project, by its id (`prj_…`) or by its key (`ACME`). Without it the tenant-wide item is meant, or else the only project's. */
  projectId?: string | undefined
}

export interface GetKnowledgeAnswer {
  data: KnowledgeItem
}

export interface PutKnowledgeBody {
  /** Up to 1 MiB of UTF-8, returned byte for byte. */
  content: string
  /** The project, by its id (`prj_…`) or by its key (`ACME`). Null or absent: tenant-wide. */
  projectId?: string | null | undefined
}

export interface PutKnowledgeAnswer {
  data: KnowledgeItem
}

export interface DeleteKnowledgeQuery {
  /** The project, by its id (`prj_…`) or by its key (`ACME`). Without it the tenant-wide item is meant, or else the only project's. */
  projectId?: string | undefined
}

export interface DeleteKnowledgeAnswer {
  data: {
    key: string
    deleted: true
  }
}

export interface ListProjectsQuery {
  /** Records a page, at most 100. */
  limit?: number | undefined
  /** Where to go on: `nextCursor` of the page before. It belongs to the same filters and order. */
  cursor?: string | undefined
}

export interface ListProjectsAnswer {
  data: Project[]
  pagination: CursorPagination
}

export interface CreateProjectBody {
  /** 2 to 10 of A-Z and 0-9, a letter first. Unique in the tenant and fixed for life. */
  key: string
  name: string
  description?: string | undefined
}

export interface CreateProjectAnswer {
  data: Project
}

export interface GetProjectAnswer {
  data: Project
}

export interface UpdateProjectBody {
  name?: string | undefined
  description?: string | undefined
}

export interface UpdateProjectAnswer {
  data: Project
}

export interface DeleteProjectQuery {
  /** Delete the tasks and knowledge of the project with it. */
  force?: boolean | undefined
}

export interface DeleteProjectAnswer {
  data: {
    id: string
    deleted: true
  }
}

export interface ListUsersQuery {
  /** Records a page, at most 100. */
  limit?: number | undefined
  /** Where to go on: `nextCursor` of the page before. It belongs to the same filters and order. */
  cursor?: string | undefined
}

export interface ListUsersAnswer {
  data: User[]
  pagination: CursorPagination
}

export interface CreateUserBody {
  name: string
  email?: string | null | undefined
  kind?: 'human' | 'agent' | undefined
}

export interface CreateUserAnswer {
  data: User
}

export interface GetUserAnswer {
  data: User
}

export interface UpdateUserBody {
  name?: string | undefined
  email?: string | null | undefined
  kind?: 'human' | 'agent' | undefined
}

export interface UpdateUserAnswer {
  data: User
}

export interface DeleteUserAnswer {
  data: {
    id: string
    deleted: true
  }
}

export interface ListKeysQuery {
  /** Records a page, at most 100. */
  limit?: number | undefined
  /** Where to go on: `nextCursor` of the page before. It belongs to the same filters and order. */
  cursor?: string | undefined
}

export interface ListKeysAnswer {
  data: ApiKey[]
  pagination: CursorPagination
}

export interface CreateKeyBody {
  name: string
  scopes: ('tasks:read' | 'tasks:write' | 'knowledge:read' | 'knowledge:write' | 'admin')[]
  /** The projects the key is limited to, by id or key; null for all. */
  projectIds?: string[] | null | undefined
  /** The user the key belongs to. */
  userId?: string | null | undefined
  /** When the key ends; null for never. */
  expiresAt?: string | null | undefined
}

export interface CreateKeyAnswer {
  data: ApiKeyWithSecret
}

export interface GetKeyAnswer {
  data: ApiKey
}

export interface UpdateKeyBody {
  name?: string | undefined
  scopes?: ('tasks:read' | 'tasks:write' | 'knowledge:read' | 'knowledge:write' | 'admin')[] | undefined
  /** The projects the key is limited to, by id or key; null for all. */
  projectIds?: string[] | null | undefined
  /** The user the key belongs to. */
  userId?: string | null | undefined
  /** When the key ends; null for never. */
  expiresAt?: string | null | undefined
}

export interface UpdateKeyAnswer {
  data: ApiKey
}

export interface RevokeKeyAnswer {
  data: {
    id: string
    deleted: true
  }
}

export interface RotateKeyBody {
  /** How long the old secret stays good beside the new one, up to seven days. */
  overlapSeconds?: number | undefined
}

export interface RotateKeyAnswer {
  data: ApiKeyWithSecret
}

export interface ListEventsQuery {
  /** Only events after this sequence; `latest` is the newest one now. Left out: from the oldest event that is kept. */
  after?: string | undefined
  /** Only these types, divided by commas; `task.*` is all of a kind. */
  types?: string | undefined
  /** Only events of this project. The project, by its id (`prj_…`) or by its key (`ACME`). */
  projectId?: string | undefined
  /** Records a page, at most 500. */
  limit?: number | undefined
  /** Seconds to wait for an event where there is none yet. */
  wait?: number | undefined
}

export interface ListEventsAnswer {
  data: LoggedEvent[]
  pagination: EventPagination
}

export interface StreamEventsQuery {
  /** Only events after this sequence; `latest` is the newest one now. Left out: from now on. `Last-Event-ID` goes before it. */
  after?: string | undefined
  /** Only these types, divided by commas; `task.*` is all of a kind. */
  types?: string | undefined
  /** Only events of this project. The project, by its id (`prj_…`) or by its key (`ACME`). */
  projectId?: string | undefined
}

export interface ListWebhooksQuery {
  /** Records a page, at most 100. */
  limit?: number | undefined
  /** Where to go on: `nextCursor` of the page before. It belongs to the same filters and order. */
  cursor?: string | undefined
}

export interface ListWebhooksAnswer {
  data: Webhook[]
  pagination: CursorPagination
}

export interface CreateWebhookBody {
  /** Where events are sent: https, on the public internet. */
  url: string
  /** The types of events to send; `task.*` is all of a kind, `*` is all. */
  events: string[]
  /** Send only events of this project. The project, by its id (`prj_…`) or by its key (`ACME`). */
  projectId?: string | null | undefined
  description?: string | undefined
  /** One that is off sends nothing; on again, it goes on where it was. */
  active?: boolean | undefined
}

export interface CreateWebhookAnswer {
  data: WebhookWithSecret
}

export interface GetWebhookAnswer {
  data: Webhook
}

export interface UpdateWebhookBody {
  /** Where events are sent: https, on the public internet. */
  url?: string | undefined
  /** The types of events to send; `task.*` is all of a kind, `*` is all. */
  events?: string[] | undefined
  /** Send only events of this project. The project, by its id (`prj_…`) or by its key (`ACME`). */
  projectId?: string | null | undefined
  description?: string | undefined
  /** One that is off sends nothing; on again, it goes on where it was. */
  active?: boolean | undefined
}

export interface UpdateWebhookAnswer {
  data: Webhook
}

export interface DeleteWebhookAnswer {
  data: {
    id: string
    deleted: true
  }
}

export interface RotateWebhookSecretBody {
  /** How long the old secret signs beside the new one, up to seven days. */
  overlapSeconds?: number | undefined
}

export interface RotateWebhookSecretAnswer {
  data: WebhookWithSecret
}

export interface ListWebhookDeliveriesQuery {
  /** `pending` waits for its first attempt, `retrying` for another; `failed` has been given up. */
  status?: 'pending' | 'retrying' | 'succeeded' | 'failed' | undefined
  /** Records a page, at most 100. */
  limit?: number | undefined
  /** Where to go on: `nextCursor` of the page before. It belongs to the same filters and order. */
  cursor?: string | undefined
}

export interface ListWebhookDeliveriesAnswer {
  data: WebhookDelivery[]
  pagination: CursorPagination
}

export interface GetWebhookDeliveryAnswer {
  data: WebhookDelivery
}

export interface RedeliverWebhookDeliveryAnswer {
  data: WebhookDelivery
}

export interface PingWebhookAnswer {
  data: WebhookDelivery
}

export interface ReplayWebhookBody {
  /** The first event to send again. */
  fromSequence: number
  /** The last one; left out: the newest now. */
  toSequence?: number | undefined
}

export interface ReplayWebhookAnswer {
  data: WebhookReplay
}

export interface GetMeAnswer {
  data: Me
}
