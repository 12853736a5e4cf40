import { holdsScope } from '../../../operations/actor.js'
import type { Call } from '../../../operations/call.js'
import { isHuman } from '../../../tenancy/users/service.js'
import type { StoredTask } from '../stored-task.js'
import { checksMissingFrom, hasWorked, notVerifier, type WorkRecord, workerOf } from './rules.js'
import type { Check } from './schema.js'

const mayWaive = async (call: Call): Promise<boolean> => holdsScope(call.actor, 'admin') || isHuman(call)

const isNewOf = ({ actor }: Call, { doc, work }: StoredTask): boolean =>
  !work.wasClaimed && doc.attempts === 0 && doc.createdBy.keyId === actor.keyId

/** Refuses to remove a check, or to change what it says, to whoever could not waive it. */
export const requireRightToReplace = async (call: Call, task: StoredTask, checks: readonly Check[]): Promise<void> => {
  const lost = checksMissingFrom(checks, task.doc.checks)
  if (lost.length === 0) return
  const { humanChecks = [] } = task.work
  if (isNewOf(call, task) && !lost.some(({ id }) => humanChecks.includes(id))) return
  if (await mayWaive(call)) return
  throw notVerifier(
    `Only a human or an admin key can remove or change a check of ${task.doc.id}, or, until its first claim, the key that created it, unless a human added the check. Name every check with its id to keep it.`,
  )
}

/** Whether the call is an undo that restores decisions on checks. Without the scope `admin`, an undo does not. */
export const bringsDecisionsBack = ({ undoes, actor }: Call): boolean =>
  undoes !== undefined && holdsScope(actor, 'admin')

/** The record of a task whose checks are replaced, with those that a human other than its creator adds or changes. */
export const withHumanChecks = async (
  call: Call,
  { doc, work }: StoredTask,
  checks: readonly Check[],
): Promise<WorkRecord> => {
  const { keyId, userId } = workerOf(call.actor)
  const isCreator = doc.createdBy.keyId === keyId || (userId !== null && doc.createdBy.userId === userId)
  const added = checksMissingFrom(doc.checks, checks).map(({ id }) => id)
  if (added.length === 0 || work.wasClaimed || isCreator || !(await isHuman(call))) return work
  return { ...work, humanChecks: [...new Set([...(work.humanChecks ?? []), ...added])] }
}

export const requireVerifier = async (
  call: Call,
  task: StoredTask,
  { id, verifier }: Check,
  state: Check['state'],
): Promise<void> => {
  const named = `${id} of ${task.doc.id}`
  if (state === 'waived') {
    if (!(await mayWaive(call))) throw notVerifier(`Only a human or an admin key can waive ${named}.`)
    return
  }
  if (verifier === 'human' && !(await isHuman(call))) throw notVerifier(`Only a human can decide ${named}.`, true)
  if (verifier === 'other' && hasWorked(task, call.actor)) {
    throw notVerifier(`${named} is for someone else to decide: this key or its user has worked on the task.`, true)
  }
}
