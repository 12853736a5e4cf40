import type { Sql } from '../db/port.js'
import { AppError } from '../errors.js'
import * as links from './link-store.js'

/** A change of links that is about to be made, on top of those that are stored. */
export interface NewWaits {
  taskId: string
  /** Added blockers of the task. */
  blockerIds: readonly string[]
  /** The new parent, where there is one. */
  parentId: string | null
}

interface Step {
  id: string
  isWaitedFor: boolean
  from: Step | undefined
}

/** One way from a task to one of the targets, by what each waits for. For the message: the search itself is one query. */
const findWay = async (
  db: Sql,
  tenantId: string,
  fromIds: readonly string[],
  targets: ReadonlySet<string>,
): Promise<string[]> => {
  const seen = new Set<string>()
  let frontier: Step[] = fromIds.map((id) => ({ id, isWaitedFor: true, from: undefined }))
  while (frontier.length > 0 && seen.size < links.maxReach) {
    const arrived = frontier.find(({ id, isWaitedFor }) => isWaitedFor && targets.has(id))
    if (arrived) {
      const way: string[] = []
      for (let step: Step | undefined = arrived; step; step = step.from) if (step.isWaitedFor) way.unshift(step.id)
      return way
    }
    const byId = new Map(frontier.map((step) => [step.id, step]))
    const next: Step[] = []
    for (const kind of ['blocker', 'child', 'parent'] as const) {
      const from = frontier.filter(({ isWaitedFor }) => isWaitedFor || kind !== 'child').map(({ id }) => id)
      for (const { taskId, otherId } of await links.linkedTo(db, tenantId, kind, from)) {
        const isWaitedFor = kind !== 'parent'
        const name = `${otherId} ${isWaitedFor}`
        if (seen.has(name)) continue
        seen.add(name)
        next.push({ id: otherId, isWaitedFor, from: byId.get(taskId) })
      }
    }
    frontier = next
  }
  return []
}

const cycleError = (ids: readonly string[]): AppError =>
  new AppError(
    'CONFLICT',
    `This would create a dependency cycle: ${ids.join(' → ')}. Remove one of these links first.`,
    {
      reason: 'cycle',
      cycle: [...new Set(ids)],
    },
  )

/** A task that would wait for itself without another between. */
export const selfCycle = (taskId: string, path: string, message: string): AppError =>
  new AppError('CONFLICT', `${taskId} cannot wait for itself: ${path} ${message}.`, {
    reason: 'cycle',
    cycle: [taskId],
    details: [{ path, message }],
  })

const tooFar = (taskId: string): AppError =>
  new AppError('CONFLICT', `${taskId} would depend on more than ${links.maxReach} tasks. Split the plan.`, {
    reason: 'depth',
  })

/**
 * Refuses links by which a task would wait for itself. The stored links have no cycle, so one must go through a new
 * link: from the task or one below it to a new blocker or a blocker of a new ancestor, or from the parent to the task.
 */
export const refuseCycle = async (db: Sql, tenantId: string, waits: NewWaits): Promise<void> => {
  const { taskId, blockerIds, parentId } = waits
  const below = new Set([taskId, ...(await links.findSubtree(db, tenantId, taskId, links.maxReach))])
  const ancestors = parentId === null ? [] : [parentId, ...(await links.findAncestors(db, tenantId, parentId))]
  const inherited = (await links.linkedTo(db, tenantId, 'blocker', ancestors)).map(({ otherId }) => otherId)
  const waitedFor = [...new Set([...blockerIds, ...inherited])]

  const search = async (fromIds: readonly string[], targets: ReadonlySet<string>): Promise<string[] | undefined> => {
    if (fromIds.length === 0) return undefined
    const reach = await links.findReach(db, tenantId, fromIds)
    if (reach.size >= links.maxReach) throw tooFar(taskId)
    for (const target of targets) if (reach.has(target)) return findWay(db, tenantId, fromIds, targets)
    return undefined
  }

  const way = await search(waitedFor, below)
  if (way) throw cycleError([way.at(-1)!, ...way])
  if (parentId === null) return
  if (below.has(parentId)) throw cycleError([taskId, parentId, taskId])
  const wayToParent = await search([taskId, ...waitedFor], new Set(ancestors))
  if (wayToParent) throw cycleError([wayToParent.at(-1)!, ...wayToParent])
}

/** The tasks that may not wait for this one: those that it waits for, and whatever they are below. */
export const findForbiddenDependents = async (db: Sql, tenantId: string, taskId: string): Promise<Set<string>> => {
  const reach = await links.findReach(db, tenantId, [taskId])
  if (reach.size >= links.maxReach) throw tooFar(taskId)
  const forbidden = new Set([taskId, ...reach])
  for (let frontier = [...forbidden]; frontier.length > 0; ) {
    const parents = (await links.linkedTo(db, tenantId, 'parent', frontier)).map(({ otherId }) => otherId)
    frontier = [...new Set(parents)].filter((id) => !forbidden.has(id))
    for (const id of frontier) forbidden.add(id)
  }
  return forbidden
}
