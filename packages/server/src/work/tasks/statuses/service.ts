import { type ErrorDetail, invalid } from '../../../base/errors.js'
import { mayUseProject } from '../../../operations/actor.js'
import type { Call } from '../../../operations/call.js'
import { currentProject, statusesOf, usableStatuses } from '../../../tenancy/projects/service.js'
import {
  isCategory,
  type Statuses,
  statusNamed,
  type TaskStatus,
  unknownStatus,
} from '../../../tenancy/projects/statuses.js'
import { countByStatus } from './store.js'

/** How many tasks of a project have each status, by its name; those that none has are left out. */
export const countTasksByStatus = async (
  { db, actor }: Call,
  { id }: { id: string },
): Promise<ReadonlyMap<string, number>> => {
  const counts = await countByStatus(db, actor.tenantId, id)
  return new Map(counts.map(({ category, customStatus, count }) => [customStatus ?? category, count]))
}

/** The statuses of projects, read once for each of them. */
export const createStatuses = (call: Call): ((projectId: string) => Promise<Statuses>) => {
  const known = new Map<string, Promise<Statuses>>()
  return (projectId) => {
    const found = known.get(projectId) ?? statusesOf(call, projectId)
    known.set(projectId, found)
    return found
  }
}

/**
 * What to say of a status that a task is to have, if its project has no such status; where the project is not known or
 * not the actor's, if no project has it.
 */
export const unknownStatusDetail = async (
  call: Call,
  projectRef: string | undefined,
  name: string,
): Promise<ErrorDetail | undefined> => {
  if (isCategory(name)) return undefined
  const project = projectRef === undefined ? undefined : await currentProject(call, projectRef)
  const isUsable = project !== undefined && mayUseProject(call.actor, project.id)
  const statuses = isUsable ? project.statuses : await usableStatuses(call)
  return statusNamed(statuses, name) ? undefined : unknownStatus(statuses)
}

/** What an event tells of the status before; of its category too, unless both statuses are built in. */
export const statusBefore = (before: TaskStatus, after: TaskStatus): Partial<TaskStatus> => {
  if (before.status === after.status) return {}
  const areBuiltIn = isCategory(before.status) && isCategory(after.status)
  const { status, statusCategory } = before
  return areBuiltIn || statusCategory === after.statusCategory ? { status } : { status, statusCategory }
}

/** The status that a caller gives a task. */
export const requireStatus = (statuses: Statuses, name: string): TaskStatus => {
  const found = statusNamed(statuses, name)
  if (!found) throw invalid(unknownStatus(statuses))
  return found
}
