import type { Category } from '../../../tenancy/projects/statuses.js'
import { priorities } from '../fields.js'
import type { StoredTask } from '../stored-task.js'
import type { QueuedTask } from './ready-store.js'

/** Work on it is over. */
export const isClosed = (category: Category): boolean => category === 'done' || category === 'cancelled'

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
