import { AppError, type ErrorDetail, invalid } from '../../base/errors.js'
import { mayUseProject } from '../../operations/actor.js'
import type { Call } from '../../operations/call.js'
import type { Category } from '../../tenancy/projects/statuses.js'
import { isClosed } from './queue/ready.js'
import { findByExternalId, findReferenced, type ReferencedTask } from './reference-store.js'
import type { StoredTask } from './stored-task.js'
import { refuseBelowItself, selfCycle } from './structure/cycle.js'
import * as links from './structure/link-store.js'

export const maxDependents = 1_000
const maxLevels = 8
const maxSubtree = 1_000

const unknown = (path: string, id: string): ErrorDetail => ({ path, message: `task "${id}" not found` })

export const isTaskId = (id: string): boolean => /^[A-Z][A-Z0-9]{1,9}-[1-9]\d{0,14}$/.test(id)

/** Tasks by their ids; those that are not there are passed over. */
export const findReferences = async (call: Call, ids: readonly string[]): Promise<Map<string, ReferencedTask>> => {
  const found = await findReferenced(call.db, call.actor.tenantId, ids.filter(isTaskId))
  return new Map(found.map((task) => [task.id, task]))
}

/** What to say of references to tasks that do not exist or may not be used. */
export const unknownTaskDetails = async (
  call: Call,
  references: readonly { path: string; id: string }[],
): Promise<ErrorDetail[]> => {
  if (references.length === 0) return []
  const found = await findReferences(
    call,
    references.map(({ id }) => id),
  )
  const isUsable = (id: string): boolean => {
    const task = found.get(id)
    return task !== undefined && mayUseProject(call.actor, task.projectId)
  }
  return references.filter(({ id }) => !isUsable(id)).map(({ path, id }) => unknown(path, id))
}

/** How many tasks each of these blocks, counted no further than they may. */
export const countDependents = async (call: Call, blockerIds: readonly string[]): Promise<Map<string, number>> => {
  const counts = await links.countDependents(call.db, call.actor.tenantId, blockerIds, maxDependents)
  for (const count of counts.values()) call.work?.spend('entry', count)
  return counts
}

/**
 * Checks the blockers that a task gets: they exist, in projects that the actor may use, and block no more tasks than
 * one may. Those that it has already may stay, whatever the actor's projects. Answers how many of all are open.
 */
export const checkBlockers = async (
  call: Call,
  taskId: string,
  wanted: readonly string[],
  present: readonly string[],
): Promise<number> => {
  if (wanted.length === 0) return 0
  call.work?.spend('blocker', wanted.filter((id) => !present.includes(id)).length)
  const found = await findReferences(call, wanted)
  const problems: ErrorDetail[] = []
  for (const [at, id] of wanted.entries()) {
    const task = found.get(id)
    const path = `blockedBy.${at}`
    if (!task || (!present.includes(id) && !mayUseProject(call.actor, task.projectId))) {
      problems.push(unknown(path, id))
    }
  }
  if (problems.length > 0) throw invalid(...problems)
  const own = wanted.indexOf(taskId)
  if (own >= 0) throw selfCycle(taskId, `blockedBy.${own}`, 'must not contain the task itself')
  const added = wanted.filter((id) => !present.includes(id))
  for (const [id, dependents] of await countDependents(call, added)) {
    if (dependents >= maxDependents) {
      throw new AppError(
        'CONFLICT',
        `${id} already blocks ${maxDependents} tasks, the maximum. Block a common parent instead.`,
        {
          reason: 'depth',
        },
      )
    }
  }
  let open = 0
  for (const { status } of found.values()) if (!isClosed(status as Category)) open++
  return open
}

const depth = (message: string): AppError => new AppError('CONFLICT', message, { reason: 'depth' })

/** Checks the parent that a task gets, and how deep and large its tree becomes. Answers how many ancestors are blocked. */
export const checkParent = async (
  call: Call,
  { taskId, projectId, parentId }: { taskId: string; projectId: string; parentId: string },
): Promise<number> => {
  const { db, actor } = call
  if (parentId === taskId) throw selfCycle(taskId, 'parentId', 'must not be the task itself')
  const parent = (await findReferences(call, [parentId])).get(parentId)
  if (!parent || parent.projectId !== projectId) {
    throw invalid({ path: 'parentId', message: `task "${parentId}" not found in this project` })
  }
  const ancestors = [parentId, ...(await links.findAncestors(db, actor.tenantId, parentId))]
  await refuseBelowItself(call, taskId, ancestors)
  const below = await links.findSubtreeLevels(db, actor.tenantId, taskId, maxSubtree + 1)
  const levels = ancestors.length + Math.max(1, ...below.map(({ level }) => level))
  if (levels > maxLevels) throw depth(`Subtasks can be nested at most ${maxLevels} levels deep, not ${levels}.`)
  const root = ancestors.at(-1)!
  const inTree = await links.countSubtree(db, actor.tenantId, root, maxSubtree + 1)
  call.work?.spend('look', below.length + inTree)
  const isNew = below.length === 0
  const isInTree = !isNew && (await links.findAncestors(db, actor.tenantId, taskId)).at(-1) === root
  const joining = isNew ? 1 : isInTree ? 0 : below.length
  if (inTree + joining > maxSubtree) {
    throw depth(`${root} would have more than ${maxSubtree} tasks below it. Split it into several tasks.`)
  }
  let blocked = 0
  for (const task of (await findReferences(call, ancestors)).values()) if (task.openBlockers > 0) blocked++
  return blocked
}

export const refuseTakenExternalId = async (
  call: Call,
  before: StoredTask | null,
  { doc }: StoredTask,
): Promise<void> => {
  const { externalId, projectId, id } = doc
  if (externalId === null || before?.doc.externalId === externalId) return
  const existing = await findByExternalId(call.db, call.actor.tenantId, projectId, externalId)
  if (existing === undefined || existing === id) return
  throw new AppError('CONFLICT', `${existing} already has the externalId "${externalId}". Update that task instead.`, {
    existing,
  })
}
