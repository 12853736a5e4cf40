import { AppError } from '../../../base/errors.js'
import { mayUseProject } from '../../../operations/actor.js'
import type { Call } from '../../../operations/call.js'
import type { Category } from '../../../tenancy/projects/statuses.js'
import { isClosed } from '../queue/ready.js'
import { findReferenced } from '../reference-store.js'
import * as links from './link-store.js'

/** A change of links that is about to be made, on top of those that are stored. */
interface NewWaits {
  taskId: string
  /** Whether the task is being created. */
  isNew?: boolean
  /** Whether its parent waits for it. */
  isOpen: boolean
  /** Added blockers of the task. */
  blockerIds: readonly string[]
  /** The new parent, where there is one. */
  parentId: string | null
}

/** What errors call a task that is being created: if it is refused, another task gets its id. */
export const newTask = 'the new task'

/** A search for a cycle goes no further. */
const maxTasks = 2_000
const maxLinks = 6_000

/** What some tasks wait for, directly or not, themselves included. */
interface Waits {
  tasks(): Set<string>
  /** One way from one of some of these tasks to one of the targets, by what each waits for. */
  wayTo(targets: ReadonlySet<string>, fromIds: readonly string[]): string[] | undefined
}

interface Step {
  id: string
  isWaitedFor: boolean
  from: Step | undefined
}

const wayOf = (arrived: Step): string[] => {
  const way: string[] = []
  for (let step: Step | undefined = arrived; step; step = step.from) if (step.isWaitedFor) way.unshift(step.id)
  return way
}

const tooFar = (name: string): AppError =>
  new AppError(
    'depth',
    `${name} would depend on more than ${maxTasks.toLocaleString('en')} tasks or ${maxLinks.toLocaleString('en')} links. ` +
      'Split the plan, or let tasks wait for a few milestones instead of many tasks.',
  )

const findWaits = async (call: Call, name: string, fromIds: readonly string[]): Promise<Waits> => {
  const found = fromIds.length === 0 ? [] : await links.followLinks(call.db, call.actor.tenantId, fromIds, maxLinks + 1)
  call.work?.spend('link', found.length)
  const linksOf = new Map<string, links.FollowedLink[]>()
  for (const link of found) {
    const ofTask = linksOf.get(link.from)
    if (ofTask) ofTask.push(link)
    else linksOf.set(link.from, [link])
  }

  const walk = (starts: readonly string[], isTarget: (id: string) => boolean): { seen: Step[]; arrived?: Step } => {
    const seen: Step[] = starts.map((id) => ({ id, isWaitedFor: true, from: undefined }))
    const names = new Set(starts.map((id) => `${id} true`))
    for (const step of seen) {
      if (step.isWaitedFor && isTarget(step.id)) return { seen, arrived: step }
      for (const { kind, to } of linksOf.get(step.id) ?? []) {
        const isWaitedFor = kind !== 'parent'
        if ((kind === 'child' && !step.isWaitedFor) || names.has(`${to} ${isWaitedFor}`)) continue
        names.add(`${to} ${isWaitedFor}`)
        seen.push({ id: to, isWaitedFor, from: step })
      }
    }
    return { seen }
  }

  if (found.length > maxLinks || linksOf.size > maxTasks) throw tooFar(name)
  return {
    tasks: () => {
      const { seen } = walk(fromIds, () => false)
      return new Set(seen.filter(({ isWaitedFor }) => isWaitedFor).map(({ id }) => id))
    },
    wayTo: (targets, starts) => {
      const { arrived } = walk(starts, (id) => targets.has(id))
      return arrived && wayOf(arrived)
    },
  }
}

interface CycleTelling {
  /** The task that is being created. */
  newId?: string | undefined
  /** Explains a step of the cycle. */
  why?: (nameOf: (id: string) => string) => string
}

/** What errors call a task of a project that the caller may not use. */
const hiddenTask = 'a task that you cannot see'

/** Returns the error that names the tasks of a cycle, without tasks of projects that the caller may not use. */
const cycleError = async (
  { db, actor }: Call,
  ids: readonly string[],
  { newId, why }: CycleTelling = {},
): Promise<AppError> => {
  const found = await findReferenced(db, actor.tenantId, ids)
  const visible = new Set(found.filter(({ projectId }) => mayUseProject(actor, projectId)).map(({ id }) => id))
  const nameOf = (id: string): string => (id === newId ? newTask : visible.has(id) ? id : hiddenTask)
  return new AppError(
    'cycle',
    `This would create a dependency cycle: ${ids.map(nameOf).join(' → ')}. ${why?.(nameOf) ?? ''}Remove one of these links first.`,
    { cycle: [...new Set(ids)].filter((id) => id === newId || visible.has(id)) },
  )
}

/** A task that would wait for itself without another between. */
export const selfCycle = (taskId: string, path: string, message: string): AppError =>
  new AppError('cycle', `${taskId} cannot wait for itself: ${path} ${message}.`, {
    cycle: [taskId],
    details: [{ path, message }],
  })

/** A task that would be below itself: the parent that it gets has it among its own. */
export const refuseBelowItself = async (call: Call, taskId: string, ancestors: readonly string[]): Promise<void> => {
  const at = ancestors.indexOf(taskId)
  if (at >= 0) throw await cycleError(call, [...ancestors.slice(0, at + 1).reverse(), taskId])
}

/** The ancestors that wait for what is below them: the first, and those above open ones. */
const waitingAncestors = async ({ db, actor }: Call, ancestors: readonly string[]): Promise<string[]> => {
  const found = await findReferenced(db, actor.tenantId, ancestors)
  const closed = new Set(found.filter(({ status }) => isClosed(status as Category)).map(({ id }) => id))
  const end = ancestors.findIndex((id) => closed.has(id))
  return end < 0 ? [...ancestors] : ancestors.slice(0, end + 1)
}

/**
 * Refuses links by which a task would wait for itself. The stored links have no cycle, so one must go through a new
 * link: from the task or one below it to a new blocker or a blocker of a new ancestor, or from the parent to the task.
 */
export const refuseCycle = async (call: Call, waits: NewWaits): Promise<void> => {
  const { db, actor } = call
  const { taskId, isNew, isOpen, blockerIds, parentId } = waits
  const below = new Set([taskId, ...(await links.findSubtree(db, actor.tenantId, taskId, maxTasks))])
  call.work?.spend('look', below.size)
  const ancestors = parentId === null ? [] : [parentId, ...(await links.findAncestors(db, actor.tenantId, parentId))]
  const inherited = await links.linkedTo(db, actor.tenantId, 'blocker', ancestors)
  const waitedFor = [...new Set([...blockerIds, ...inherited.map(({ otherId }) => otherId)])]
  const isParentWaiting = parentId !== null && isOpen
  const name = isNew ? 'The new task' : taskId
  const found = await findWaits(call, name, isParentWaiting ? [taskId, ...waitedFor] : waitedFor)

  const way = found.wayTo(below, waitedFor)
  if (way) {
    const last = way.at(-1)!
    const blocked = blockerIds.includes(way[0]!) ? taskId : inherited.find(({ otherId }) => otherId === way[0])!.taskId
    if (blocked === last) throw await cycleError(call, [last, ...way])
    throw await cycleError(call, [last, blocked, ...way], {
      why: (nameOf) => `${nameOf(last)} is below ${nameOf(blocked)} and waits for what blocks it. `,
    })
  }
  if (!isParentWaiting) return
  const waiting = await waitingAncestors(call, ancestors)
  const wayUp = found.wayTo(new Set(waiting), [taskId, ...waitedFor])
  if (!wayUp) return
  const down = ancestors.slice(0, ancestors.indexOf(wayUp.at(-1)!) + 1).reverse()
  const ids = [...down, ...(wayUp[0] === taskId ? [] : [taskId]), ...wayUp]
  throw await cycleError(call, ids, { newId: isNew ? taskId : undefined })
}

/** The tasks that may not wait for this one: those that it waits for, and whatever they are below. */
export const findForbiddenDependents = async (call: Call, taskId: string): Promise<Set<string>> => {
  const waits = await findWaits(call, taskId, [taskId])
  const forbidden = waits.tasks().add(taskId)
  for (let frontier = [...forbidden]; frontier.length > 0; ) {
    const found = await links.linkedTo(call.db, call.actor.tenantId, 'parent', frontier)
    call.work?.spend('link', found.length)
    frontier = [...new Set(found.map(({ otherId }) => otherId))].filter((id) => !forbidden.has(id))
    for (const id of frontier) forbidden.add(id)
  }
  return forbidden
}
