import { isoTime } from '../../../base/clock.js'
import type { Call } from '../../../operations/call.js'
import { firstOf } from '../../../tenancy/projects/statuses.js'
import { statusBefore } from '../statuses/service.js'
import type { StoredTask } from '../stored-task.js'
import { type TaskChange, writeTask, writeTasks } from '../write/write.js'
import { lapsed } from './rules.js'

const expiryOf = (call: Call, task: StoredTask): TaskChange => {
  const { doc, claims } = task
  const isAtWork = doc.statusCategory === 'in_progress'
  const { status, statusCategory } = isAtWork ? firstOf(task.statuses, 'todo') : doc
  return {
    before: task,
    after: {
      ...task,
      claims: lapsed(claims),
      doc: { ...doc, status, statusCategory, version: doc.version + 1, updatedAt: isoTime(call.clock()) },
    },
    event: {
      type: 'task.claim_expired',
      previous: { ...statusBefore(doc, { status, statusCategory }), claim: claims.current },
    },
  }
}

/** Expires a lapsed claim lazily, on first access. It is the service's doing, not that of the interface used. */
export const expireClaim = (call: Call, task: StoredTask): Promise<StoredTask> => {
  const { before, after, event } = expiryOf(call, task)
  const origin = { ...call.origin, via: 'service' as const }
  return writeTask({ ...call, origin }, before, after, event)
}

/** The same for many tasks. */
export const expireClaims = (call: Call, tasks: readonly StoredTask[]): Promise<void> =>
  writeTasks(
    call,
    tasks.map((task) => expiryOf(call, task)),
  )
