import { Type } from 'typebox'
import { PageQuery } from '../../base/fields.js'
import { IfMatch } from '../../base/versions.js'
import { operation } from '../../operations/operation.js'
import { created, dataOf, listOf, records, versioned } from '../../operations/result.js'
import { NewProject, Project, ProjectId, ProjectPatch } from './schema.js'
import * as projects from './service.js'

const subject = 'Projects'

export const listProjects = operation({
  name: 'listProjects',
  summary: 'List projects',
  subject,
  kind: 'read',
  changesOnlyOnCommit: () => true,
  input: PageQuery,
  output: listOf(Project),
  run: async (call, input) => records(input, await projects.listProjects(call, input)),
})

export const getProject = operation({
  name: 'getProject',
  summary: 'Get a project',
  subject,
  kind: 'read',
  input: Type.Object({ projectId: ProjectId }),
  output: dataOf(Project),
  errors: ['NOT_FOUND'],
  run: async (call, { projectId }) => versioned(await projects.getProject(call, projectId)),
})

export const createProject = operation({
  name: 'createProject',
  summary: 'Create a project',
  subject,
  kind: 'write',
  scope: 'admin',
  input: Type.Object({ project: NewProject }),
  output: dataOf(Project),
  errors: ['CONFLICT', 'IDEMPOTENCY_MISMATCH'],
  run: async (call, { project }) => created(await projects.createProject(call, project)),
})

export const updateProject = operation({
  name: 'updateProject',
  summary: 'Update a project',
  subject,
  kind: 'write',
  scope: 'admin',
  input: Type.Object({ projectId: ProjectId, patch: ProjectPatch, ...IfMatch }),
  output: dataOf(Project),
  errors: ['NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED'],
  run: async (call, { projectId, patch, ifMatch }) =>
    versioned(await projects.updateProject(call, call.core.hooks, projectId, patch, { ifMatch })),
})
