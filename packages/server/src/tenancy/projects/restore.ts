import { isoTime } from '../../base/clock.js'
import { AppError } from '../../base/errors.js'
import { record } from '../../changelog/record.js'
import { recordName } from '../../changelog/versions/version.js'
import type { Call } from '../../operations/call.js'
import { forgetDeletedPrivate } from './members/store.js'
import type { Project } from './schema.js'
import { currentProject, type ProjectRest, takenKey } from './service.js'
import * as store from './store.js'

/** Puts a deleted project back, as its next version, for what belongs to it to follow: nobody finds it yet. */
export const beginRestore = async (call: Call, deleted: Project, rest: ProjectRest): Promise<Project> => {
  const { db, actor, clock } = call
  const nowMs = clock()
  const retired = await store.findRetiredProject(db, actor.tenantId, deleted.key)
  const project: Project = {
    ...deleted,
    // A version from before projects had these has none.
    defaultChecks: deleted.defaultChecks ?? [],
    statuses: deleted.statuses ?? null,
    visibility: deleted.visibility ?? 'tenant',
    paused: deleted.paused ?? null,
    version: Math.max(deleted.version, retired?.last_version ?? 0) + 1,
    updatedAt: isoTime(nowMs),
  }
  const numbers = { lastNumber: retired?.last_number ?? 0, claimBase: rest.claimBase, nowMs }
  if (await store.insertHidden(db, actor.tenantId, project, numbers)) {
    await forgetDeletedPrivate(db, actor.tenantId, project.id)
    return project
  }
  const existing = await currentProject(call, deleted.key)
  const taken = await takenKey(call, deleted.key)
  throw existing
    ? new AppError(
        'CONFLICT',
        `Project key "${deleted.key}" is in use again. Delete that project to restore this one.`,
        {
          existing: existing.id,
        },
      )
    : taken
}

/** Lets a project be found that is whole again. */
export const finishRestore = async (call: Call, project: Project, undoes?: string): Promise<void> => {
  await store.showProject(call.db, call.actor.tenantId, project.id)
  await record(call, {
    type: 'project.restored',
    subject: project.id,
    projectId: project.id,
    data: JSON.stringify(project),
    ...(undoes !== undefined && { undoes }),
    kept: { record: recordName.project(project.id), version: project.version, beforeVersion: null, before: null },
  })
}
