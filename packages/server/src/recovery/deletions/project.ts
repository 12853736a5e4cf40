import { AppError } from '../../base/errors.js'
import { checkPreconditions, type Preconditions } from '../../base/versions.js'
import { deferDeletion } from '../../changelog/deletions/service.js'
import { keepWithDeletion } from '../../changelog/versions/keep.js'
import { recordName } from '../../changelog/versions/version.js'
import { type Call, changing } from '../../operations/call.js'
import type { Project } from '../../tenancy/projects/schema.js'
import {
  hideProject,
  type ProjectContents,
  projectToDelete,
  recordDeletion,
  removeProject,
} from '../../tenancy/projects/service.js'
import { projectKnowledge } from '../../work/knowledge/service.js'
import { projectComments } from '../../work/tasks/comments/service.js'
import { projectQuestions } from '../../work/tasks/questions/service.js'
import { projectTasks } from '../../work/tasks/service.js'

/** What is deleted with a project, in this order. */
const contents: readonly ProjectContents[] = [projectComments, projectQuestions, projectTasks, projectKnowledge]

/** Records that go in one transaction; a long text counts as several. */
const recordsPerStep = 25
const charactersPerRecord = 20_000

/** Takes a part of what belongs to a project away, into the history; answers whether nothing is left. */
const deleteContents = async (call: Call, project: Project): Promise<boolean> => {
  let left = recordsPerStep
  for (const content of contents) {
    for (;;) {
      if (left <= 0) return false
      const taken = await content.deleteSome(call, project, left)
      if (taken.length === 0) break
      await keepWithDeletion(call.db, call.actor.tenantId, recordName.project(project.id), taken)
      for (const { before } of taken) left -= 1 + Math.floor(before!.length / charactersPerRecord)
    }
  }
  return true
}

const notEmpty = ({ key }: Project): AppError =>
  new AppError('CONFLICT', `Project ${key} still has tasks or knowledge. Delete them first, or delete it by force.`, {
    see: 'force',
  })

/**
 * Deletes a project; with `isForced` also what belongs to it. The project is gone at once; what is too much for one
 * transaction follows in steps.
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
    if (!isForced) for (const content of contents) if (await content.hasAny(call, project)) throw notEmpty(project)
    await recordDeletion(call, project)
    if (await deleteContents(call, project)) await removeProject(call, project)
    else {
      await hideProject(call, project)
      await deferDeletion(call, 'project', project.id, project)
    }
    return project
  })

/** Goes on with the deletion of a project; answers whether it is complete. */
export const deleteProjectStep = async (call: Call, project: Project): Promise<boolean> => {
  if (!(await deleteContents(call, project))) return false
  await removeProject(call, project)
  return true
}
