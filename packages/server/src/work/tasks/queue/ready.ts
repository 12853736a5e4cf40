import type { Category } from '../../../tenancy/projects/statuses.js'
import { priorities } from '../fields.js'
import type { StoredTask, TaskCounts } from '../stored-task.js'
import type { QueuedTask } from './ready-store.js'

/** Work on it is over. */
export const isClosed = (category: Category): boolean => category === 'done' || category === 'cancelled'

type Waits = Pick<TaskCounts, 'openBlockers' | 'blockedAncestors' | 'openChildren' | 'openQuestions'>

export interface Readiness extends Waits {
  statusCategory: Category
  attempts: number
  wakeAtMs: number | null
}

/**
 * Whether a task can be handed out, to whoever it is assigned to: it is to be done, nothing that it waits for is open,
 * its time has come and its attempts are not used up. A task under a claim is in progress, so it is not.
 */
export const isReady = (task: Readiness, maxAttempts: number): boolean =>
  task.statusCategory === 'todo' &&
  task.openBlockers === 0 &&
  task.blockedAncestors === 0 &&
  task.openChildren === 0 &&
  task.openQuestions === 0 &&
  task.wakeAtMs === null &&
  task.attempts < maxAttempts

/** Whether a task is to be done but was handed out as often as it may be. */
export const isExhausted = (
  { statusCategory, attempts }: Pick<Readiness, 'statusCategory' | 'attempts'>,
  maxAttempts: number,
): boolean => statusCategory === 'todo' && attempts > 0 && attempts >= maxAttempts

export const readinessOf = ({ doc, counts, wakeAtMs }: StoredTask): Readiness => ({
  statusCategory: doc.statusCategory,
  attempts: doc.attempts,
  wakeAtMs,
  ...counts,
})

/** Tasks without a due date come last. */
const never = 9_007_199_254_740_991

export const queuedTask = ({ doc, assigneeId, number, rank }: StoredTask): QueuedTask => ({
  taskId: doc.id,
  labels: doc.labels,
  assigneeId: assigneeId ?? '',
  urgency: urgencyOf(priorities.indexOf(doc.priority)),
  dueAtMs: doc.dueDate === null ? never : Date.parse(doc.dueDate),
  rank,
  projectId: doc.projectId,
  number,
})

export const urgencyOf = (priority: number): number => priorities.length - 1 - priority
