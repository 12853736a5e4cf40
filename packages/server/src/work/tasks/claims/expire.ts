import { isoTime } from '../../../base/clock.js'
import { asService, type Call } from '../../../operations/call.js'
import { firstOf } from '../../../tenancy/projects/statuses.js'
import { statusBefore } from '../statuses/service.js'
import type { StoredTask } from '../stored-task.js'
import { type TaskChange, writeTask, writeTasks } from '../write/write.js'
import { type ClaimState, lapsed, noClaims } from './rules.js'

const expiryOf = (call: Call, task: StoredTask, after: ClaimState): TaskChange => {
  const { doc, claims } = task
  const isAtWork = doc.statusCategory === 'in_progress'
  const { status, statusCategory } = isAtWork ? firstOf(task.statuses, 'todo') : doc
  return {
    before: task,
    after: {
      ...task,
      claims: after,
      doc: { ...doc, status, statusCategory, version: doc.version + 1, updatedAt: isoTime(call.clock()) },
    },
    event: {
      type: 'task.claim_expired',
      previous: { ...statusBefore(doc, { status, statusCategory }), claim: claims.current },
    },
  }
}

const asExpiry = (call: Call): Call => asService(call, 'expireClaims')

/** Expires a lapsed claim on first access, as the service's own action. */
export const expireClaim = (call: Call, task: StoredTask): Promise<StoredTask> => {
  const { before, after, event } = expiryOf(call, task, lapsed(task.claims))
  return writeTask(asExpiry(call), before, after, event)
}

/** Expires lapsed claims as the service's own action. */
export const expireLapsed = (call: Call, tasks: readonly StoredTask[]): Promise<void> =>
  expireClaims(asExpiry(call), tasks)

/** Ends the claims of many tasks as if they had lapsed, as an action of the caller. */
export const expireClaims = (call: Call, tasks: readonly StoredTask[]): Promise<void> =>
  writeTasks(
    call,
    tasks.map((task) => expiryOf(call, task, lapsed(task.claims))),
  )

/**
 * Ends the claims of tasks whose deleted project is restored, as the service's own action. Their holders cannot submit
 * results late.
 */
export const endClaimsOfRestored = (call: Call, tasks: readonly StoredTask[]): Promise<void> =>
  writeTasks(
    asExpiry(call),
    tasks.map((task) => expiryOf(call, task, { ...noClaims, number: task.claims.number })),
  )
