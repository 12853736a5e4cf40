import { Type } from 'typebox'
import { PageQuery } from '../../../base/fields.js'
import { operation } from '../../../operations/operation.js'
import { data, dataOf, listOf, records } from '../../../operations/result.js'
import { UserId } from '../../users/schema.js'
import { ProjectId } from '../schema.js'
import { Member, MemberRole } from './schema.js'
import * as members from './service.js'

const subject = 'Projects'

export const listMembers = operation({
  name: 'listMembers',
  summary: 'List the users with a role in a project',
  subject,
  kind: 'read',
  scope: 'admin',
  input: Type.Object({ projectId: ProjectId, ...PageQuery.properties }),
  output: listOf(Member),
  errors: ['NOT_FOUND'],
  run: async (call, { projectId, ...page }) => records(page, await members.listMembers(call, projectId, page)),
})

export const setMember = operation({
  name: 'setMember',
  summary: 'Give a user a role in a project',
  subject,
  kind: 'write',
  scope: 'admin',
  input: Type.Object({ projectId: ProjectId, userId: UserId, member: MemberRole }),
  output: dataOf(Member),
  errors: ['NOT_FOUND', 'CONFLICT'],
  run: async (call, { projectId, userId, member }) =>
    data(await members.setMember(call, projectId, userId, member.role)),
})

export const removeMember = operation({
  name: 'removeMember',
  summary: "Take a user's role in a project away",
  subject,
  kind: 'write',
  scope: 'admin',
  input: Type.Object({ projectId: ProjectId, userId: UserId }),
  output: dataOf(Type.Object({ userId: Type.String(), deleted: Type.Literal(true) })),
  errors: ['NOT_FOUND'],
  run: async (call, { projectId, userId }) => {
    await members.removeMember(call, projectId, userId)
    return data({ userId, deleted: true })
  },
})
