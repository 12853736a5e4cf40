import type { ErrorDetail } from '../../base/errors.js'
import type { Call } from '../../operations/call.js'
import { unknownProjectDetail } from '../../tenancy/projects/service.js'
import { isCategory } from '../../tenancy/projects/statuses.js'
import { unknownUserDetail } from '../../tenancy/users/service.js'
import { maxBlockers } from './fields.js'
import { readFields } from './read-fields.js'
import { isTaskId, unknownTaskDetails } from './references.js'
import type { NewTask, TaskPatch } from './schema.js'
import { unknownStatusDetail } from './statuses/service.js'
import { findTask } from './store.js'

const isText = (value: unknown): value is string => typeof value === 'string'

/** The object that an input should be. */
const asFields = (input: unknown): TaskPatch => (typeof input === 'object' && input !== null ? input : {})

/** The references whose values have the right type, of an input that may be anything. */
const referencesIn = (input: unknown): References => {
  const { projectId, assigneeId, parentId, blockedBy, status } = asFields(input) as Record<string, unknown>
  return {
    ...(isText(projectId) && { projectId }),
    ...(isText(assigneeId) && { assigneeId }),
    ...(isText(parentId) && { parentId }),
    ...(isText(status) && { status }),
    ...(Array.isArray(blockedBy) && blockedBy.every(isText) && { blockedBy: blockedBy.slice(0, maxBlockers) }),
  }
}

type Links = Partial<Pick<NewTask, 'parentId' | 'blockedBy'>>
type References = Links & Partial<Pick<NewTask, 'projectId' | 'assigneeId' | 'status'>>

/** The links of a task to others, with where they stand in the input. */
const linksIn = ({ parentId, blockedBy }: Links): { path: string; id: string }[] => [
  ...(blockedBy ?? []).map((id, at) => ({ path: `blockedBy.${at}`, id })),
  ...(typeof parentId === 'string' ? [{ path: 'parentId', id: parentId }] : []),
]

/** The links of a patch that lead to no task. Those that the task has already may stay. */
export const newLinkProblems = async (call: Call, taskId: string, patch: Links): Promise<ErrorDetail[]> => {
  const links = linksIn(patch)
  if (links.length === 0 || !isTaskId(taskId)) return []
  const task = await findTask(call.db, call.actor.tenantId, taskId)
  const present = [...(task?.doc.blockedBy ?? []), task?.doc.parentId]
  return unknownTaskDetails(
    call,
    links.filter(({ id }) => !present.includes(id)),
  )
}

/** What is wrong with the status of a patch. */
export const newStatusProblems = async (
  call: Call,
  taskId: string,
  status: string | undefined,
): Promise<ErrorDetail[]> => {
  if (status === undefined || isCategory(status)) return []
  const task = isTaskId(taskId) ? await findTask(call.db, call.actor.tenantId, taskId) : undefined
  const problem = await unknownStatusDetail(call, task?.doc.projectId, status)
  return problem ? [problem] : []
}

/** The references of a task that lead to no record, its status in its project included. */
export const referenceProblems = async (
  call: Call,
  { projectId, assigneeId, status, ...links }: References,
): Promise<ErrorDetail[]> => {
  const found = [
    ...(await unknownTaskDetails(call, linksIn(links))),
    projectId === undefined ? undefined : await unknownProjectDetail(call, projectId, 'projectId'),
    typeof assigneeId === 'string' ? await unknownUserDetail(call, assigneeId, 'assigneeId') : undefined,
    status === undefined ? undefined : await unknownStatusDetail(call, projectId, status),
  ]
  return found.filter((detail) => detail !== undefined)
}

export const inspectNewTask = async (call: Call, input: unknown): Promise<ErrorDetail[]> => {
  const { task } = input as { task?: unknown }
  const [, problems] = readFields(asFields(task))
  return [...problems, ...(await referenceProblems(call, referencesIn(task)))]
}

export const inspectPatch = async (call: Call, input: unknown): Promise<ErrorDetail[]> => {
  const { taskId, patch } = input as { taskId: string; patch?: unknown }
  const [, problems] = readFields(asFields(patch))
  const { projectId, assigneeId, status, ...links } = referencesIn(patch)
  const references = assigneeId === undefined ? {} : { assigneeId }
  return [
    ...problems,
    ...(await referenceProblems(call, references)),
    ...(await newLinkProblems(call, taskId, links)),
    ...(await newStatusProblems(call, taskId, status)),
  ]
}
