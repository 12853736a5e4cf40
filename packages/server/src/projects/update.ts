import { type Call, changing } from '../call.js'
import { requeueAttempted } from '../tasks/queue.js'
import type { Preconditions } from '../versions.js'
import type { Project, ProjectPatch } from './schema.js'
import { changeProject, getProject } from './service.js'

/** Changes a project; where its tasks may be tried more or less often, also which of them are ready. */
export const updateProject = (
  call: Call,
  ref: string,
  patch: ProjectPatch,
  preconditions: Preconditions,
): Promise<Project> =>
  changing(call, async (call) => {
    const { maxAttempts } = await getProject(call, ref)
    const project = await changeProject(call, ref, patch, preconditions)
    await requeueAttempted(call, project.id, maxAttempts, project.maxAttempts)
    return project
  })
