export type { BatchBuilder, BatchResults } from './batch.js'
export * from './errors.js'
export { type ChangeEvent, type ChangeOf, type EventKind, type EventType, isChangeOf, subjectOf } from './event.js'
export type { StreamOptions } from './event-stream.js'
export type { ClaimOptions, HeldClaim, ReleaseOptions } from './held-claim.js'
export type { Limits } from './limits.js'
export type { Listing, Page } from './listing.js'
export type { CallOptions, PostOptions, ResponseInfo, Retry, WorkloreOptions } from './options.js'
export type { Audit } from './resources/audit.js'
export type { Comments } from './resources/comments.js'
export type {
  EventFilters,
  EventPage,
  EventQuery,
  Events,
  NewestEventsPage,
  NewestEventsQuery,
} from './resources/events.js'
export type { History } from './resources/history.js'
export type { Keys } from './resources/keys.js'
export type {
  CheckedItem,
  ItemOptions,
  JudgedItem,
  Knowledge,
  KnowledgeKey,
  KnowledgeSearchFilters,
  PutOptions,
  RetractOptions,
  VerdictOptions,
} from './resources/knowledge.js'
export type { ProjectDeleteOptions, Projects } from './resources/projects.js'
export type { Reservations } from './resources/reservations.js'
export type { Sessions } from './resources/sessions.js'
export type { ClaimRequest, NextFilters, NextRequest, TaskClaims } from './resources/task-claims.js'
export type {
  TaskCardFilters,
  TaskCountFilters,
  TaskDeleteOptions,
  TaskFilters,
  TaskRecords,
  TaskSearchFilters,
} from './resources/tasks.js'
export type { TenantResource } from './resources/tenant.js'
export type { Trash } from './resources/trash.js'
export type { UserDeleteOptions, Users } from './resources/users.js'
export type { Webhooks } from './resources/webhooks.js'
export type { Request as ApiRequest } from './transport.js'
export type * from './types.gen.js'
export type * from './unions.js'
export * from './values.gen.js'
export { type VerifyWebhookOptions, verifyWebhook, WebhookVerificationError } from './verify-webhook.js'
export type { Updater, Version, VersionOptions } from './versions.js'
export type { AnswerOptions, Inbox, Questions } from './waiting.js'
export type { Tasks, WorkView } from './work-view.js'
export { type SearchFilters, Worklore } from './worklore.js'
