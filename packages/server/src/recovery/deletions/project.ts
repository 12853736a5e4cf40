import { AppError } from '../../base/errors.js'
import { checkPreconditions, type Preconditions } from '../../base/versions.js'
import { deferDeletion } from '../../changelog/deletions/service.js'
import { type Call, changing } from '../../operations/call.js'
import type { Project } from '../../tenancy/projects/schema.js'
import { hideProject, projectToDelete } from '../../tenancy/projects/service.js'
import { queueChecksOfProject } from '../../work/knowledge/relied/stale-checks.js'
import { projectKnowledge } from '../../work/knowledge/service.js'
import { noteClaimsEnded, severLinks } from '../../work/tasks/restore/severed.js'
import { projectTasks } from '../../work/tasks/service.js'

/** Progress of severing a deleted project's links to other projects. */
export interface Severing {
  projectId: string
  after: string | null
}

const notEmpty = ({ key }: Project): AppError =>
  new AppError('not_empty', `Project ${key} still has tasks or knowledge. Delete them first, or delete it by force.`)

/**
 * Deletes a project; `isForced` allows it to have contents. The contents stay in their tables, hidden with the project.
 * Only dependent tasks and items of other projects are changed, in several steps if there are many.
 */
export const deleteProject = (
  call: Call,
  ref: string,
  isForced: boolean,
  preconditions: Preconditions,
): Promise<Project> =>
  changing(call, async (call) => {
    const project = await projectToDelete(call, ref)
    checkPreconditions(preconditions, project.version)
    if (!isForced) {
      for (const content of [projectTasks, projectKnowledge]) {
        if (await content.hasAny(call, project)) throw notEmpty(project)
      }
    }
    await hideProject(call, project)
    await noteClaimsEnded(call, project.id)
    await queueChecksOfProject(call, project.id, true)
    const next = await severStep(call, { projectId: project.id, after: null })
    if (next) await deferDeletion(call, 'project', project.id, next)
    return project
  })

/** Severs some links of a deleted project to other projects. Returns undefined after the last. */
export const severStep = async (call: Call, { projectId, after }: Severing): Promise<Severing | undefined> => {
  // Quotas do not apply to the consequences of a deletion.
  const next = await severLinks({ ...call, plan: undefined, work: undefined }, projectId, after)
  return next && { projectId, ...next }
}
