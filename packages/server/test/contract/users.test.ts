import assert from 'node:assert/strict'
import { it } from 'node:test'
import { signIn } from 'worklore-testing/console-session'
import { expectError, expectInvalid, expectStatus } from 'worklore-testing/expect'
import { createKey, createProject, createTask, createUser } from 'worklore-testing/factories'
import { describeService } from 'worklore-testing/service-suite'

describeService('users', (wl) => {
  it('are created, read, changed and deleted', async () => {
    const answer = expectStatus(await wl.post('/v1/users', { name: 'Ada' }), 201)
    const { id, createdAt, updatedAt, ...rest } = answer.body.data
    assert.match(id, /^usr_[0-9A-Za-z]+$/)
    assert.equal(answer.headers.location, `/v1/users/${id}`)
    assert.equal(createdAt, updatedAt)
    assert.deepEqual(rest, { name: 'Ada', handle: 'ada', email: null, kind: 'human', role: 'member' })
    assert.deepEqual((await wl.get(`/v1/users/${id}`)).body, answer.body)
    wl.passTime(5)
    const fields = { name: 'Bot', handle: 'bot', email: 'bot@example.com', kind: 'agent', role: 'none' }
    const patched = expectStatus(await wl.patch(`/v1/users/${id}`, fields), 200).body.data
    assert.deepEqual(patched, { id, ...fields, createdAt, updatedAt: patched.updatedAt })
    assert.ok(patched.updatedAt > updatedAt)
    assert.equal((await wl.patch(`/v1/users/${id}`, { email: null })).body.data.email, null)
    assert.deepEqual((await wl.delete(`/v1/users/${id}`)).body, { data: { id, deleted: true } })
    expectError(await wl.delete(`/v1/users/${id}`), 'NOT_FOUND')
    expectError(await wl.get(`/v1/users/${id}`), 'NOT_FOUND')
    expectError(await wl.patch(`/v1/users/${id}`, { name: 'x' }), 'NOT_FOUND')
  })

  it('have fields of the right form', async () => {
    expectInvalid(await wl.post('/v1/users', {}), 'name')
    const wrong = { name: '', email: 'nobody', kind: 'robot', admin: true }
    expectInvalid(await wl.post('/v1/users', wrong), 'name', 'email', 'kind', 'admin')
    for (const email of [
      'mi\u212ae@example.com',
      'ada\uff20example.com',
      '\uff41da@example.com',
      'a\u017f@example.com',
    ]) {
      expectInvalid(await wl.post('/v1/users', { name: 'x', email }), 'email')
    }
    const { id } = await createUser(wl)
    expectInvalid(await wl.patch(`/v1/users/${id}`, { id: 'usr_x', createdAt: 'x' }), 'id', 'createdAt')
    expectInvalid(await wl.patch(`/v1/users/${id}`, { name: null }), 'name')
  })

  it('have a handle that is unique in the tenant', async () => {
    const ada = await createUser(wl, { name: 'Grace Hopper' })
    assert.equal(ada.handle, 'grace-hopper')
    assert.equal((await createUser(wl, { name: 'Grace Hopper' })).handle, 'grace-hopper-2')
    assert.equal((await createUser(wl, { name: 'Grace Hopper', handle: 'amazing-grace' })).handle, 'amazing-grace')
    const taken = expectError(await wl.post('/v1/users', { name: 'x', handle: 'grace-hopper' }), 'CONFLICT')
    assert.match(taken.message, /"grace-hopper" is already in use/)
    expectError(await wl.patch(`/v1/users/${ada.id}`, { handle: 'amazing-grace' }), 'CONFLICT')
    assert.equal((await wl.get(`/v1/users/${ada.id}`)).body.data.handle, 'grace-hopper')
    for (const handle of ['x', 'Ada', 'ada!', 'a'.repeat(33), '', null]) {
      expectInvalid(await wl.post('/v1/users', { name: 'x', handle }), 'handle')
      expectInvalid(await wl.patch(`/v1/users/${ada.id}`, { handle }), 'handle')
    }
    const patched = expectStatus(await wl.patch(`/v1/users/${ada.id}`, { handle: 'admiral' }), 200).body.data
    assert.equal(patched.handle, 'admiral')
    expectStatus(await wl.patch(`/v1/users/${ada.id}`, { handle: 'admiral' }), 200)
    const { data } = (await wl.get(`/v1/events?types=user.*&order=desc&limit=1`)).body
    assert.deepEqual(
      [data[0].type, data[0].data.handle, data[0].previous],
      ['user.updated', 'admiral', { handle: 'grace-hopper' }],
    )
    assert.equal((await createUser(wl, { name: 'Grace Hopper' })).handle, 'grace-hopper')
  })

  it('get different handles when they are created at once', async () => {
    const made = await Promise.all(Array.from({ length: 20 }, () => createUser(wl, { name: 'Worker' })))
    assert.deepEqual(
      made.map(({ handle }) => handle).toSorted(),
      Array.from({ length: 20 }, (_, at) => (at === 0 ? 'worker' : `worker-${at + 1}`)).toSorted(),
    )
  })

  it('are listed in pages', async () => {
    for (let at = 0; at < 3; at++) await createUser(wl)
    const all = (await wl.get('/v1/users?limit=100')).body.data
    const seen: unknown[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { body } = expectStatus(await wl.get(`/v1/users?limit=1${cursor && `&cursor=${cursor}`}`), 200)
      seen.push(...body.data)
      cursor = body.pagination.nextCursor
    }
    assert.deepEqual(seen, all)
  })

  it('are unassigned when they are deleted', async () => {
    await createProject(wl, { key: 'ACME' })
    const user = await createUser(wl)
    const task = await createTask(wl, 'ACME', { assigneeId: user.id })
    expectStatus(await wl.delete(`/v1/users/${user.id}`), 200)
    const after = (await wl.get(`/v1/tasks/${task.id}`)).body.data
    assert.deepEqual([after.assignee, after.version], [null, 2])
    assert.deepEqual((await wl.get('/v1/tasks?assignee=none')).body.data, [after])
  })

  it('take their keys, sessions and claims with them when they are deleted', async () => {
    const project = await createProject(wl)
    const user = await createUser(wl)
    const key = await createKey(wl, { userId: user.id })
    const { id } = await createTask(wl, project.id)
    expectStatus(await wl.post(`/v1/tasks/${id}/claim`, {}, { key: key.key }), 200)
    const browser = await signIn(wl, { key: key.key })
    expectStatus(await browser.get('/v1/me'), 200)
    expectStatus(await wl.delete(`/v1/users/${user.id}`), 200)
    assert.equal(expectError(await wl.get('/v1/me', { key: key.key }), 'UNAUTHORIZED').reason, 'revoked')
    expectError(await browser.get('/v1/me'), 'UNAUTHORIZED')
    expectError(await wl.get(`/v1/keys/${key.id}`), 'NOT_FOUND')
    const task = (await wl.get(`/v1/tasks/${id}`)).body.data
    assert.deepEqual([task.claim, task.status], [null, 'todo'])
    const { data } = (await wl.get('/v1/audit?action=key.revoked&limit=1')).body
    assert.equal(data[0].subject, key.id)
  })

  it('may delete themselves, with all of their keys', async () => {
    const user = await createUser(wl, { role: 'admin' })
    const [first, second] = [
      await createKey(wl, { userId: user.id, scopes: ['admin'] }),
      await createKey(wl, { userId: user.id, scopes: ['admin'] }),
    ]
    expectStatus(await wl.delete(`/v1/users/${user.id}`, { key: second.key }), 200)
    for (const { key } of [first, second]) expectError(await wl.get('/v1/me', { key }), 'UNAUTHORIZED')
  })
})
