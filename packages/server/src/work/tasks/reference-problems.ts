import type { ErrorDetail } from '../../base/errors.js'
import type { Call } from '../../operations/call.js'
import { unknownProjectDetail } from '../../tenancy/projects/service.js'
import { unknownUserDetail } from '../../tenancy/users/service.js'
import { newLinksOf, unknownTaskDetails } from './references.js'
import type { NewTask } from './schema.js'
import { unknownStatusDetail } from './statuses/service.js'
import type { StoredTask } from './stored-task.js'

/** The fields of a request that refer to projects, users, statuses or tasks. */
type References = Partial<Pick<NewTask, 'projectId' | 'assigneeId' | 'status' | 'parentId' | 'blockedBy'>>

/** Returns a problem for each dangling reference of a request. `task` is the task that it changes, if it is not new. */
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
