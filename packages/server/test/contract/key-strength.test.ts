import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { expectError, expectInvalid, expectStatus } from 'worklore-testing/expect'
import { createKey, createProject, createTask, createUser, putItem } from 'worklore-testing/factories'
import { describeTenant } from 'worklore-testing/service-suite'

describeTenant('what a key may do', (wl) => {
  let ownId: string
  before(async () => {
    ownId = (await createProject(wl, { key: 'OWN' })).id
    await createProject(wl, { key: 'OTHER' })
    await createTask(wl, 'OWN')
    await createTask(wl, 'OTHER')
    await putItem(wl, 'wide', 'of the tenant')
    await putItem(wl, 'own', 'x', { projectId: 'OWN' })
    await putItem(wl, 'other', 'x', { projectId: 'OTHER' })
  })

  /** By scope, the requests that a key with that scope alone may make. */
  const requests: [needs: string, method: string, path: string, body?: object][] = [
    ['tasks:read', 'GET', '/v1/tasks'],
    ['tasks:read', 'GET', '/v1/tasks/OWN-1'],
    ['tasks:write', 'POST', '/v1/tasks', { projectId: 'OWN', title: 'x' }],
    ['tasks:write', 'PATCH', '/v1/tasks/OWN-1', { title: 'x' }],
    ['tasks:write', 'DELETE', '/v1/tasks/OWN-99'],
    ['knowledge:read', 'GET', '/v1/knowledge'],
    ['knowledge:read', 'GET', '/v1/knowledge/wide'],
    ['knowledge:write', 'PUT', '/v1/knowledge/wide', { content: 'x' }],
    ['knowledge:write', 'DELETE', '/v1/knowledge/none'],
    ['admin', 'POST', '/v1/projects', {}],
    ['admin', 'PATCH', '/v1/projects/OWN', {}],
    ['admin', 'DELETE', '/v1/projects/NONE'],
    ['admin', 'POST', '/v1/users', {}],
    ['admin', 'PATCH', '/v1/users/usr_none', {}],
    ['admin', 'DELETE', '/v1/users/usr_none'],
    ['admin', 'GET', '/v1/keys'],
    ['admin', 'GET', '/v1/keys/key_none'],
    ['admin', 'POST', '/v1/keys', {}],
    ['admin', 'PATCH', '/v1/keys/key_none', {}],
    ['admin', 'DELETE', '/v1/keys/key_none'],
    ['admin', 'POST', '/v1/keys/key_none/rotate', {}],
    ['', 'GET', '/v1/me'],
    ['', 'GET', '/v1/projects'],
    ['', 'GET', '/v1/projects/OWN'],
    ['', 'GET', '/v1/users'],
  ]
  const includes: Record<string, string[]> = {
    'tasks:read': ['tasks:read'],
    'tasks:write': ['tasks:read', 'tasks:write'],
    'knowledge:read': ['knowledge:read'],
    'knowledge:write': ['knowledge:read', 'knowledge:write'],
    admin: ['tasks:read', 'tasks:write', 'knowledge:read', 'knowledge:write', 'admin'],
  }

  for (const [scope, granted] of Object.entries(includes)) {
    it(`follows from the scope ${scope}`, async () => {
      const { key } = await createKey(wl, { scopes: [scope] })
      for (const [needs, method, path, body] of requests) {
        const answer = await wl.request(method, path, { key, body })
        if (needs === '' || granted.includes(needs)) {
          assert.notEqual(answer.status, 403, `${method} ${path} with ${scope}`)
        } else {
          assert.equal(expectError(answer, 'FORBIDDEN').requiredScope, needs, `${method} ${path} with ${scope}`)
        }
      }
    })
  }

  it('ends at the projects it is limited to', async () => {
    const made = await createKey(wl, { scopes: ['tasks:write', 'knowledge:write'], projectIds: ['OWN'] })
    const { key } = made
    assert.deepEqual(made.projectIds, [ownId])
    expectStatus(await wl.get('/v1/tasks/OWN-1', { key }), 200)
    expectStatus(await wl.post('/v1/tasks', { projectId: 'OWN', title: 'x' }, { key }), 201)
    const forbidden: [method: string, path: string, body?: object][] = [
      ['GET', '/v1/tasks/OTHER-1'],
      ['PATCH', '/v1/tasks/OTHER-1', { title: 'x' }],
      ['DELETE', '/v1/tasks/OTHER-1'],
      ['POST', '/v1/tasks', { projectId: 'OTHER', title: 'x' }],
      ['GET', '/v1/tasks?projectId=OTHER'],
      ['GET', '/v1/tasks?projectId=OWN,OTHER'],
      ['GET', '/v1/knowledge?projectId=OTHER'],
      ['GET', '/v1/knowledge/other?projectId=OTHER'],
      ['GET', '/v1/knowledge/other'],
      ['PUT', '/v1/knowledge/other', { content: 'x', projectId: 'OTHER' }],
      ['DELETE', '/v1/knowledge/other'],
      ['PUT', '/v1/knowledge/wide', { content: 'x' }],
      ['DELETE', '/v1/knowledge/wide'],
      ['GET', '/v1/projects/OTHER'],
    ]
    for (const [method, path, body] of forbidden) {
      expectError(await wl.request(method, path, { key, body }), 'FORBIDDEN')
    }
    const tasks = (await wl.get('/v1/tasks', { key })).body
    assert.ok(tasks.data.length > 0 && tasks.data.every((task: { projectId: string }) => task.projectId === ownId))
    assert.equal(tasks.pagination.total, tasks.data.length)
    assert.equal((await wl.get('/v1/knowledge/wide', { key })).status, 200)
    const keysOf = async (query: string) =>
      (await wl.get(`/v1/knowledge?${query}`, { key })).body.data.map((item: { key: string }) => item.key)
    assert.deepEqual(await keysOf(''), ['own', 'wide'])
    assert.deepEqual(await keysOf('scope=project'), ['own'])
    assert.deepEqual(await keysOf('scope=tenant'), ['wide'])
    const projects = (await wl.get('/v1/projects', { key })).body.data
    assert.deepEqual(
      projects.map((project: { key: string }) => project.key),
      ['OWN'],
    )
    expectStatus(await wl.put('/v1/knowledge/own', { content: 'y', projectId: 'OWN' }, { key }), 200)
  })

  it('picks the one item of its own projects where a key is ambiguous for others', async () => {
    for (const projectId of ['OWN', 'OTHER']) await putItem(wl, 'shared', 'x', { projectId })
    const { key } = await createKey(wl, { scopes: ['knowledge:read'], projectIds: ['OWN'] })
    assert.equal((await wl.get('/v1/knowledge/shared', { key })).body.data.projectId, ownId)
  })

  it('is never admin where it is limited to projects', async () => {
    const fields = { name: 'x', scopes: ['admin'], projectIds: ['OWN'] }
    expectInvalid(await wl.post('/v1/keys', fields), 'scopes')
    const limited = await createKey(wl, { projectIds: ['OWN'] })
    expectInvalid(await wl.patch(`/v1/keys/${limited.id}`, { scopes: ['admin'] }), 'scopes')
    const admin = await createKey(wl, { scopes: ['admin'] })
    expectInvalid(await wl.patch(`/v1/keys/${admin.id}`, { projectIds: ['OWN'] }), 'scopes')
  })

  it('is never more than the key that made it', async () => {
    const end = Date.now() + 3_600_000
    const expiresAt = new Date(end).toISOString()
    const { id, key } = await createKey(wl, { scopes: ['admin'], expiresAt })
    const lasting = await createKey(wl, { scopes: ['admin'] })
    const fields = { name: 'x', scopes: ['tasks:read'] }
    expectError(await wl.post('/v1/keys', fields, { key }), 'FORBIDDEN')
    const later = new Date(end + 1).toISOString()
    expectError(await wl.post('/v1/keys', { ...fields, expiresAt: later }, { key }), 'FORBIDDEN')
    expectStatus(await wl.post('/v1/keys', { ...fields, expiresAt }, { key }), 201)
    expectError(await wl.patch(`/v1/keys/${id}`, { expiresAt: null }, { key }), 'FORBIDDEN')
    expectError(await wl.patch(`/v1/keys/${id}`, { expiresAt: later }, { key }), 'FORBIDDEN')
    // The secret of a key that lasts would be a stronger key in the hands of one that ends.
    expectError(await wl.post(`/v1/keys/${lasting.id}/rotate`, {}, { key }), 'FORBIDDEN')
    expectStatus(await wl.post(`/v1/keys/${id}/rotate`, { overlapSeconds: 60 }, { key }), 200)
    expectStatus(await wl.patch(`/v1/keys/${lasting.id}`, { name: 'renamed' }, { key }), 200)
    // Whose key it is says what it may do.
    const user = await createUser(wl, { role: 'admin' })
    const held = await createKey(wl, { scopes: ['admin'], userId: user.id })
    expectStatus(await wl.patch(`/v1/users/${user.id}`, { role: 'member' }), 200)
    expectError(await wl.patch(`/v1/keys/${held.id}`, { userId: null }, { key }), 'FORBIDDEN')
    expectError(await wl.get('/v1/keys', { key: held.key }), 'FORBIDDEN')
  })
  const limits = {
    expires: { expiresAt: new Date(Date.now() + 3_600_000).toISOString() },
    'is limited to addresses': { allowedAddresses: ['127.0.0.1'] },
  }
  for (const [limit, fields] of Object.entries(limits)) {
    it(`gives nobody lasting rights if it ${limit}`, async () => {
      const { key } = await createKey(wl, { scopes: ['admin'], ...fields })
      const lasting = await createUser(wl)
      const held = await createKey(wl, { scopes: ['admin'], userId: null })
      await wl.patch(`/v1/keys/${held.id}`, { scopes: ['tasks:write'], userId: lasting.id })
      const agent = await createUser(wl, { kind: 'agent' })
      const outsider = await createUser(wl, { role: 'none' })
      const secret = await createProject(wl, { visibility: 'private' })
      const open = await createProject(wl)
      expectStatus(await wl.put(`/v1/projects/${open.id}/members/${lasting.id}`, { role: 'viewer' }), 200)
      const { id: webhookId } = expectStatus(
        await wl.post('/v1/webhooks', { url: 'https://93.184.215.14/hook', events: ['task.*'], active: false }),
        201,
      ).body.data
      const refused: [method: string, path: string, body?: object][] = [
        ['PATCH', `/v1/users/${lasting.id}`, { role: 'admin' }],
        ['PATCH', `/v1/users/${outsider.id}`, { role: 'member' }],
        ['PATCH', `/v1/users/${lasting.id}`, { email: 'eve@example.com' }],
        ['PATCH', `/v1/users/${agent.id}`, { kind: 'human' }],
        ['POST', '/v1/users', { name: 'Eve', role: 'admin' }],
        ['POST', '/v1/users', { name: 'Eve', email: 'eve@example.com' }],
        ['PUT', `/v1/projects/${secret.id}/members/${lasting.id}`, { role: 'viewer' }],
        ['PUT', `/v1/projects/${open.id}/members/${lasting.id}`, { role: 'member' }],
        ['DELETE', `/v1/projects/${open.id}/members/${lasting.id}`],
        ['PATCH', `/v1/projects/${secret.id}`, { visibility: 'tenant' }],
        ['POST', `/v1/keys/${held.id}/console-link`],
        ['POST', '/v1/webhooks', { url: 'https://93.184.215.14/hook', events: ['task.*'] }],
        ['PATCH', `/v1/webhooks/${webhookId}`, { active: true }],
        ['PATCH', `/v1/webhooks/${webhookId}`, { url: 'https://93.184.215.15/hook' }],
        ['POST', `/v1/webhooks/${webhookId}/rotate-secret`],
      ]
      for (const [method, path, body] of refused) {
        const error = expectError(await wl.request(method, path, { body, key }), 'FORBIDDEN')
        assert.match(error.message as string, new RegExp(`^A key that ${limit} cannot`), `${method} ${path}`)
      }
      assert.equal((await wl.get(`/v1/users/${lasting.id}`)).body.data.role, 'member')

      const allowed: [method: string, path: string, body?: object][] = [
        ['PATCH', `/v1/users/${lasting.id}`, { role: 'none', name: 'Renamed' }],
        ['POST', '/v1/users', { name: 'Bot', kind: 'agent', email: 'bot@example.com' }],
        ['POST', '/v1/projects', { key: `L${limit.length}`, name: 'Private', visibility: 'private' }],
        ['PATCH', `/v1/projects/${open.id}`, { visibility: 'private' }],
        ['PATCH', `/v1/webhooks/${webhookId}`, { description: 'x' }],
        ['DELETE', `/v1/projects/${open.id}/members/${lasting.id}`],
        [
          'POST',
          '/v1/keys',
          { name: 'x', scopes: ['tasks:read'], projectIds: [secret.id], user: { name: 'x' }, ...fields },
        ],
      ]
      for (const [method, path, body] of allowed) {
        const { status, text } = await wl.request(method, path, { body, key })
        assert.ok(status < 300, `${method} ${path}: ${text}`)
      }
    })
  }
})
