import { holdsScope } from '../../../operations/actor.js'
import type { Call } from '../../../operations/call.js'
import { isHuman } from '../../../tenancy/users/human.js'
import type { StoredTask } from '../store.js'
import { hasWorked, isAnyLost, notVerifier } from './rules.js'
import type { Check } from './schema.js'

const mayWaive = async (call: Call): Promise<boolean> => holdsScope(call.actor, 'admin') || isHuman(call)

const isNewOf = ({ actor }: Call, { doc, work }: StoredTask): boolean =>
  !work.wasClaimed && doc.attempts === 0 && doc.createdBy.keyId === actor.keyId

/** Refuses to remove a check, or to change what it says, to whoever could not waive it. */
export const requireRightToReplace = async (call: Call, task: StoredTask, checks: readonly Check[]): Promise<void> => {
  if (!isAnyLost(task.doc.checks, checks) || isNewOf(call, task) || (await mayWaive(call))) return
  throw notVerifier(
    `Only a human or an admin key can remove or change a check of ${task.doc.id}, or, until its first claim, the key that created it. Name every check with its id to keep it.`,
  )
}

const inReview = 'Set the task to in_review and go on with another one.'

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
  if (verifier === 'human' && !(await isHuman(call))) throw notVerifier(`Only a human can decide ${named}. ${inReview}`)
  if (verifier === 'other' && hasWorked(task, call.actor)) {
    throw notVerifier(
      `${named} is for someone else to decide: this key or its user has worked on the task. ${inReview}`,
    )
  }
}
