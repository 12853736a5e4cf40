import type {
  ApiKey,
  Check,
  InboxEntry,
  KnowledgeItem,
  LoggedEvent,
  Member,
  Question,
  Task,
  User,
} from './types.gen.js'

export type TaskPriority = Task['priority']
/** The built-in status whose rules apply to a task's status. */
export type StatusCategory = Task['statusCategory']
export type CheckState = Check['state']
export type Verifier = Check['verifier']
export type QuestionState = Question['state']
export type ItemState = KnowledgeItem['state']
export type Trust = KnowledgeItem['trust']
export type Scope = ApiKey['scopes'][number]
export type UserKind = User['kind']
export type TenantRole = User['role']
export type ProjectRole = Member['role']
export type InboxKind = InboxEntry['kind']
/** The interface through which a change was made. */
export type Via = LoggedEvent['via']
