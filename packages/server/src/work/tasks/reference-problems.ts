import type { ErrorDetail } from '../../base/errors.js'
import type { Call } from '../../operations/call.js'
import { unknownProjectDetail } from '../../tenancy/projects/service.js'
import { unknownUserDetail } from '../../tenancy/users/service.js'
import { newLinksOf, unknownTaskDetails } from './references.js'
import type { NewTask } from './schema.js'
import { unknownStatusDetail } from './statuses/service.js'
import type { StoredTask } from './stored-task.js'

/** The fields of a request that refer to something else. */
type References = Partial<Pick<NewTask, 'projectId' | 'assigneeId' | 'status' | 'parentId' | 'blockedBy'>>

/** Returns all references of a request that lead to nothing, for a new task or for the task that the request changes. */
export const referenceProblems = async (
  call: Call,
  { projectId, assigneeId, status, ...links }: References,
  task?: StoredTask,
): Promise<ErrorDetail[]> => {
  const found = [
    projectId === undefined ? undefined : await unknownProjectDetail(call, projectId, 'projectId'),
    typeof assigneeId === 'string' ? await unknownUserDetail(call, assigneeId, 'assigneeId') : undefined,
    status === undefined ? undefined : await unknownStatusDetail(call, task?.doc.projectId ?? projectId, status),
    ...(await unknownTaskDetails(call, newLinksOf(links, task?.doc))),
  ]
  return found.filter((detail) => detail !== undefined)
}
