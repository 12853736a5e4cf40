import { Type } from 'typebox'
import { invalid } from '../../base/errors.js'
import { audit } from '../../changelog/audit/service.js'
import { SkippedLink } from '../../changelog/versions/schema.js'
import { changing } from '../../operations/call.js'
import { operation } from '../../operations/operation.js'
import { listOf, page } from '../../operations/result.js'
import { projectNamed } from '../../tenancy/projects/service.js'
import { restoreItemVersion } from '../../work/knowledge/restore.js'
import { KnowledgeItem } from '../../work/knowledge/schema.js'
import { itemVersion } from '../../work/knowledge/service.js'
import { restoreTaskVersion } from '../../work/tasks/restore/revert.js'
import { Task, TaskId } from '../../work/tasks/schema.js'
import { taskVersion } from '../../work/tasks/service.js'
import { listHistory as list } from './list.js'
import { HistoryEntry, HistoryList, TaskHistory, VersionToRestore } from './schema.js'
import { requireRestore } from './visible.js'

const subject = 'History'

export const getTaskHistory = operation({
  name: 'getTaskHistory',
  summary: 'List the changes of a task, newest first',
  subject,
  kind: 'read',
  scope: 'tasks:read',
  input: Type.Object({ taskId: TaskId, ...TaskHistory.properties }),
  output: listOf(HistoryEntry),
  errors: ['NOT_FOUND'],
  run: async (call, { taskId, ...query }) =>
    page(query.limit ?? 50, await list(call, call.core.differ, { ...query, task: taskId })),
})

export const listHistory = operation({
  name: 'listHistory',
  summary: 'List changes of tasks, comments, knowledge and projects, newest first',
  subject,
  kind: 'read',
  input: HistoryList,
  output: listOf(HistoryEntry),
  errors: ['NOT_FOUND', 'CONFLICT'],
  run: async (call, input) => page(input.limit ?? 50, await list(call, call.core.differ, input)),
})

export const restoreVersion = operation({
  name: 'restoreVersion',
  summary: 'Make an old version of a task or knowledge item the newest one',
  subject,
  kind: 'write',
  input: Type.Object({ restore: VersionToRestore }),
  output: Type.Object({
    data: Type.Union([Task, KnowledgeItem]),
    skipped: Type.Array(SkippedLink, { description: 'Links that could not be restored.' }),
  }),
  errors: ['NOT_FOUND', 'CONFLICT', 'IDEMPOTENCY_MISMATCH'],
  versionOf: async (call, { restore: { task, knowledge, projectId } }) => {
    if (task !== undefined) return taskVersion(call, { taskId: task })
    return knowledge === undefined ? null : itemVersion(call, { key: knowledge, projectId })
  },
  run: async (call, { restore: { task, knowledge, projectId, version } }) => {
    if (projectId != null) await projectNamed(call, projectId)
    if ((task === undefined) === (knowledge === undefined)) {
      throw invalid({ path: 'task', message: 'exactly one of task and knowledge is required' })
    }
    requireRestore(call.actor, task === undefined ? 'knowledge' : 'task')
    return changing(call, async (call) => {
      await audit(call, 'history.restored', { subject: task ?? knowledge!, details: { version } })
      if (knowledge !== undefined) {
        const { answer, skipped } = await restoreItemVersion(call, knowledge, projectId, version)
        return { data: answer.json, version: answer.version, more: { skipped } }
      }
      if (projectId !== undefined) throw invalid({ path: 'projectId', message: 'cannot be combined with task' })
      const { answer, skipped } = await restoreTaskVersion(call, task!, version)
      return { data: answer.json, version: answer.version, derived: answer.derived, more: { skipped } }
    })
  },
})
