import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { it } from 'node:test'
import { expectError, expectInvalid, expectStatus } from 'worklore-testing/expect'
import { createKey, createProject, createUser } from 'worklore-testing/factories'
import { rowsOf } from 'worklore-testing/harness'
import { describeService } from 'worklore-testing/service-suite'

const tables = ['key_secrets', 'key_hashes', 'api_keys', 'events', 'idempotent_requests']

describeService('API keys', (wl) => {
  it('have a form that scanners can spot, with a checksum that finds a typo', async () => {
    const { key, prefix } = await createKey(wl)
    assert.match(key, /^wl_live_[0-9A-Za-z]{38}$/)
    assert.ok(key.startsWith(prefix) && prefix.length < 16)
    const last = key.at(-1) === 'a' ? 'b' : 'a'
    for (const wrong of [key.slice(0, -1) + last, key.slice(0, -1), `${key}a`, key.toLowerCase()]) {
      assert.equal(expectError(await wl.get('/v1/me', { key: wrong }), 'UNAUTHORIZED').reason, 'invalid')
    }
  })

  it('are shown once and kept only as a hash', async () => {
    const made = await createKey(wl, {}, { headers: { 'idempotency-key': 'shown once' } })
    const { key, ...record } = made
    assert.deepEqual(Object.keys(record).sort(), [
      'allowedAddresses',
      'createdAt',
      'expiresAt',
      'id',
      'lastUsedAt',
      'name',
      'paused',
      'prefix',
      'projectIds',
      'scopes',
      'userId',
    ])
    assert.deepEqual((await wl.get(`/v1/keys/${made.id}`)).body.data, record)
    for (const path of ['/v1/keys', `/v1/keys/${made.id}`]) {
      assert.ok(!(await wl.get(path)).text.includes(key.slice(12)))
    }
    let stored = ''
    for (const table of tables) stored += JSON.stringify(await rowsOf(wl, `select * from ${table}`))
    assert.ok(!stored.includes(key.slice(12)))
    assert.ok(stored.includes(createHash('sha256').update(key).digest('hex')))
  })

  it('are changed and listed', async () => {
    const user = await createUser(wl)
    const { id } = await createKey(wl, { name: 'before' })
    const patch = { name: 'after', scopes: ['knowledge:read'], userId: user.id, expiresAt: '2099-01-01T01:00:00+01:00' }
    const { body } = expectStatus(await wl.patch(`/v1/keys/${id}`, patch), 200)
    const { name, scopes, userId, expiresAt } = body.data
    assert.deepEqual(
      [name, scopes, userId, expiresAt],
      ['after', ['knowledge:read'], user.id, '2099-01-01T00:00:00.000Z'],
    )
    const cleared = await wl.patch(`/v1/keys/${id}`, { userId: null, expiresAt: null })
    assert.deepEqual([cleared.body.data.userId, cleared.body.data.expiresAt], [null, null])
    const seen: string[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { body: page } = expectStatus(await wl.get(`/v1/keys?limit=1${cursor && `&cursor=${cursor}`}`), 200)
      seen.push(page.data[0].id)
      cursor = page.pagination.nextCursor
    }
    assert.ok(seen.includes(id) && new Set(seen).size === seen.length)
    for (const method of ['GET', 'DELETE']) expectError(await wl.request(method, '/v1/keys/key_none'), 'NOT_FOUND')
    expectError(await wl.patch('/v1/keys/key_none', {}), 'NOT_FOUND')
    expectError(await wl.post('/v1/keys/key_none/rotate', {}), 'NOT_FOUND')
  })

  it('have fields of the right form', async () => {
    expectInvalid(await wl.post('/v1/keys', {}), 'name', 'scopes')
    const refused: [fields: object, path: string][] = [
      [{ scopes: [] }, 'scopes'],
      [{ scopes: ['tasks'] }, 'scopes.0'],
      [{ name: '' }, 'name'],
      [{ projectIds: [] }, 'projectIds'],
      [{ projectIds: ['NOPE'] }, 'projectIds.0'],
      [{ userId: 'usr_none' }, 'userId'],
      [{ userId: '' }, 'userId'],
      [{ expiresAt: 'soon' }, 'expiresAt'],
      [{ expiresAt: '2026-02-30T00:00:00Z' }, 'expiresAt'],
      [{ expiresAt: '2020-01-01T00:00:00Z' }, 'expiresAt'],
      [{ expiresAt: '2030-12-31T23:59:60Z' }, 'expiresAt'],
      [{ key: 'mine' }, 'key'],
      [{ id: 'key_mine' }, 'id'],
    ]
    for (const [fields, path] of refused) {
      expectInvalid(await wl.post('/v1/keys', { name: 'x', scopes: ['tasks:read'], ...fields }), path)
    }
    const wrong = { projectIds: ['NOPE'], userId: 'usr_none', expiresAt: '2020-01-01T00:00:00Z' }
    const paths = ['projectIds.0', 'userId', 'expiresAt']
    expectInvalid(
      await wl.post('/v1/keys', { name: 'x', scopes: ['tasks:read'], ...wrong, allowedAddresses: ['here'] }),
      'allowedAddresses.0',
      ...paths,
    )
    expectInvalid(await wl.post('/v1/keys', { ...wrong, scopes: ['all'] }), 'name', 'scopes.0')
    expectInvalid(await wl.patch(`/v1/keys/${(await createKey(wl)).id}`, wrong), ...paths)
    expectStatus(
      await wl.post('/v1/keys', { name: 'x', scopes: ['tasks:read'], expiresAt: '2030-01-01t00:00:00z' }),
      201,
    )
    const { id } = await createKey(wl)
    for (const overlapSeconds of [-1, 1.5, '60', 604_801]) {
      expectInvalid(await wl.post(`/v1/keys/${id}/rotate`, { overlapSeconds }), 'overlapSeconds')
    }
  })

  it('are made with a user who is a member of the private projects that they are limited to', async () => {
    const [hidden, other] = [
      await createProject(wl, { visibility: 'private' }),
      await createProject(wl, { visibility: 'private' }),
    ]
    const scopes = ['tasks:write']
    const { key } = await createKey(wl, { scopes, projectIds: [hidden.id], user: { name: 'scribe' } })
    expectStatus(await wl.post('/v1/tasks', { projectId: hidden.id, title: 'x' }, { key }), 201)
    expectError(await wl.get(`/v1/projects/${other.id}`, { key }), 'NOT_FOUND')
    const { data } = (await wl.get(`/v1/projects/${hidden.id}/members`)).body
    assert.deepEqual(
      data.map(({ name, role }: Record<string, string>) => [name, role]),
      [['scribe', 'member']],
    )
  })

  it('are created together with their user', async () => {
    const fields = { name: 'agent-7, laptop', scopes: ['tasks:write'], user: { name: 'agent-7' } }
    const headers = { 'idempotency-key': 'with its user' }
    const { body, headers: answered } = expectStatus(await wl.post('/v1/keys', fields, { headers }), 201)
    const { id, userId, key } = body.data
    const user = (await wl.get(`/v1/users/${userId}`)).body.data
    assert.deepEqual([user.name, user.handle, user.kind, user.email], ['agent-7', 'agent-7', 'agent', null])
    assert.equal((await wl.get('/v1/me', { key })).body.data.user.id, userId)
    const { body: log } = await wl.get('/v1/events?order=desc&limit=2')
    assert.deepEqual(
      log.data.map(({ type, data, requestId }: { type: string; data: { id: string }; requestId: string }) => [
        type,
        data.id,
        requestId,
      ]),
      [
        ['key.created', id, answered['x-request-id']],
        ['user.created', userId, answered['x-request-id']],
      ],
    )
    const replayed = expectStatus(await wl.post('/v1/keys', fields, { headers }), 201).body.data
    assert.deepEqual([replayed.userId, replayed.key], [userId, null])
    const person = await createKey(wl, { user: { name: 'Ada', kind: 'human' } })
    assert.equal((await wl.get(`/v1/users/${person.userId}`)).body.data.kind, 'human')
  })

  it('leave no user behind where they are refused', async () => {
    const users = async () => (await wl.get('/v1/users?limit=100')).body.data.length
    const before = await users()
    const { id: userId } = await createUser(wl)
    const user = { name: 'agent-8' }
    const refused: [fields: object, ...paths: string[]][] = [
      [{ user, userId }, 'user'],
      [{ user, userId: null }, 'user'],
      [{ user, userId, projectIds: ['NOPE'] }, 'user', 'projectIds.0'],
      [{ user: {} }, 'user.name'],
      [{ user: { name: ' ' } }, 'user.name'],
      [{ user: { name: 'x', kind: 'robot' } }, 'user.kind'],
      [{ user: { name: 'x', email: 'x@example.com' } }, 'user.email'],
      [{ user: null }, 'user'],
      [{ user, projectIds: ['NOPE'] }, 'projectIds.0'],
    ]
    for (const [fields, ...paths] of refused) {
      expectInvalid(await wl.post('/v1/keys', { name: 'x', scopes: ['tasks:read'], ...fields }), ...paths)
    }
    expectInvalid(await wl.patch(`/v1/keys/${(await createKey(wl)).id}`, { user }), 'user')
    const ending = await createKey(wl, { scopes: ['admin'], expiresAt: new Date(Date.now() + 3_600_000).toISOString() })
    const lasting = { name: 'x', scopes: ['tasks:read'], user }
    expectError(await wl.post('/v1/keys', lasting, { key: ending.key }), 'FORBIDDEN')
    const reader = await createKey(wl, { scopes: ['tasks:write'] })
    expectError(await wl.post('/v1/keys', lasting, { key: reader.key }), 'FORBIDDEN')
    assert.equal(await users(), before + 1)
  })

  it('end when they expire', async () => {
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString()
    const { key } = await createKey(wl, { expiresAt })
    expectStatus(await wl.get('/v1/me', { key }), 200)
    wl.passTime(3_600_000)
    assert.equal(expectError(await wl.get('/v1/me', { key }), 'UNAUTHORIZED').reason, 'expired')
  })

  it('are no longer taken by the very next request after their revocation', async () => {
    for (let at = 0; at < 30; at++) {
      const { id, key } = await createKey(wl, { scopes: ['tasks:read'] })
      expectStatus(await wl.get('/v1/me', { key }), 200)
      expectStatus(await wl.delete(`/v1/keys/${id}`), 200)
      expectError(await wl.get('/v1/me', { key }), 'UNAUTHORIZED')
    }
  })

  it('are revoked at once', async () => {
    const { id, key } = await createKey(wl)
    expectStatus(await wl.get('/v1/me', { key }), 200)
    assert.deepEqual((await wl.delete(`/v1/keys/${id}`)).body, { data: { id, deleted: true } })
    assert.equal(expectError(await wl.get('/v1/me', { key }), 'UNAUTHORIZED').reason, 'revoked')
    expectError(await wl.delete(`/v1/keys/${id}`), 'NOT_FOUND')
    expectError(await wl.get(`/v1/keys/${id}`), 'NOT_FOUND')
    assert.ok(!(await wl.get('/v1/keys?limit=100')).text.includes(id))
  })

  it('lose and gain scopes at once', async () => {
    const { id, key } = await createKey(wl, { scopes: ['tasks:read'] })
    expectStatus(await wl.get('/v1/tasks', { key }), 200)
    await wl.patch(`/v1/keys/${id}`, { scopes: ['knowledge:read'] })
    expectError(await wl.get('/v1/tasks', { key }), 'FORBIDDEN')
    expectStatus(await wl.get('/v1/knowledge', { key }), 200)
  })

  it('are rotated with an overlap in which both secrets are good', async () => {
    const { id, key } = await createKey(wl, { name: 'turning' })
    const answer = expectStatus(await wl.post(`/v1/keys/${id}/rotate`, { overlapSeconds: 600 }), 200)
    const rotated = answer.body.data
    assert.equal(rotated.id, id)
    assert.notEqual(rotated.key, key)
    assert.ok(rotated.key.startsWith(rotated.prefix))
    for (const each of [key, rotated.key]) {
      assert.equal((await wl.get('/v1/me', { key: each })).body.data.key.id, id)
    }
    wl.passTime(600_000)
    assert.equal(expectError(await wl.get('/v1/me', { key }), 'UNAUTHORIZED').reason, 'expired')
    expectStatus(await wl.get('/v1/me', { key: rotated.key }), 200)
  })

  it('are rotated at once without an overlap, also without a body', async () => {
    const { id, key } = await createKey(wl)
    expectStatus(await wl.get('/v1/me', { key }), 200)
    const rotated = expectStatus(await wl.request('POST', `/v1/keys/${id}/rotate`), 200).body.data
    assert.equal(expectError(await wl.get('/v1/me', { key }), 'UNAUTHORIZED').reason, 'expired')
    expectStatus(await wl.get('/v1/me', { key: rotated.key }), 200)
  })

  it('tell when they were last used, which is written sparingly', async () => {
    const { id, key } = await createKey(wl)
    const lastUsed = async (): Promise<string | null> => {
      await wl.service.core.keysUsed.flush()
      return (await wl.get(`/v1/keys/${id}`)).body.data.lastUsedAt
    }
    assert.equal(await lastUsed(), null)
    await wl.get('/v1/me', { key })
    const first = await lastUsed()
    assert.ok(first)
    wl.passTime(30_000)
    await wl.get('/v1/me', { key })
    assert.equal(await lastUsed(), first)
    wl.passTime(31_000)
    await wl.get('/v1/me', { key })
    assert.ok((await lastUsed())! > first)
  })
})
