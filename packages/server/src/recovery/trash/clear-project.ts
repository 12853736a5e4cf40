import { keepWithDeletion } from '../../changelog/versions/keep.js'
import { recordName } from '../../changelog/versions/version.js'
import type { Call } from '../../operations/call.js'
import type { Project } from '../../tenancy/projects/schema.js'
import type { ProjectContents } from '../../tenancy/projects/service.js'
import { projectKnowledge } from '../../work/knowledge/service.js'
import { projectComments } from '../../work/tasks/comments/service.js'
import { projectQuestions } from '../../work/tasks/questions/service.js'
import { projectTasks } from '../../work/tasks/service.js'

/** In deletion order. */
const contents: readonly ProjectContents[] = [projectComments, projectQuestions, projectTasks, projectKnowledge]

/** Records deleted per step; a long text counts as several records. */
const recordsPerStep = 25
const charactersPerRecord = 20_000

/**
 * Deletes some records of a project that is being purged. Each becomes a deleted version in the history, which the
 * purge removes like any other. Returns whether no records are left.
 */
export const clearProject = async (call: Call, project: Project): Promise<boolean> => {
  let left = recordsPerStep
  for (const content of contents) {
    for (;;) {
      if (left <= 0) return false
      const deleted = await content.deleteSome(call, project, left)
      if (deleted.length === 0) break
      await keepWithDeletion(call.db, call.actor.tenantId, recordName.project(project.id), deleted)
      for (const { before } of deleted) left -= 1 + Math.floor(before!.length / charactersPerRecord)
    }
  }
  return true
}
