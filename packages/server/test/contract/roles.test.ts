import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openStream } from 'worklore-testing/event-stream'
import { expectError, expectInvalid, expectStatus } from 'worklore-testing/expect'
import { createKey, createProject, createTask, createUser, putItem } from 'worklore-testing/factories'
import { describeTenant } from 'worklore-testing/service-suite'
import { until } from 'worklore-testing/until'
import { humanReaders, readersAmong } from '../../src/tenancy/keys/readers.js'

type Body = Record<string, unknown>

describeTenant('roles', (wl) => {
  /** A user with a key, which asks as them. */
  const person = async (fields: Body = {}, keyFields: Body = {}) => {
    const user = await createUser(wl, fields)
    const scopes = ['tasks:write', 'knowledge:write']
    const { key, id: keyId } = await createKey(wl, { scopes, userId: user.id, ...keyFields })
    return {
      ...{ id: user.id as string, key: key as string, keyId },
      get: (path: string) => wl.get(path, { key }),
      post: (path: string, body: unknown) => wl.post(path, body, { key }),
      join: async (projectId: string, role = 'member') =>
        expectStatus(await wl.put(`/v1/projects/${projectId}/members/${user.id}`, { role }), 200),
      leave: async (projectId: string) =>
        expectStatus(await wl.delete(`/v1/projects/${projectId}/members/${user.id}`), 200),
    }
  }
  let secret: { id: string; key: string }

  before(async () => {
    secret = await createProject(wl, { visibility: 'private' })
  })

  it('of the tenant say what all keys of a user may do, from the change on', async () => {
    const ada = await person({ role: 'admin' }, { scopes: ['admin'] })
    expectStatus(await ada.get('/v1/keys'), 200)
    assert.deepEqual((await ada.get('/v1/me')).body.data.scopes, ['admin'])
    expectStatus(await wl.patch(`/v1/users/${ada.id}`, { role: 'member' }), 200)
    const refused = expectError(await ada.get('/v1/keys'), 'FORBIDDEN')
    assert.deepEqual([refused.reason, refused.requiredScope], ['role', 'admin'])
    assert.deepEqual((await ada.get('/v1/me')).body.data.scopes, ['tasks:write', 'knowledge:write'])
    const project = await createProject(wl)
    expectStatus(await ada.post('/v1/tasks', { projectId: project.id, title: 'x' }), 201)
    expectStatus(await wl.patch(`/v1/users/${ada.id}`, { role: 'none' }), 200)
    expectError(await ada.post('/v1/tasks', { projectId: project.id, title: 'x' }), 'FORBIDDEN')
    assert.deepEqual((await ada.get('/v1/me')).body.data.projects, [])
    assert.deepEqual((await ada.get('/v1/projects')).body.data, [])
    await ada.join(project.id, 'member')
    expectStatus(await ada.post('/v1/tasks', { projectId: project.id, title: 'x' }), 201)
    assert.deepEqual(
      (await ada.get('/v1/me')).body.data.projects.map(({ id }: { id: string }) => id),
      [project.id],
    )
    const { data } = (await wl.get('/v1/audit?action=user.role_changed&limit=2')).body
    assert.deepEqual(
      data.map(({ details }: { details: unknown }) => details),
      [
        { role: 'none', previous: { role: 'member' } },
        { role: 'member', previous: { role: 'admin' } },
      ],
    )
  })

  it('of others than admins allow no key with the scope admin, but leave those that there are', async () => {
    const ada = await createUser(wl)
    const fields = { name: 'x', scopes: ['admin'] }
    expectInvalid(await wl.post('/v1/keys', { ...fields, userId: ada.id }), 'scopes')
    expectInvalid(await wl.post('/v1/keys', { ...fields, user: { name: 'Agent' } }), 'scopes')
    assert.ok(!(await wl.get('/v1/users?limit=100')).text.includes('"Agent"'))
    const [free, plain] = [await createKey(wl, fields), await createKey(wl, { userId: ada.id })]
    expectInvalid(await wl.patch(`/v1/keys/${free.id}`, { userId: ada.id }), 'scopes')
    expectInvalid(await wl.patch(`/v1/keys/${plain.id}`, { scopes: ['admin'] }), 'scopes')
    expectStatus(await wl.patch(`/v1/users/${ada.id}`, { role: 'admin' }), 200)
    expectStatus(await wl.patch(`/v1/keys/${free.id}`, { userId: ada.id }), 200)
    expectStatus(await wl.patch(`/v1/keys/${plain.id}`, { scopes: ['admin'] }), 200)
    expectStatus(await wl.patch(`/v1/users/${ada.id}`, { role: 'member' }), 200)
    expectStatus(await wl.patch(`/v1/keys/${free.id}`, { name: 'renamed' }), 200)
    expectStatus(await wl.patch(`/v1/keys/${free.id}`, { scopes: ['tasks:write'] }), 200)
  })

  it('of a project are set, listed and removed by admins', async () => {
    const { id } = await createProject(wl)
    const people = [await person({ name: 'One' }), await person({ name: 'Two' }), await person({ name: 'Three' })]
    for (const { join } of people) await join(id, 'viewer')
    const set = await wl.put(`/v1/projects/${id}/members/${people[0]!.id}`, { role: 'member' })
    assert.deepEqual(expectStatus(set, 200).body, { data: { userId: people[0]!.id, name: 'One', role: 'member' } })
    const path = `/v1/projects/${id}/members`
    const first = expectStatus(await wl.get(`${path}?limit=2`), 200).body
    const second = (await wl.get(`${path}?cursor=${first.pagination.nextCursor}`)).body
    const all = [...first.data, ...second.data]
    assert.deepEqual(all.map(({ userId }) => userId).sort(), people.map(({ id }) => id).sort())
    assert.equal(all.find(({ userId }) => userId === people[0]!.id).role, 'member')
    const removed = await wl.delete(`${path}/${people[0]!.id}`)
    assert.deepEqual(expectStatus(removed, 200).body, { data: { userId: people[0]!.id, deleted: true } })
    expectError(await wl.delete(`${path}/${people[0]!.id}`), 'NOT_FOUND')
    expectError(await wl.put(`${path}/usr_none`, { role: 'member' }), 'NOT_FOUND')
    expectError(await wl.put(`/v1/projects/NONE/members/${people[0]!.id}`, { role: 'member' }), 'NOT_FOUND')
    expectInvalid(await wl.put(`${path}/${people[0]!.id}`, { role: 'admin' }), 'role')
    expectError(await people[1]!.get(path), 'FORBIDDEN')
    const events = (await wl.get('/v1/events?types=member.*&order=desc&limit=2')).body.data
    assert.deepEqual(
      events.map(({ type, data, previous }: Body) => [type, (data as Body).role, previous ?? null]),
      [
        ['member.removed', 'member', null],
        ['member.set', 'member', { role: 'viewer' }],
      ],
    )
    assert.deepEqual((await people[1]!.get('/v1/events?types=member.*')).body.data, [])
    assert.equal((await wl.get('/v1/audit?action=member.removed')).body.data[0].subject, id)
  })

  it('go with a deleted user', async () => {
    const { id } = await createProject(wl)
    const ada = await person()
    await ada.join(id)
    expectStatus(await wl.delete(`/v1/users/${ada.id}`), 200)
    assert.deepEqual((await wl.get(`/v1/projects/${id}/members`)).body.data, [])
  })

  it('end streams and waits of who loses them', async () => {
    const ada = await person()
    await ada.join(secret.id)
    const url = `${wl.baseUrl}/v1/events/stream`
    const named = await openStream(`${url}?projectId=${secret.id}`, ada.key)
    const whole = await openStream(url, ada.key)
    const poll = ada.get(`/v1/events?after=latest&wait=30&projectId=${secret.id}`)
    const next = ada.post('/v1/tasks/next', { projectId: secret.id, waitSeconds: 30 })
    await sleep(300)
    await ada.leave(secret.id)
    await createTask(wl, secret.id, { title: 'not for Ada' })
    const open = await createProject(wl)
    await createTask(wl, open.id, { title: 'for Ada' })
    await named.ended
    assert.deepEqual([named.events.at(-1)!.name, named.events.at(-1)!.data.code], ['end', 'NOT_FOUND'])
    expectError(await poll, 'NOT_FOUND')
    expectError(await next, 'VALIDATION_ERROR')
    const seen = await until(
      async () => whole.events,
      (events) => events.some(({ data }) => data.data?.title === 'for Ada'),
    )
    assert.ok(seen.every(({ data }) => data.data?.title !== 'not for Ada'))
    whole.close()
  })

  it('are looked at again when a project becomes private, or no longer is', async () => {
    const { id, key } = await createProject(wl, { name: 'Now you see it' })
    const ada = await person()
    const task = await createTask(wl, id)
    const stream = await openStream(`${wl.baseUrl}/v1/events/stream?projectId=${id}`, ada.key)
    expectStatus(await wl.patch(`/v1/projects/${id}`, { visibility: 'private' }), 200)
    await stream.ended
    for (const path of [`/v1/tasks/${task.id}`, `/v1/projects/${id}`, `/v1/projects/${key}`])
      expectError(await ada.get(path), 'NOT_FOUND')
    expectInvalid(await ada.get(`/v1/tasks?projectId=${key}`), 'projectId')
    assert.ok(!(await ada.get('/v1/events?order=desc')).text.includes(id))
    expectStatus(await wl.patch(`/v1/projects/${id}`, { visibility: 'tenant' }), 200)
    expectStatus(await ada.get(`/v1/tasks/${task.id}`), 200)
    const { data } = (await wl.get('/v1/audit?action=project.visibility_changed&limit=1')).body
    assert.deepEqual([data[0].subject, data[0].details], [id, { visibility: 'tenant' }])
  })

  it('keep what is left of a deleted private project from others, and come back with it', async () => {
    const { id, key } = await createProject(wl, { visibility: 'private' })
    const [ada, bob] = [await person(), await person()]
    await ada.join(id, 'viewer')
    const task = await createTask(wl, id, { title: 'Xylophone88' })
    await putItem(wl, 'xylophone/88', 'Xylophone88', { projectId: id })
    expectStatus(await wl.delete(`/v1/projects/${id}?force=true`), 200)
    const places = ['/v1/trash', '/v1/events?order=desc', '/v1/history']
    for (const path of places) {
      assert.ok(!(await bob.get(path)).text.includes(id), path)
      assert.ok((await ada.get(path)).text.includes(id), path)
    }
    expectError(await bob.get(`/v1/history?task=${task.id}`), 'NOT_FOUND')
    expectInvalid(await bob.get(`/v1/history?projectId=${id}`), 'projectId')
    expectStatus(await ada.get(`/v1/history?projectId=${id}`), 200)
    const [entry] = (await wl.get('/v1/trash?kind=project&limit=1')).body.data
    expectError(await bob.post(`/v1/trash/${entry.id}/restore`, {}), 'NOT_FOUND')
    expectStatus(await wl.post(`/v1/trash/${entry.id}/restore`, {}), 200)
    assert.equal((await wl.get(`/v1/projects/${key}`)).body.data.visibility, 'private')
    expectStatus(await ada.get(`/v1/tasks/${task.id}`), 200)
    expectError(await bob.get(`/v1/tasks/${task.id}`), 'NOT_FOUND')
  })

  it('bind what reaches a user by a webhook, and people by a chat', async () => {
    const [ada, bob] = [await person(), await person()]
    const carol = await createUser(wl, { name: 'Without a key' })
    await ada.join(secret.id, 'viewer')
    const { db, clock } = wl.service.core
    const ids = [ada.id, bob.id, carol.id]
    const open = await createProject(wl)
    const mayRead = await readersAmong(db, wl.tenantId, ids, clock())
    assert.deepEqual(
      ids.map((id) => [mayRead(id, secret.id), mayRead(id, open.id)]),
      [
        [true, true],
        [false, true],
        [false, true],
      ],
    )
    assert.equal((await humanReaders(db, wl.tenantId, clock()))(secret.id), true)
    expectStatus(await wl.patch(`/v1/users/${carol.id}`, { role: 'none' }), 200)
    assert.equal((await readersAmong(db, wl.tenantId, ids, clock()))(carol.id, open.id), false)
  })

  it('keep inbox entries of a project from who no longer reads it', async () => {
    const ada = await person({ name: 'Inbox reader' })
    await ada.join(secret.id, 'viewer')
    await createTask(wl, secret.id, { title: 'Yours', assigneeId: ada.id })
    assert.equal((await ada.get('/v1/inbox')).body.data.length, 1)
    await ada.leave(secret.id)
    assert.equal((await ada.get('/v1/inbox')).body.data.length, 0)
  })

  it('let nothing of a private project show through records elsewhere', async () => {
    const open = await createProject(wl)
    const ada = await person()
    const hidden = await createTask(wl, secret.id, { title: 'Xylophone99' })
    const task = await createTask(wl, open.id, { blockedBy: [hidden.id] })
    await putItem(wl, 'shared/name', 'Xylophone99', { projectId: secret.id })
    await putItem(wl, 'shared/name', 'seen', { projectId: open.id })
    await putItem(wl, 'links/out', `See ${hidden.id} and [[shared/name]]`, { projectId: open.id })
    const paths = [`/v1/tasks/${task.id}`, `/v1/tasks/${task.id}/context`, `/v1/tasks?blocks=${task.id}`]
    paths.push('/v1/links?key=links/out', '/v1/search?q=Xylophone99', '/v1/tasks/search?q=Xylophone99')
    paths.push(`/v1/history?task=${task.id}`, '/v1/knowledge/search?q=Xylophone99', '/v1/tasks/cards')
    for (const path of paths) assert.ok(!(await ada.get(path)).text.includes('Xylophone99"'), path)
    for (const path of paths) assert.ok(!(await ada.get(path)).text.includes(secret.id), path)
    assert.equal(expectStatus(await ada.get('/v1/knowledge/shared/name'), 200).body.data.content, 'seen')
    assert.deepEqual((await ada.get(`/v1/tasks?blocks=${task.id}`)).body.data, [])
    const linked = (await ada.get('/v1/links?key=links/out')).body.data
    assert.ok(linked.every(({ task: id }: Body) => id !== hidden.id))
  })

  it('of an admin key without a user are its scopes', async () => {
    expectStatus(await wl.get(`/v1/projects/${secret.id}`), 200)
    const plain = await createKey(wl)
    expectError(await wl.get(`/v1/projects/${secret.id}`, { key: plain.key }), 'NOT_FOUND')
    const limited = await createKey(wl, { projectIds: [secret.id] })
    expectStatus(await wl.get(`/v1/projects/${secret.id}`, { key: limited.key }), 200)
  })
})
