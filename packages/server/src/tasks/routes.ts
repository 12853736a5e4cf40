import { Type } from 'typebox'
import {
  dataOf,
  deletedBy,
  listOf,
  sendDeleted,
  sendJson,
  sendJsonWhenRead,
  sendRecord,
  sendWhenRead,
} from '../http/answers.js'
import { answerOnce } from '../http/idempotent.js'
import { preconditionsOf } from '../http/preconditions.js'
import type { Routes } from '../http/routes.js'
import { Semantic } from '../search/schema.js'
import { listTasks, type TaskPage } from './list.js'
import {
  FoundTask,
  NewTask,
  Task,
  TaskListQuery,
  TaskPagination,
  TaskParams,
  TaskPatch,
  TaskSearchQuery,
} from './schema.js'
import { searchTasks } from './search.js'
import * as tasks from './service.js'

const tags = ['Tasks']

const pageJson = ({ tasks, pagination }: TaskPage): string =>
  `"data":[${tasks}],"pagination":${JSON.stringify(pagination)}`

export const taskRoutes: Routes = (app, { search }) => {
  app.get(
    '/v1/tasks',
    {
      config: { scope: 'tasks:read' },
      schema: {
        operationId: 'listTasks',
        summary: 'List tasks',
        tags,
        querystring: TaskListQuery,
        answers: { 200: listOf(Task, TaskPagination) },
      },
    },
    (request, reply) =>
      sendJsonWhenRead(reply, listTasks(request.call, request.query), (page) => `{${pageJson(page)}}`),
  )

  app.get(
    '/v1/tasks/search',
    {
      config: { scope: 'tasks:read', limit: 'searches' },
      schema: {
        operationId: 'searchTasks',
        summary: 'Search tasks by the words and the meaning of their titles and descriptions',
        tags,
        querystring: TaskSearchQuery,
        answers: {
          200: Type.Object({ data: Type.Array(FoundTask), pagination: TaskPagination, semantic: Semantic }),
        },
      },
    },
    async (request, reply) => {
      const found = await searchTasks(request.call, search, request.query)
      return sendJson(reply, `{${pageJson(found)},"semantic":${found.isSemantic}}`)
    },
  )

  app.get(
    '/v1/tasks/:taskId',
    {
      config: { scope: 'tasks:read', heeds: ['If-None-Match'], errors: ['NOT_FOUND'] },
      schema: {
        operationId: 'getTask',
        summary: 'Get a task',
        tags,
        params: TaskParams,
        answers: { 200: dataOf(Task) },
      },
    },
    (request, reply) => sendWhenRead(request, reply, tasks.getTask(request.call, request.params.taskId)),
  )

  app.post(
    '/v1/tasks',
    {
      config: {
        scope: 'tasks:write',
        limit: 'taskCreates',
        heeds: ['Idempotency-Key'],
        errors: ['CONFLICT', 'IDEMPOTENCY_MISMATCH'],
      },
      schema: {
        operationId: 'createTask',
        summary: 'Create a task',
        tags,
        body: NewTask,
        answers: { 201: dataOf(Task) },
      },
    },
    (request, reply) =>
      answerOnce(request, reply, async (call) => {
        const { id, version, json } = await tasks.createTask(call, request.body)
        return { status: 201, headers: { location: `/v1/tasks/${id}`, etag: `"${version}"` }, body: `{"data":${json}}` }
      }),
  )

  app.patch(
    '/v1/tasks/:taskId',
    {
      config: { scope: 'tasks:write', heeds: ['If-Match'], errors: ['NOT_FOUND', 'PRECONDITION_FAILED'] },
      schema: {
        operationId: 'updateTask',
        summary: 'Change the fields sent',
        tags,
        params: TaskParams,
        body: TaskPatch,
        answers: { 200: dataOf(Task) },
      },
    },
    async (request, reply) =>
      sendRecord(
        request,
        reply,
        await tasks.updateTask(request.call, request.params.taskId, request.body, preconditionsOf(request)),
      ),
  )

  app.delete(
    '/v1/tasks/:taskId',
    {
      config: { scope: 'tasks:write', heeds: ['If-Match'], errors: ['NOT_FOUND', 'PRECONDITION_FAILED'] },
      schema: {
        operationId: 'deleteTask',
        summary: 'Delete a task',
        tags,
        params: TaskParams,
        answers: { 200: deletedBy('id') },
      },
    },
    async (request, reply) => {
      const { taskId } = request.params
      await tasks.deleteTask(request.call, taskId, preconditionsOf(request))
      return sendDeleted(reply, { id: taskId })
    },
  )
}
