import { Type } from 'typebox'
import { IfMatch } from '../../base/versions.js'
import { operation } from '../../operations/operation.js'
import { deleted, deletedBy } from '../../operations/result.js'
import { ForceDelete, ProjectId } from '../../tenancy/projects/schema.js'
import { Erase, UserId } from '../../tenancy/users/schema.js'
import * as projects from './project.js'
import * as users from './user.js'

export const deleteProject = operation({
  name: 'deleteProject',
  summary: 'Delete a project',
  subject: 'Projects',
  kind: 'write',
  scope: 'admin',
  input: Type.Object({ projectId: ProjectId, force: ForceDelete, ...IfMatch }),
  output: deletedBy('id'),
  errors: ['NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED'],
  run: async (call, { projectId, force = false, ifMatch }) => {
    const { id } = await projects.deleteProject(call, projectId, force, { ifMatch })
    return deleted({ id })
  },
})

export const deleteUser = operation({
  name: 'deleteUser',
  summary: 'Delete a user and unassign their tasks',
  subject: 'Users',
  kind: 'write',
  scope: 'admin',
  input: Type.Object({ userId: UserId, erase: Type.Optional(Erase) }),
  output: deletedBy('id'),
  errors: ['NOT_FOUND'],
  run: async (call, { userId, erase = false }) => {
    const { hooks } = call.core
    if (erase) await users.eraseUser(call, hooks, userId)
    else await users.deleteUser(call, hooks, userId)
    return deleted({ id: userId })
  },
})
