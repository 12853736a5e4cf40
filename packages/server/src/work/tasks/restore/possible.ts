import { isRefusal } from '../../../base/errors.js'
import type { SkippedLink } from '../../../changelog/versions/schema.js'
import type { Call } from '../../../operations/call.js'
import { isOverBudget } from '../../../scheduling/work-budget.js'
import { findUser } from '../../../tenancy/users/service.js'
import { isClosed } from '../queue/ready.js'
import { findByExternalId, findReferenced } from '../reference-store.js'
import { checkParent, countDependents, maxDependents } from '../references.js'
import type { TaskVersion } from '../schema.js'
import { refuseCycle } from '../structure/cycle.js'

/** What kept a link from being made again. */
const skipReason = (error: unknown): SkippedLink['reason'] => {
  if (!isRefusal(error) || isOverBudget(error)) throw error
  if (error.reason === 'cycle') return 'cycle'
  return error.reason === 'depth' ? 'too many' : 'not found'
}

/** The user that a task was assigned to, if they are still there. */
export const livingAssignee = async (
  call: Call,
  taskId: string,
  assignee: TaskVersion['assignee'],
  skipped: SkippedLink[],
): Promise<TaskVersion['assignee']> => {
  if (!assignee) return null
  const user = await findUser(call, assignee.id)
  if (user) return { id: user.id, name: user.name }
  skipped.push({ task: taskId, field: 'assignee', value: assignee.id, reason: 'not found' })
  return null
}

/** The external id of a task, unless another has it now. */
export const freeExternalId = async (
  call: Call,
  { id, projectId, externalId }: Pick<TaskVersion, 'id' | 'projectId' | 'externalId'>,
  skipped: SkippedLink[],
): Promise<string | null> => {
  if (externalId === null) return null
  const taken = await findByExternalId(call.db, call.actor.tenantId, projectId, externalId)
  if (taken === undefined || taken === id) return externalId
  skipped.push({ task: id, field: 'externalId', value: externalId, reason: 'in use' })
  return null
}

/** The blockers of a task that it can have: they are there, block few enough others and do not wait for it. */
export const possibleBlockers = async (
  call: Call,
  { id: taskId, statusCategory }: Pick<TaskVersion, 'id' | 'statusCategory'>,
  wanted: readonly string[],
  skipped: SkippedLink[],
  parentId: string | null = null,
): Promise<string[]> => {
  const { db, actor } = call
  const found = new Set((await findReferenced(db, actor.tenantId, wanted)).map(({ id }) => id))
  const dependents = await countDependents(call, wanted)
  const refuse = (blockerIds: readonly string[]) =>
    refuseCycle(call, { taskId, isOpen: !isClosed(statusCategory), blockerIds, parentId })
  const skip = (value: string, reason: SkippedLink['reason']): void =>
    void skipped.push({ task: taskId, field: 'blockedBy', value, reason })
  const candidates: string[] = []
  for (const value of wanted) {
    if (!found.has(value)) skip(value, 'not found')
    else if (dependents.get(value)! >= maxDependents) skip(value, 'too many')
    else candidates.push(value)
  }
  const refusal = await refuse(candidates).catch((error) => skipReason(error))
  if (!refusal) return candidates
  const possible: string[] = []
  for (const value of candidates) {
    const reason = await refuse([value]).catch((error) => skipReason(error))
    if (reason) skip(value, reason)
    else possible.push(value)
  }
  return possible
}

/** The parent of a task, if it can be that still. */
export const possibleParent = async (
  call: Call,
  { id, projectId, parentId, statusCategory }: Pick<TaskVersion, 'id' | 'projectId' | 'parentId' | 'statusCategory'>,
  skipped: SkippedLink[],
): Promise<string | null> => {
  if (parentId === null) return null
  try {
    await checkParent(call, { taskId: id, projectId, parentId })
    await refuseCycle(call, { taskId: id, isOpen: !isClosed(statusCategory), blockerIds: [], parentId })
    return parentId
  } catch (error) {
    skipped.push({ task: id, field: 'parentId', value: parentId, reason: skipReason(error) })
    return null
  }
}
