import { Type } from 'typebox'
import { andThen } from '../../base/awaitable.js'
import { invalid } from '../../base/errors.js'
import { nullable } from '../../base/fields.js'
import { IfMatch } from '../../base/versions.js'
import { RecordVersion } from '../../changelog/versions/schema.js'
import type { Call } from '../../operations/call.js'
import { operation } from '../../operations/operation.js'
import { data, dataOf, deleted, deletedBy, listOf, type Result } from '../../operations/result.js'
import { marksTag, withVisibleMarks } from '../fields/stale-marks.js'
import { searchRelaxed } from '../search/query.js'
import { completeness, searchResult } from '../search/result.js'
import { Complete, Relaxed, Semantic } from '../search/schema.js'
import * as deletion from './delete.js'
import { isTimeIndependent } from './lists/filters.js'
import * as list from './lists/list.js'
import { getTaskVersion } from './restore/revert.js'
import {
  CheckDuplicates,
  ForceDelete,
  FoundTask,
  NewTaskRequest,
  SimilarTask,
  SimilarTasks,
  Task,
  TaskCard,
  TaskCardList,
  TaskCountQuery,
  TaskCounts,
  TaskId,
  TaskList,
  TaskPagination,
  TaskPatch,
  TaskSearch,
  TaskVersion,
} from './schema.js'
import * as search from './search/search.js'
import * as similar from './search/similar.js'
import * as tasks from './service.js'

const subject = 'Tasks'

export const taskResult = ({ actor }: Call, { json, version, derived }: tasks.TaskAnswer): Result => {
  const data = withVisibleMarks(actor, json)
  return { data, version, derived: derived + marksTag(data) }
}

export const listTasks = operation({
  name: 'listTasks',
  summary: 'List tasks',
  subject,
  kind: 'read',
  scope: 'tasks:read',
  changesOnlyOnCommit: isTimeIndependent,
  input: TaskList,
  output: listOf(Task, TaskPagination),
  run: (call, input) =>
    andThen(list.listTasks(call, input), ({ tasks, pagination }) => ({ data: tasks, more: { pagination } })),
})

export const listTaskCards = operation({
  name: 'listTaskCards',
  summary: 'List tasks without their long fields, up to 1,000 at a time',
  subject,
  kind: 'read',
  scope: 'tasks:read',
  changesOnlyOnCommit: isTimeIndependent,
  input: TaskCardList,
  output: listOf(TaskCard, TaskPagination),
  run: (call, input) =>
    andThen(list.listCards(call, input), ({ tasks, pagination, changesAt }) => ({
      data: tasks,
      more: { pagination },
      changesAt,
    })),
})

export const countTasks = operation({
  name: 'countTasks',
  summary: 'Count tasks by the category of their status',
  subject,
  kind: 'read',
  scope: 'tasks:read',
  changesOnlyOnCommit: isTimeIndependent,
  input: TaskCountQuery,
  output: dataOf(TaskCounts),
  run: async (call, input) => data(await list.countTasksByCategory(call, input)),
})

export const searchTasks = operation({
  name: 'searchTasks',
  summary: 'Search tasks by words and meaning',
  subject,
  kind: 'read',
  scope: 'tasks:read',
  limit: 'searches',
  changesOnlyOnCommit: isTimeIndependent,
  dependsOnVectors: true,
  input: TaskSearch,
  output: Type.Object({
    data: Type.Array(FoundTask),
    pagination: TaskPagination,
    semantic: Semantic,
    complete: Complete,
    relaxed: Relaxed,
  }),
  run: async (call, input) => {
    const found = await searchRelaxed(
      input.q,
      (q) => search.searchTasks(call, call.core.search, { ...input, q }, call),
      ({ pagination: { total } }) => total === 0,
    )
    return searchResult(found.tasks, found, { pagination: found.pagination, ...completeness(found) })
  },
})

export const similarTasks = operation({
  name: 'similarTasks',
  summary: 'Find tasks on the same subject as a task',
  subject,
  kind: 'read',
  scope: 'tasks:read',
  limit: 'searches',
  changesOnlyOnCommit: () => true,
  dependsOnVectors: true,
  input: SimilarTasks,
  output: Type.Object({ data: Type.Array(FoundTask), semantic: Semantic }),
  errors: ['NOT_FOUND'],
  run: async (call, input) => {
    const found = await similar.similarTasks(call, call.core.search, input, call)
    return searchResult(found.tasks, found)
  },
})

export const getTask = operation({
  name: 'getTask',
  summary: 'Get a task',
  subject,
  kind: 'read',
  scope: 'tasks:read',
  input: Type.Object({ taskId: TaskId, version: RecordVersion }),
  output: dataOf(Type.Union([Task, TaskVersion])),
  errors: ['NOT_FOUND'],
  run: (call, { taskId, version }) =>
    version === undefined
      ? andThen(tasks.getTask(call, taskId), (task) => taskResult(call, task))
      : getTaskVersion(call, taskId, version).then((json) => ({ data: json, version })),
})

export const createTask = operation({
  name: 'createTask',
  summary: 'Create a task',
  subject,
  kind: 'write',
  isBatchable: true,
  scope: 'tasks:write',
  limit: 'taskCreates',
  input: Type.Object({ task: NewTaskRequest, checkDuplicates: CheckDuplicates }),
  output: Type.Object({
    data: Task,
    similar: Type.Optional(
      nullable(
        Type.Array(SimilarTask, { description: 'With `checkDuplicates`, best first. Null if search was unavailable.' }),
      ),
    ),
  }),
  errors: ['CONFLICT', 'IDEMPOTENCY_MISMATCH'],
  // Before the transaction, which no search should hold up; the task itself is not among them then.
  prepare: async (call, { task, checkDuplicates = task.checkDuplicates }) => {
    if (!checkDuplicates) return {}
    await call.countOperations(['searches'])
    return { similar: await similar.duplicatesOf(call, call.core.search, task, call) }
  },
  run: async (call, { task, checkDuplicates = task.checkDuplicates }, prepared) => {
    if (checkDuplicates && !prepared) throw invalid({ path: 'checkDuplicates', message: 'is not supported in a batch' })
    const { checkDuplicates: _, ...fields } = task
    const created = await tasks.createTask(call, fields)
    const more = checkDuplicates && { more: { similar: prepared?.similar ?? null } }
    return { ...taskResult(call, created), id: created.id, isCreated: true, ...more }
  },
})

export const updateTask = operation({
  name: 'updateTask',
  summary: 'Update a task',
  subject,
  kind: 'write',
  isBatchable: true,
  scope: 'tasks:write',
  input: Type.Object({ taskId: TaskId, patch: TaskPatch, ...IfMatch }),
  output: dataOf(Task),
  errors: ['NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED'],
  run: async (call, { taskId, patch, ifMatch }) =>
    taskResult(call, await tasks.updateTask(call, taskId, patch, { ifMatch })),
})

export const deleteTask = operation({
  name: 'deleteTask',
  summary: 'Delete a task',
  subject,
  kind: 'write',
  isBatchable: true,
  scope: 'tasks:write',
  input: Type.Object({ taskId: TaskId, force: ForceDelete, ...IfMatch }),
  output: deletedBy('id'),
  errors: ['NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED'],
  run: async (call, { taskId, force = false, ifMatch }) => {
    await deletion.deleteTask(call, taskId, force, { ifMatch })
    return deleted({ id: taskId })
  },
})
