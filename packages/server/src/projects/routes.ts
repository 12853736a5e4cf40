import { PageQuery } from '../fields.js'
import { dataOf, deletedBy, listOf, sendDeleted, sendRecord, sendRecords } from '../http/answers.js'
import { answerOnce } from '../http/idempotent.js'
import { preconditionsOf } from '../http/preconditions.js'
import type { Routes } from '../http/routes.js'
import { projectKnowledge } from '../knowledge/service.js'
import { projectTasks } from '../tasks/service.js'
import { DeleteProjectQuery, NewProject, Project, ProjectParams, ProjectPatch } from './schema.js'
import * as projects from './service.js'

const tags = ['Projects']
const contents = [projectTasks, projectKnowledge]

const record = (project: Project) => ({ version: project.version, json: JSON.stringify(project) })

export const projectRoutes: Routes = (app) => {
  app.get(
    '/v1/projects',
    {
      schema: {
        operationId: 'listProjects',
        summary: 'List projects',
        tags,
        querystring: PageQuery,
        answers: { 200: listOf(Project) },
      },
    },
    async (request, reply) =>
      sendRecords(reply, request.query, await projects.listProjects(request.call, request.query)),
  )

  app.get(
    '/v1/projects/:projectId',
    {
      config: { heeds: ['If-None-Match'], errors: ['NOT_FOUND'] },
      schema: {
        operationId: 'getProject',
        summary: 'Get a project',
        tags,
        params: ProjectParams,
        answers: { 200: dataOf(Project) },
      },
    },
    async (request, reply) =>
      sendRecord(request, reply, record(await projects.getProject(request.call, request.params.projectId))),
  )

  app.post(
    '/v1/projects',
    {
      config: { scope: 'admin', heeds: ['Idempotency-Key'], errors: ['CONFLICT', 'IDEMPOTENCY_MISMATCH'] },
      schema: {
        operationId: 'createProject',
        summary: 'Create a project',
        tags,
        body: NewProject,
        answers: { 201: dataOf(Project) },
      },
    },
    (request, reply) =>
      answerOnce(request, reply, async (call) => {
        const project = await projects.createProject(call, request.body)
        return {
          status: 201,
          headers: { location: `/v1/projects/${project.id}`, etag: `"${project.version}"` },
          body: JSON.stringify({ data: project }),
        }
      }),
  )

  app.patch(
    '/v1/projects/:projectId',
    {
      config: { scope: 'admin', heeds: ['If-Match'], errors: ['NOT_FOUND', 'PRECONDITION_FAILED'] },
      schema: {
        operationId: 'updateProject',
        summary: 'Change the fields sent',
        tags,
        params: ProjectParams,
        body: ProjectPatch,
        answers: { 200: dataOf(Project) },
      },
    },
    async (request, reply) => {
      const { projectId } = request.params
      const project = await projects.updateProject(request.call, projectId, request.body, preconditionsOf(request))
      return sendRecord(request, reply, record(project))
    },
  )

  app.delete(
    '/v1/projects/:projectId',
    {
      config: { scope: 'admin', heeds: ['If-Match'], errors: ['NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED'] },
      schema: {
        operationId: 'deleteProject',
        summary: 'Delete a project',
        tags,
        params: ProjectParams,
        querystring: DeleteProjectQuery,
        answers: { 200: deletedBy('id') },
      },
    },
    async (request, reply) => {
      const { force = false } = request.query
      const preconditions = preconditionsOf(request)
      const { id } = await projects.deleteProject(
        request.call,
        request.params.projectId,
        force,
        preconditions,
        contents,
      )
      return sendDeleted(reply, { id })
    },
  )
}
