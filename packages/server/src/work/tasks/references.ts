import { AppError, type ErrorDetail, invalid } from '../../base/errors.js'
import { mayUseProject } from '../../operations/actor.js'
import type { Call } from '../../operations/call.js'
import type { Category } from '../../tenancy/projects/statuses.js'
import { isClosed } from './queue/ready.js'
import { findByExternalId, findReferenced, type ReferencedTask } from './reference-store.js'
import type { Task } from './schema.js'
import type { StoredTask, TaskDoc } from './stored-task.js'
import { refuseBelowItself, selfCycle } from './structure/cycle.js'
import * as links from './structure/link-store.js'

export const maxDependents = 1_000
const maxLevels = 8
const maxSubtree = 1_000

const unknown = (path: string, id: string): ErrorDetail => ({ path, message: `task "${id}" not found`, record: 'task' })

export const isTaskId = (id: string): boolean => /^[A-Z][A-Z0-9]{1,9}-[1-9]\d{0,14}$/.test(id)

interface Link {
  /** The path of the link in the request. */
  path: string
  id: string
}

type Links = Partial<Pick<Task, 'parentId' | 'blockedBy'>>

/** Returns the requested links to tasks that a task does not have yet. */
export const newLinksOf = ({ parentId, blockedBy }: Links, present: Links = {}): Link[] => [
  ...(blockedBy ?? []).flatMap((id, at) => (present.blockedBy?.includes(id) ? [] : [{ path: `blockedBy.${at}`, id }])),
  ...(parentId && parentId !== present.parentId ? [{ path: 'parentId', id: parentId }] : []),
]

/** Finds the tasks with these IDs, keyed by ID. */
export const findReferences = async (call: Call, ids: readonly string[]): Promise<Map<string, ReferencedTask>> => {
  const found = await findReferenced(call.db, call.actor.tenantId, ids.filter(isTaskId))
  return new Map(found.map((task) => [task.id, task]))
}

/** Returns a problem for each link to a task that does not exist or that the actor may not use. */
export const unknownTaskDetails = async (call: Call, links: readonly Link[]): Promise<ErrorDetail[]> => {
  if (links.length === 0) return []
  const found = await findReferences(
    call,
    links.map(({ id }) => id),
  )
  const isUsable = (id: string): boolean => {
    const task = found.get(id)
    return task !== undefined && mayUseProject(call.actor, task.projectId)
  }
  return links.filter(({ id }) => !isUsable(id)).map(({ path, id }) => unknown(path, id))
}

/** How many tasks each of these blocks, counted no further than they may. */
export const countDependents = async (call: Call, blockerIds: readonly string[]): Promise<Map<string, number>> => {
  const counts = await links.countDependents(call.db, call.actor.tenantId, blockerIds, maxDependents)
  for (const count of counts.values()) call.work?.spend('entry', count)
  return counts
}

/**
 * Checks that the blockers that a task gets exist in projects that the actor may use, and that none of them blocks too
 * many tasks. Blockers that the task already has may be in any project. Returns how many of all its blockers are open.
 */
export const checkBlockers = async (call: Call, doc: TaskDoc, present: Links): Promise<number> => {
  const { id: taskId, blockedBy } = doc
  if (blockedBy.length === 0) return 0
  const added = blockedBy.filter((id) => !present.blockedBy?.includes(id))
  call.work?.spend('blocker', added.length)
  const found = await findReferences(call, blockedBy)
  const isUsable = (id: string): boolean => {
    const task = found.get(id)
    return task !== undefined && mayUseProject(call.actor, task.projectId)
  }
  if (!added.every(isUsable)) throw invalid(...(await unknownTaskDetails(call, newLinksOf(doc, present))))
  const own = blockedBy.indexOf(taskId)
  if (own >= 0) throw selfCycle(taskId, `blockedBy.${own}`, 'must not contain the task itself')
  for (const [id, dependents] of await countDependents(call, added)) {
    if (dependents >= maxDependents) {
      throw new AppError(
        'depth',
        `${id} already blocks ${maxDependents} tasks, the maximum. Block a common parent instead.`,
      )
    }
  }
  let open = 0
  for (const { status } of found.values()) if (!isClosed(status as Category)) open++
  return open
}

const depth = (message: string): AppError => new AppError('depth', message)

/** Checks the parent that a task gets, and how deep and large its tree becomes. Answers how many ancestors are blocked. */
export const checkParent = async (
  call: Call,
  { taskId, projectId, parentId }: { taskId: string; projectId: string; parentId: string },
): Promise<number> => {
  const { db, actor } = call
  if (parentId === taskId) throw selfCycle(taskId, 'parentId', 'must not be the task itself')
  const parent = (await findReferences(call, [parentId])).get(parentId)
  if (!parent || parent.projectId !== projectId) {
    throw invalid({ path: 'parentId', message: `task "${parentId}" not found in this project`, record: 'task' })
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
  throw new AppError('in_use', `${existing} already has the external id "${externalId}". Update that task instead.`, {
    existing,
  })
}
