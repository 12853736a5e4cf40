export * from './errors.js'
export type { ChangeEvent, EventType } from './event.js'
export type { Limits } from './limits.js'
export type { Listing, Page } from './listing.js'
export type { CallOptions, PostOptions, Retry, WorkloreOptions } from './options.js'
export type { EventFilters, EventPage, EventQuery, Events } from './resources/events.js'
export type { Keys } from './resources/keys.js'
export type {
  ItemOptions,
  Knowledge,
  KnowledgeKey,
  KnowledgeSearchFilters,
  PutOptions,
} from './resources/knowledge.js'
export type { ProjectDeleteOptions, Projects } from './resources/projects.js'
export type { TaskFilters, TaskSearchFilters, Tasks } from './resources/tasks.js'
export type { Users } from './resources/users.js'
export type { Webhooks } from './resources/webhooks.js'
export type * from './types.gen.js'
export { type VerifyWebhookOptions, verifyWebhook, WebhookVerificationError } from './verify-webhook.js'
export type { Change, Version, VersionOptions } from './versions.js'
export { Worklore } from './worklore.js'
