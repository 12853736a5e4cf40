import type { Call } from '../../../operations/call.js'
import { defaultChecksOf } from '../../../tenancy/projects/service.js'
import { isClosed } from '../queue/ready.js'
import type { StoredTask } from '../stored-task.js'
import { bringsDecisionsBack } from './rights.js'
import { refuseUnchecked, reopenedBy, reopenedChecks, type WorkRecord, withoutPassed, withWorker } from './rules.js'

const isReopened = (before: StoredTask | null, after: StoredTask): boolean =>
  before !== null && isClosed(before.doc.statusCategory) && !isClosed(after.doc.statusCategory)

const isClaimed = (before: StoredTask | null, after: StoredTask): boolean =>
  before !== null && after.claims.number > before.claims.number

const workAfter = ({ actor }: Call, before: StoredTask | null, after: StoredTask): WorkRecord => {
  const { statusCategory } = after.doc
  const isAtWork = statusCategory === 'in_progress' || statusCategory === 'in_review'
  const isBegun = isAtWork && before?.doc.statusCategory !== statusCategory
  const isTaken = isClaimed(before, after)
  const open = isReopened(before, after) ? reopenedBy(after.work, actor) : after.work
  const worked = isBegun || isTaken ? withWorker(open, actor) : open
  return isTaken && !worked.wasClaimed ? { ...worked, wasClaimed: true } : worked
}

/**
 * A task that is about to be written. One that is reopened gets the checks of its project: it may have been created closed,
 * without them. An undo reopens it as it was.
 */
export const withDefaultChecks = async (
  call: Call,
  before: StoredTask | null,
  wanted: StoredTask,
): Promise<StoredTask> => {
  if (!isReopened(before, wanted) || call.undoes !== undefined) return wanted
  const { doc, work } = wanted
  const defaults = await defaultChecksOf(call, doc.projectId)
  const { checks, lastCheck } = reopenedChecks(doc.id, doc.checks, defaults, work.lastCheck)
  return checks === doc.checks
    ? wanted
    : { ...wanted, doc: { ...doc, checks: [...checks] }, work: { ...work, lastCheck } }
}

/** Whether what was checked is no longer what there is. */
const isNewWork = (before: StoredTask | null, after: StoredTask): boolean =>
  before !== null &&
  (isClaimed(before, after) ||
    isReopened(before, after) ||
    before.doc.title !== after.doc.title ||
    before.doc.description !== after.doc.description)

/**
 * Returns the task to write, with its checks after the change. Throws if the task would be done while a check is
 * neither passed nor waived. An admin's undo restores earlier decisions, so it skips these rules.
 */
export const settleChecks = (call: Call, before: StoredTask | null, wanted: StoredTask): StoredTask => {
  const after = { ...wanted, work: workAfter(call, before, wanted) }
  const { doc } = after
  if (bringsDecisionsBack(call) || doc.checks.length === 0) return after
  const hasPassed = doc.checks.some(({ state }) => state === 'passed')
  const checks = hasPassed && isNewWork(before, after) ? withoutPassed(doc.checks) : doc.checks
  if (doc.statusCategory === 'done' && before?.doc.statusCategory !== 'done') refuseUnchecked(doc.id, checks)
  return checks === doc.checks ? after : { ...after, doc: { ...doc, checks } }
}
