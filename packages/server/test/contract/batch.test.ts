import assert from 'node:assert/strict'
import { it } from 'node:test'
import { expectError, expectStatus } from 'worklore-testing/expect'
import { createKey, createProject, createTask } from 'worklore-testing/factories'
import { startService } from 'worklore-testing/harness'
import { describeService } from 'worklore-testing/service-suite'
import type { ErrorCode } from '../../src/base/error-reasons.js'

describeService('a batch', (wl, engine) => {
  const batch = (operations: unknown[], options = {}) => wl.post('/v1/batch', { operations }, options)
  const create = (fields: object, as?: string) => ({
    method: 'POST',
    path: '/v1/tasks',
    body: { projectId: 'BAT', title: 'A task', ...fields },
    ...(as && { as }),
  })

  it('makes a plan with its dependencies and a note in one commit', async () => {
    await createProject(wl, { key: 'BAT' })
    const answer = await batch([
      create({ title: 'Design' }, 'design'),
      create({ title: 'Build', blockedBy: ['@design'] }, 'build'),
      create({ title: 'Part', parentId: '@build' }),
      { method: 'POST', path: '/v1/tasks/@design/comments', body: { body: 'Start here' }, as: 'note' },
      { method: 'PATCH', path: '/v1/tasks/@design/comments/@note', body: { body: 'Start' }, as: 'changed' },
      { method: 'PATCH', path: '/v1/tasks/@design/comments/@changed', body: { body: 'Start here, please' } },
      { method: 'PUT', path: '/v1/knowledge/plans/bat?', body: { content: 'The plan' } },
      { method: 'POST', path: '/v1/tasks/@design/claim', body: { leaseSeconds: 60 } },
    ])
    const { data } = expectStatus(answer, 200).body
    assert.deepEqual(
      data.map(({ status }: { status: number }) => status),
      [201, 201, 201, 201, 200, 200, 201, 200],
    )
    assert.deepEqual(data[1].body.data.blockedBy, ['BAT-1'])
    assert.equal(data[2].body.data.parentId, 'BAT-2')
    assert.equal(data[7].body.data.claim.token, 'BAT-1.1')
    assert.equal((await wl.get('/v1/tasks/BAT-1/comments')).body.data[0].body, 'Start here, please')
  })

  it('changes nothing where one of its operations fails, and says which', async () => {
    const before = (await wl.get('/v1/events?after=latest')).body.pagination.nextAfter
    const bad: [object, ErrorCode][] = [
      [create({ titel: 'Typo' }), 'VALIDATION_ERROR'],
      [{ method: 'PATCH', path: '/v1/tasks/BAT-999', body: { title: 'x' } }, 'NOT_FOUND'],
      [
        { method: 'PATCH', path: '/v1/tasks/BAT-2', body: { title: 'x' }, headers: { 'If-Match': '"77"' } },
        'PRECONDITION_FAILED',
      ],
      [{ method: 'DELETE', path: '/v1/tasks/BAT-2', headers: { 'Worklore-Claim': 'BAT-2.9' } }, 'PRECONDITION_FAILED'],
      [create({ blockedBy: ['@later'] }), 'VALIDATION_ERROR'],
      [{ method: 'POST', path: '/v1/tasks/next', body: {} }, 'VALIDATION_ERROR'],
      [{ method: 'POST', path: '/v1/batch', body: { operations: [] } }, 'VALIDATION_ERROR'],
      [{ method: 'POST', path: '/v1/keys', body: { name: 'x', scopes: ['admin'] } }, 'VALIDATION_ERROR'],
      [{ method: 'PUT', path: '/v1/knowledge/%zz', body: { content: 'x' } }, 'VALIDATION_ERROR'],
      [{ method: 'GET', path: '/v1/tasks' }, 'VALIDATION_ERROR'],
      [{ ...create({}), headers: { Authorization: 'x' } }, 'VALIDATION_ERROR'],
    ]
    for (const [operation, code] of bad) {
      const error = expectError(await batch([create({ title: 'First' }), operation]), code)
      assert.equal(error.index, 1, JSON.stringify(error))
    }
    expectError(await batch([]), 'VALIDATION_ERROR')
    expectError(await batch(Array.from({ length: 101 }, () => create({}))), 'VALIDATION_ERROR')
    assert.equal((await wl.get('/v1/events?after=latest')).body.pagination.nextAfter, before)
  })

  it('says which of its operations has text that cannot be stored', async () => {
    const path = '/v1/knowledge/half'
    const unstorable: [operation: string, place: string][] = [
      [JSON.stringify({ ...create({}), body: { title: 'a\0b' } }), 'body.title'],
      ['{"method":"PUT","path":"/v1/knowledge/half","body":{"content":"\\ud800"}}', 'body.content'],
      [JSON.stringify({ method: 'DELETE', path: `${path}\0` }), 'path'],
      [JSON.stringify({ method: 'PUT', path, body: { content: 'x', 'a\0': 1 } }), 'body'],
    ]
    const first = JSON.stringify(create({ title: 'First' }))
    for (const [operation, place] of unstorable) {
      for (const following of [first, operation]) {
        const rawBody = `{"operations":[${[first, operation, following].join()}]}`
        const answer = await wl.request('POST', '/v1/batch', { rawBody })
        const error = expectError(answer, 'VALIDATION_ERROR')
        assert.equal(error.index, 1, answer.text)
        assert.deepEqual(
          error.details.map(({ path }: { path: string }) => path),
          [`operations.1.${place}`],
        )
      }
    }
  })

  it('reads the whole query of an operation, as a request of its own does', async () => {
    const { id } = await createTask(wl, 'BAT')
    const path = `/v1/tasks/${id}?force=true?x`
    const alone = expectError(await wl.delete(path), 'VALIDATION_ERROR')
    const { index, details } = expectError(await batch([{ method: 'DELETE', path }]), 'VALIDATION_ERROR')
    assert.deepEqual([index, details], [0, alone.details])
    expectStatus(await wl.get(`/v1/tasks/${id}`), 200)
  })

  it('names the operation whose body would reach a prototype', async () => {
    const note = (key: string, body: string): string => `{"method":"PUT","path":"/v1/knowledge/${key}","body":${body}}`
    for (const field of ['"__proto__":{"a":1}', '"constructor":{"prototype":{"a":1}}']) {
      const rawBody = `{"operations":[${note('a', '{"content":"x"}')},${note('b', `{"content":"x",${field}}`)}]}`
      const { index, details } = expectError(await wl.request('POST', '/v1/batch', { rawBody }), 'VALIDATION_ERROR')
      assert.equal(index, 1)
      assert.equal(details[0].path, 'operations.1.body')
    }
  })

  it('may touch one record several times, checks its own fence once and first, and is made once', async () => {
    const task = await createTask(wl, 'BAT', { title: 'Many' })
    const { token } = (await wl.post(`/v1/tasks/${task.id}/claim`, {})).body.data.claim
    const operations = [
      { method: 'PATCH', path: `/v1/tasks/${task.id}`, body: { title: 'Once' } },
      { method: 'PATCH', path: `/v1/tasks/${task.id}`, body: { title: 'Twice' } },
      {
        method: 'POST',
        path: `/v1/tasks/${task.id}/release`,
        body: { status: 'done' },
        headers: { 'Worklore-Claim': token },
      },
      { method: 'PUT', path: '/v1/knowledge/learned/many', body: { content: 'What was learned' } },
    ]
    const lost = await batch(operations, { headers: { 'worklore-claim': `${task.id}.9` } })
    assert.equal(expectError(lost, 'PRECONDITION_FAILED').reason, 'claim_lost')
    const options = { headers: { 'worklore-claim': token, 'idempotency-key': 'batch-1' } }
    const first = expectStatus(await batch(operations, options), 200)
    assert.equal(first.body.data[2].body.data.status, 'done')
    const again = await batch(operations, options)
    assert.deepEqual(again.body, first.body)
    assert.equal(again.headers['idempotency-replayed'], 'true')
  })

  it('counts each of its operations, decided together, and says how many would fit', async () => {
    const plan = { plan: 'free' as const }
    const limited = await startService(engine, { config: plan })
    try {
      await limited.post('/v1/projects', { key: 'LIM', name: 'Limits' })
      const operations = Array.from({ length: 70 }, (_, at) => ({
        method: 'POST',
        path: '/v1/tasks',
        body: { projectId: 'LIM', title: `Task ${at}` },
      }))
      const refused = await limited.post('/v1/batch', { operations })
      assert.equal(expectError(refused, 'RATE_LIMIT_EXCEEDED').maxOperations, 59)
      const done = await limited.post('/v1/batch', { operations: operations.slice(0, 40) })
      expectStatus(done, 200)
      assert.equal(done.headers['x-ratelimit-remaining'], '19')
      expectError(await limited.post('/v1/batch', { operations: [] }), 'VALIDATION_ERROR')
      assert.equal((await limited.get('/v1/me')).headers['x-ratelimit-remaining'], '17')
    } finally {
      await limited.stop()
    }
  })

  it('needs the scope of each operation', async () => {
    const { key } = await createKey(wl, { scopes: ['tasks:write'] })
    const error = expectError(
      await batch([create({}), { method: 'PUT', path: '/v1/knowledge/x', body: { content: 'x' } }], { key }),
      'FORBIDDEN',
    )
    assert.deepEqual([error.index, error.requiredScope], [1, 'knowledge:write'])
  })

  it('is refused before it begins where it would write too many dependencies', async () => {
    await createProject(wl, { key: 'DENSE' })
    const blockedBy: string[] = []
    for (let made = 0; made < 50; made++) blockedBy.push((await createTask(wl, 'DENSE')).id)
    const dense = (count: number) => ({
      operations: Array.from({ length: count }, () => ({
        method: 'POST',
        path: '/v1/tasks',
        body: { projectId: 'DENSE', title: 'Waits for all', blockedBy },
      })),
    })
    expectStatus(await wl.post('/v1/batch', dense(20)), 200)
    assert.equal(expectError(await wl.post('/v1/batch', dense(100)), 'CONFLICT').reason, 'size')
    assert.equal((await wl.get('/v1/tasks?projectId=DENSE&limit=1')).body.pagination.total, 70)
  })
})
