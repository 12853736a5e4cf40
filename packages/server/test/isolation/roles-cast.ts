import { expectStatus } from 'worklore-testing/expect'
import { createKey, createProject, createTask, createUser, putItem } from 'worklore-testing/factories'
import type { TestTenant } from 'worklore-testing/harness'

export type Visibility = 'tenant' | 'private'

/** What a caller may do in a project. `absent`: it is not there; `outside`: it is, but for others. */
type Level = 'absent' | 'outside' | 'view' | 'write' | 'admin'

export interface Caller {
  name: string
  secret: string
  levels: Record<Visibility, Level>
}

interface Part {
  name: string
  /** Null for a key without a user. */
  role: 'admin' | 'member' | 'none' | null
  projectRole?: 'member' | 'viewer'
  scopes: string[]
  isLimited?: boolean
  levels: [tenant: Level, private_: Level]
}

const work = ['tasks:write', 'knowledge:write']

const parts: Part[] = [
  { name: 'an admin', role: 'admin', scopes: ['admin'], levels: ['admin', 'admin'] },
  {
    name: 'an admin who is viewer',
    role: 'admin',
    projectRole: 'viewer',
    scopes: ['admin'],
    levels: ['admin', 'admin'],
  },
  { name: 'an admin with a lesser key', role: 'admin', scopes: work, levels: ['write', 'write'] },
  { name: 'a member', role: 'member', scopes: work, levels: ['write', 'absent'] },
  { name: 'a member with an admin key', role: 'member', scopes: ['admin'], levels: ['write', 'absent'] },
  { name: 'a member of the project', role: 'member', projectRole: 'member', scopes: work, levels: ['write', 'write'] },
  { name: 'a member who is viewer', role: 'member', projectRole: 'viewer', scopes: work, levels: ['view', 'view'] },
  { name: 'someone without a role', role: 'none', scopes: work, levels: ['outside', 'absent'] },
  { name: 'a member of it alone', role: 'none', projectRole: 'member', scopes: work, levels: ['write', 'write'] },
  { name: 'a viewer of it alone', role: 'none', projectRole: 'viewer', scopes: ['admin'], levels: ['view', 'view'] },
  { name: 'a member, limited', role: 'member', scopes: work, isLimited: true, levels: ['write', 'absent'] },
  { name: 'an admin key', role: null, scopes: ['admin'], levels: ['admin', 'admin'] },
  { name: 'a key', role: null, scopes: work, levels: ['write', 'absent'] },
  { name: 'a limited key', role: null, scopes: work, isLimited: true, levels: ['write', 'write'] },
]

/** A caller of every kind, with its role in both projects. */
export const createCast = async (wl: TestTenant, projects: Record<Visibility, string>): Promise<Caller[]> => {
  const cast: Caller[] = []
  for (const { name, role, projectRole, scopes, isLimited, levels } of parts) {
    // Only an admin gets a key with the scope admin, and keeps it.
    const user = role && (await createUser(wl, { name, role: 'admin' }))
    const projectIds = isLimited ? Object.values(projects) : null
    const key = await createKey(wl, { name, scopes, projectIds, userId: user?.id ?? null })
    if (role) expectStatus(await wl.patch(`/v1/users/${user.id}`, { role }), 200)
    for (const projectId of projectRole ? Object.values(projects) : []) {
      expectStatus(await wl.put(`/v1/projects/${projectId}/members/${user.id}`, { role: projectRole }), 200)
    }
    cast.push({ name, secret: key.key, levels: { tenant: levels[0], private: levels[1] } })
  }
  return cast
}

/** Stands in every text of the records. */
export const marker = 'Xylophone77'

let items = 0

/** One record of every kind in a project, by the names that requests have for them. */
export const createRecords = async (wl: TestTenant, projectId: string, author = wl.adminKey) => {
  const task = await createTask(wl, projectId, {
    ...{ title: `zebra ${marker}`, description: marker, labels: ['zebra'] },
    ...{ checks: [{ text: marker }], resources: [marker] },
  })
  const key = `zebra/${++items}/${marker}`
  await putItem(wl, key, `zebra ${marker}`, { projectId })
  const comments = `/v1/tasks/${task.id}/comments`
  const byAuthor = await wl.post(comments, { body: `zebra ${marker}` }, { key: author })
  const comment = byAuthor.status === 201 ? byAuthor : await wl.post(comments, { body: `zebra ${marker}` })
  const asked = expectStatus(await wl.post(`/v1/tasks/${task.id}/questions`, { body: marker }), 201).body.data
  const gone = await createTask(wl, projectId, { title: `gone ${marker}` })
  expectStatus(await wl.delete(`/v1/tasks/${gone.id}`), 200)
  const trash = expectStatus(await wl.get('/v1/trash?limit=1'), 200).body.data
  return {
    ...{ projectId, taskId: task.id as string, key, checkId: 'c1', questionId: asked.id as string },
    ...{ commentId: comment.body.data.id as string, entryId: trash[0].id as string },
  }
}

export type Records = Awaited<ReturnType<typeof createRecords>>

export const createProjects = async (wl: TestTenant): Promise<Record<Visibility, string>> => ({
  tenant: (await createProject(wl, { name: 'Open' })).id,
  private: (await createProject(wl, { key: 'ZZZ', name: marker, visibility: 'private' })).id,
})
