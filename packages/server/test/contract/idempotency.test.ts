import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { expectError, expectInvalid, expectStatus } from 'worklore-testing/expect'
import { createKey, createProject } from 'worklore-testing/factories'
import { describeService } from 'worklore-testing/service-suite'

const once = (idempotencyKey: string, key?: string) => ({
  headers: { 'idempotency-key': idempotencyKey },
  ...(key && { key }),
})

describeService('idempotency', (wl) => {
  const body = { projectId: 'ACME', title: 'Once' }
  before(() => createProject(wl, { key: 'ACME' }))

  const countTasks = async (): Promise<number> => (await wl.get('/v1/tasks?limit=1')).body.pagination.total

  it('gives the first answer again, marked as a replay', async () => {
    const first = expectStatus(await wl.post('/v1/tasks', body, once('replay')), 201)
    assert.equal(first.headers['idempotency-replayed'], undefined)
    const count = await countTasks()
    await wl.patch(`/v1/tasks/${first.body.data.id}`, { title: 'Changed since' })
    const again = expectStatus(await wl.post('/v1/tasks', body, once('replay')), 201)
    assert.equal(again.headers['idempotency-replayed'], 'true')
    assert.equal(again.text, first.text)
    assert.deepEqual([again.headers.location, again.headers.etag], [first.headers.location, first.headers.etag])
    assert.notEqual(again.headers['x-request-id'], first.headers['x-request-id'])
    assert.equal(await countTasks(), count)
  })

  it('refuses another request under the same key', async () => {
    await wl.post('/v1/tasks', body, once('other'))
    const answer = await wl.post('/v1/tasks', { ...body, title: 'Other' }, once('other'))
    expectError(answer, 'IDEMPOTENCY_MISMATCH')
  })

  it('has one effect for fifty requests at once', async () => {
    const count = await countTasks()
    const answers = await Promise.all(Array.from({ length: 50 }, () => wl.post('/v1/tasks', body, once('fifty'))))
    assert.equal(await countTasks(), count + 1)
    const made = answers.filter(({ status }) => status === 201)
    assert.ok(made.length >= 1)
    assert.equal(made.filter(({ headers }) => !headers['idempotency-replayed']).length, 1)
    assert.equal(new Set(made.map(({ text }) => text)).size, 1)
    for (const answer of answers) if (answer.status !== 201) expectError(answer, 'CONFLICT')
    const later = expectStatus(await wl.post('/v1/tasks', body, once('fifty')), 201)
    assert.equal(later.text, made[0]!.text)
  })

  it('belongs to one API key and one route', async () => {
    const { key } = await createKey(wl, { scopes: ['admin'] })
    const first = (await wl.post('/v1/tasks', body, once('scoped'))).body.data
    const ofOther = expectStatus(await wl.post('/v1/tasks', body, once('scoped', key)), 201)
    assert.notEqual(ofOther.body.data.id, first.id)
    const user = expectStatus(await wl.post('/v1/users', { name: 'Ada' }, once('scoped')), 201)
    assert.equal(user.headers['idempotency-replayed'], undefined)
  })

  it('holds for every POST', async () => {
    const posts: [path: string, body: object][] = [
      ['/v1/projects', { key: 'IDEM', name: 'x' }],
      ['/v1/users', { name: 'x' }],
      ['/v1/keys', { name: 'x', scopes: ['tasks:read'] }],
    ]
    for (const [path, each] of posts) {
      const first = expectStatus(await wl.post(path, each, once('any')), 201)
      const again = expectStatus(await wl.post(path, each, once('any')), 201)
      assert.equal(again.headers['idempotency-replayed'], 'true')
      assert.equal(again.body.data.id, first.body.data.id)
    }
  })

  it('shows a secret only the first time', async () => {
    const fields = { name: 'secretive', scopes: ['tasks:read'] }
    const first = (await wl.post('/v1/keys', fields, once('secret'))).body.data
    assert.match(first.key, /^wl_live_/)
    const again = (await wl.post('/v1/keys', fields, once('secret'))).body.data
    assert.deepEqual(again, { ...first, key: null })
    const path = `/v1/keys/${first.id}/rotate`
    const rotated = expectStatus(await wl.post(path, { overlapSeconds: 60 }, once('secret')), 200).body.data
    const replayed = expectStatus(await wl.post(path, { overlapSeconds: 60 }, once('secret')), 200)
    assert.deepEqual(replayed.body.data, { ...rotated, key: null })
    expectStatus(await wl.get('/v1/me', { key: rotated.key }), 200)
    const other = await createKey(wl)
    expectError(
      await wl.post(`/v1/keys/${other.id}/rotate`, { overlapSeconds: 60 }, once('secret')),
      'IDEMPOTENCY_MISMATCH',
    )
  })

  it('keeps no error, so that a request can be mended and sent again', async () => {
    expectError(await wl.post('/v1/tasks', { title: 'x' }, once('mended')), 'VALIDATION_ERROR')
    const unknown = { ...body, assigneeId: 'usr_unknown' }
    expectInvalid(await wl.post('/v1/tasks', unknown, once('mended')), 'assigneeId')
    const answer = expectStatus(await wl.post('/v1/tasks', body, once('mended')), 201)
    assert.equal(answer.headers['idempotency-replayed'], undefined)
  })

  it('is checked before the body is acted on, with 1 to 255 characters', async () => {
    const count = await countTasks()
    for (const wrong of ['', 'x'.repeat(256)]) {
      expectInvalid(await wl.post('/v1/tasks', body, once(wrong)), 'Idempotency-Key')
    }
    assert.equal(await countTasks(), count)
    for (const right of ['x', '0'.repeat(255)]) expectStatus(await wl.post('/v1/tasks', body, once(right)), 201)
  })

  it('ends after 24 hours', async () => {
    const first = (await wl.post('/v1/tasks', body, once('day'))).body.data
    wl.passTime(24 * 3_600_000 - 60_000)
    assert.equal((await wl.post('/v1/tasks', body, once('day'))).body.data.id, first.id)
    wl.passTime(61_000)
    const fresh = expectStatus(await wl.post('/v1/tasks', { ...body, title: 'New' }, once('day')), 201)
    assert.notEqual(fresh.body.data.id, first.id)
  })
})
