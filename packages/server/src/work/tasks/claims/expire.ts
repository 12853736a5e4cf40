import { isoTime } from '../../../base/clock.js'
import type { Call } from '../../../operations/call.js'
import type { StoredTask } from '../store.js'
import { type TaskChange, writeTask, writeTasks } from '../write.js'
import { lapsed } from './rules.js'

const expiryOf = (call: Call, task: StoredTask): TaskChange => {
  const { doc, claims } = task
  const isAtWork = doc.status === 'in_progress'
  return {
    before: task,
    after: {
      ...task,
      claims: lapsed(claims),
      doc: {
        ...doc,
        status: isAtWork ? 'todo' : doc.status,
        version: doc.version + 1,
        updatedAt: isoTime(call.clock()),
      },
    },
    event: {
      type: 'task.claim_expired',
      previous: { ...(isAtWork && { status: doc.status }), claim: claims.current },
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
