import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { engines } from 'worklore-testing/engines'
import { openStream } from 'worklore-testing/event-stream'
import { expectError, expectStatus } from 'worklore-testing/expect'
import { createKey, createProject, createTask, createUser, putItem } from 'worklore-testing/factories'
import { startService, type TestService } from 'worklore-testing/harness'
import { quietBoundMs } from 'worklore-testing/long-run'
import { until } from 'worklore-testing/until'

describe('two nodes on one store', () => {
  let one: TestService
  let two: TestService
  before(async () => {
    const engine = engines.find(({ name }) => name === 'postgres')!
    one = await startService(engine)
    two = await startService(engine, { store: one.store })
  })
  after(async () => {
    await two?.stop()
    await one?.stop()
  })

  it('see each other’s writes at once', async () => {
    await createProject(one, { key: 'ACME' })
    const task = await createTask(two, 'ACME')
    assert.deepEqual((await one.get(`/v1/tasks/${task.id}`)).body.data, task)
  })

  it('both refuse a revoked key within five seconds', async () => {
    const { id, key } = await createKey(one)
    expectStatus(await two.get('/v1/me', { key }), 200)
    expectStatus(await one.delete(`/v1/keys/${id}`), 200)
    expectError(await one.get('/v1/me', { key }), 'UNAUTHORIZED')
    const revokedAt = performance.now()
    while ((await two.get('/v1/me', { key })).status === 200) {
      assert.ok(performance.now() - revokedAt < quietBoundMs(5_000), 'the other node still takes the key')
      await pause(200)
    }
  })

  it('both know a role that was taken away within five seconds, in open streams too', async () => {
    const user = await createUser(one)
    const { key } = await createKey(one, { userId: user.id })
    const project = await createProject(one, { visibility: 'private' })
    const member = `/v1/projects/${project.id}/members/${user.id}`
    expectStatus(await one.put(member, { role: 'viewer' }), 200)
    const read = () => two.get(`/v1/projects/${project.id}`, { key })
    await until(read, ({ status }) => status === 200)
    const stream = await openStream(`${two.baseUrl}/v1/events/stream?projectId=${project.id}`, key)
    assert.equal(stream.status, 200)
    expectStatus(await one.delete(member), 200)
    const removedAt = performance.now()
    await until(read, ({ status }) => status === 404)
    await stream.ended
    assert.ok(performance.now() - removedAt < quietBoundMs(5_000), 'the other node still knows the role')
    assert.equal(stream.events.at(-1)!.data.code, 'NOT_FOUND')
  })

  it('give no claim to a key that the other has just revoked', async () => {
    const { id, key } = await createKey(one)
    const held = await createTask(one, 'ACME')
    expectStatus(await two.post(`/v1/tasks/${held.id}/claim`, {}, { key }), 200)
    const free = await createTask(one, 'ACME')
    expectStatus(await one.delete(`/v1/keys/${id}`), 200)
    const claim = { 'worklore-claim': `${held.id}.1` }
    expectError(await two.post(`/v1/tasks/${held.id}/renew`, {}, { key, headers: claim }), 'UNAUTHORIZED')
    expectError(await two.post(`/v1/tasks/${free.id}/claim`, {}, { key }), 'UNAUTHORIZED')
    expectError(await two.post('/v1/tasks/next', { projectId: 'ACME' }, { key }), 'UNAUTHORIZED')
    for (const task of [held, free]) assert.equal((await one.get(`/v1/tasks/${task.id}`)).body.data.claim, null)
  })

  it('let one of many writers at the same version win', async () => {
    const task = await createTask(one, 'ACME')
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        [one, two][at % 2]!.patch(`/v1/tasks/${task.id}`, { title: `${at}` }, { headers: { 'if-match': '"1"' } }),
      ),
    )
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(19).fill(412)])
  })

  it('act once for one Idempotency-Key', async () => {
    const count = async () => (await one.get('/v1/tasks?limit=1')).body.pagination.total
    const before = await count()
    const headers = { 'idempotency-key': 'both' }
    // A busy database may make a node refuse a request before it has begun.
    const create = async (node: typeof one) => {
      for (;;) {
        const answer = await node.post('/v1/tasks', { projectId: 'ACME', title: 'once' }, { headers })
        if (answer.status !== 503) return answer
      }
    }
    const answers = await Promise.all(Array.from({ length: 50 }, (_, at) => create([one, two][at % 2]!)))
    assert.equal(await count(), before + 1)
    for (const answer of answers) if (answer.status !== 201) expectError(answer, 'CONFLICT')
    assert.equal(answers.filter(({ status, headers }) => status === 201 && !headers['idempotency-replayed']).length, 1)
  })

  it('create one item for one knowledge key, and count its versions without a gap', async () => {
    const items = await Promise.all(
      Array.from({ length: 20 }, (_, at) => putItem([one, two][at % 2]!, 'busy', `${at}`)),
    )
    assert.deepEqual(
      items.map(({ version }) => version).sort((a, b) => a - b),
      items.map((_, at) => at + 1),
    )
  })
})
