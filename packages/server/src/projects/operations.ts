import { Type } from 'typebox'
import { PageQuery } from '../fields.js'
import { operation } from '../operations/operation.js'
import { created, dataOf, deleted, deletedBy, listOf, records, versioned } from '../operations/result.js'
import { IfMatch } from '../versions.js'
import * as deletion from './delete.js'
import { ForceDelete, NewProject, Project, ProjectId, ProjectPatch } from './schema.js'
import * as projects from './service.js'
import * as updates from './update.js'

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
  errors: ['NOT_FOUND', 'PRECONDITION_FAILED'],
  run: async (call, { projectId, patch, ifMatch }) =>
    versioned(await updates.updateProject(call, projectId, patch, { ifMatch })),
})

export const deleteProject = operation({
  name: 'deleteProject',
  summary: 'Delete a project',
  subject,
  kind: 'write',
  scope: 'admin',
  input: Type.Object({ projectId: ProjectId, force: ForceDelete, ...IfMatch }),
  output: deletedBy('id'),
  errors: ['NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED'],
  run: async (call, { projectId, force = false, ifMatch }) => {
    const { id } = await deletion.deleteProject(call, projectId, force, { ifMatch })
    return deleted({ id })
  },
})
