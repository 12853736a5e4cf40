import { partOf, type RecordKind } from '../../changelog/versions/version.js'
import type { Call } from '../../operations/call.js'
import { currentProject } from '../../tenancy/projects/service.js'
import { currentItemVersion, storedItemVersion } from '../../work/knowledge/service.js'
import { currentCommentVersion } from '../../work/tasks/comments/service.js'
import { currentQuestionVersion } from '../../work/tasks/questions/service.js'
import { currentTaskVersion, storedTaskVersion } from '../../work/tasks/service.js'

const readers: Record<RecordKind, (call: Call, record: string) => Promise<string | undefined>> = {
  task: currentTaskVersion,
  comment: (call, record) => {
    const { taskId, id } = partOf(record)
    return currentCommentVersion(call, taskId, id)
  },
  question: (call, record) => currentQuestionVersion(call, partOf(record).id),
  knowledge: currentItemVersion,
  project: async (call, record) => {
    const project = await currentProject(call, record)
    return project && JSON.stringify(project)
  },
}

/** Returns a record as version JSON, even if its project is deleted; undefined if the record itself is deleted. */
export const storedVersion = (call: Call, kind: RecordKind, record: string): Promise<string | undefined> => {
  if (kind === 'task') return storedTaskVersion(call, record)
  return kind === 'knowledge' ? storedItemVersion(call, record) : currentVersion(call, kind, record)
}

/** A record as it stands, as JSON in the form of a version; undefined where it is gone. */
export const currentVersion = (call: Call, kind: RecordKind, record: string): Promise<string | undefined> =>
  readers[kind](call, record)
