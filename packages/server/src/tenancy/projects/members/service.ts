import { AppError, notFound } from '../../../base/errors.js'
import type { PageQuery } from '../../../base/fields.js'
import { type Page, pagedList } from '../../../base/paging.js'
import { audit } from '../../../changelog/audit/service.js'
import { record } from '../../../changelog/record.js'
import { keysTopic } from '../../../db/topics.js'
import type { ProjectRole } from '../../../operations/access.js'
import { type Call, changing } from '../../../operations/call.js'
import { checkLasting } from '../../../operations/strength.js'
import { findUser, namesOfUsers } from '../../users/service.js'
import type { Project } from '../schema.js'
import { getProject } from '../service.js'
import type { Member } from './schema.js'
import * as store from './store.js'

export { listPrivateProjects, rolesInProjects } from './store.js'

/** The roles of a user are known with each of the user's keys. */
const maxProjectsPerUser = 1_000

export const listMembers = async (call: Call, projectRef: string, query: PageQuery): Promise<Page<Member>> => {
  const { tenantId } = call.actor
  const { id } = await getProject(call, projectRef)
  const page = await pagedList(query, {
    list: [tenantId, 'members', id],
    kinds: ['text'],
    read: (after, count) => store.listMembers(call.db, tenantId, id, after?.[0] ?? '', count),
    placeOf: ({ user_id }) => [user_id],
  })
  const names = await namesOfUsers(
    call,
    page.items.map(({ user_id }) => user_id),
  )
  return {
    ...page,
    items: page.items.map(({ user_id, role }) => ({ userId: user_id, name: names.get(user_id) ?? '', role })),
  }
}

const recordRole = async (
  call: Call,
  type: 'member.set' | 'member.removed',
  { id: projectId }: Project,
  member: Member,
  before: ProjectRole | undefined,
): Promise<void> => {
  const { userId, role } = member
  const previous = before === undefined || before === role ? undefined : { role: before }
  await audit(call, type, { subject: projectId, details: { userId, role, ...(previous && { previous }) } })
  await record(call, {
    type,
    subject: projectId,
    projectId,
    data: JSON.stringify({ projectId, ...member }),
    previous: previous ? JSON.stringify(previous) : null,
  })
  call.db.announce(keysTopic(call.actor.tenantId))
}

/** Gives a user a role in a project. */
export const setMember = (call: Call, projectRef: string, userId: string, role: ProjectRole): Promise<Member> =>
  changing(call, async (call) => {
    const { tenantId } = call.actor
    const project = await getProject(call, projectRef)
    const user = await findUser(call, userId)
    if (!user) throw notFound('user', userId)
    const before = await store.findRole(call.db, tenantId, project.id, userId)
    const member = { userId, name: user.name, role }
    if (before === role) return member
    if (before === undefined || role === 'member') checkLasting(call.actor, 'give a user a role in a project')
    if (before === undefined && (await store.countProjectsOf(call.db, tenantId, userId)) >= maxProjectsPerUser) {
      throw new AppError('limit', `A user can have a role in at most ${maxProjectsPerUser} projects.`)
    }
    await store.saveRole(call.db, tenantId, project.id, userId, role)
    await recordRole(call, 'member.set', project, member, before)
    return member
  })

export const removeMember = (call: Call, projectRef: string, userId: string): Promise<void> =>
  changing(call, async (call) => {
    const { tenantId } = call.actor
    const project = await getProject(call, projectRef)
    const role = await store.findRole(call.db, tenantId, project.id, userId)
    if (role === undefined) throw notFound('member', userId)
    const user = await findUser(call, userId)
    // Removing a viewer role may give the user more rights, because the role in the tenant then applies.
    if (role === 'viewer' && user?.role !== 'none') checkLasting(call.actor, 'remove a viewer from a project')
    const name = user?.name ?? ''
    await store.deleteRole(call.db, tenantId, project.id, userId)
    await recordRole(call, 'member.removed', project, { userId, name, role }, undefined)
  })

/** Takes a user who is being deleted from all projects. */
export const forgetMember = ({ db, actor }: Call, userId: string): Promise<void> =>
  store.deleteRolesOfUser(db, actor.tenantId, userId)

/** Whether what is left of a deleted project is private. */
export const wasPrivate = ({ db, actor }: Call, projectId: string): Promise<boolean> =>
  store.isDeletedPrivate(db, actor.tenantId, projectId)

/** Forgets who could see a project that is purged, and that it was private where nothing is left of it. */
export const forgetProjectMembers = async (call: Call, projectId: string, isLeft: boolean): Promise<void> => {
  const { tenantId } = call.actor
  await store.deleteRolesInProject(call.db, tenantId, projectId)
  if (!isLeft) await store.forgetDeletedPrivate(call.db, tenantId, projectId)
  call.db.announce(keysTopic(tenantId))
}
