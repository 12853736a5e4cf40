import type { Statuses } from '../../tenancy/projects/statuses.js'
import type { WorkRecord } from './checks/rules.js'
import type { ClaimState } from './claims/rules.js'
import type { taskRecord } from './fields.js'
import type { ResourcefulTask } from './resources/store.js'
import type { Task } from './schema.js'

/** A task as it is kept: without what is read from elsewhere or changes without a new version. */
export type TaskDoc = ReturnType<typeof taskRecord.make>

/** How others stand to a task; none of it is part of a version. */
export interface TaskCounts {
  openBlockers: number
  /** Ancestors that have an open blocker. */
  blockedAncestors: number
  openChildren: number
  totalChildren: number
  commentCount: number
  openQuestions: number
  /** Whether other tasks wait for it. */
  hasDependents: boolean
  /** How often what the task shows of these has changed. */
  derived: number
}

export const noCounts: TaskCounts = {
  openBlockers: 0,
  blockedAncestors: 0,
  openChildren: 0,
  totalChildren: 0,
  commentCount: 0,
  openQuestions: 0,
  hasDependents: false,
  derived: 0,
}

export interface StoredTask {
  doc: TaskDoc
  assigneeId: string | null
  assignee: Task['assignee']
  claims: ClaimState
  counts: TaskCounts
  work: WorkRecord
  /** Of its project; null for the built-in ones. */
  statuses: Statuses
  /** What it relied on that no longer holds, as JSON; null for nothing. No part of a version either. */
  stale: string | null
  /** When it is to be queued, where it must not be begun yet. */
  wakeAtMs: number | null
  /** Orders it among the tasks of its project: the number of its id, or another where it came from elsewhere. */
  number: number
  /** Its place in the order that is set by hand; no part of a version. */
  rank: number
}

/** A task as it was, null where it is new, and as it is. */
export interface BeforeAndAfter {
  before: StoredTask | null
  after: StoredTask
}

export const numberOf = (id: string): number => Number(id.slice(id.lastIndexOf('-') + 1))

export const resourcefulTask = ({ doc, claims }: StoredTask): ResourcefulTask => ({
  taskId: doc.id,
  projectId: doc.projectId,
  resources: doc.resources,
  isClaimed: claims.current !== null,
})
