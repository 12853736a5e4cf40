import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { expectError, expectStatus } from 'worklore-testing/expect'
import { createProject } from 'worklore-testing/factories'
import { send } from 'worklore-testing/harness'
import { addTenant, operatorCallOf } from 'worklore-testing/operator'
import { describeService } from 'worklore-testing/service-suite'

describeService('counting requests', (wl) => {
  before(() => createProject(wl, { key: 'ACME' }))

  interface Used {
    requests: number
    taskCreates: number
  }

  const used = async (): Promise<Used> => {
    const { limiter, plans } = wl.service.core
    const { tenantId } = (await operatorCallOf(wl)).actor
    const windows = await limiter.look(tenantId, plans.get('self-hosted')!)
    const usedOf = (name: string): number => {
      const { limit, remaining } = windows.find((window) => window.name === name)!
      return limit - remaining
    }
    return { requests: usedOf('requests per day'), taskCreates: usedOf('task creates per hour') }
  }

  /** What `work` adds to the windows. */
  const costOf = async (work: () => Promise<unknown>): Promise<Used> => {
    const before = await used()
    await work()
    const after = await used()
    return { requests: after.requests - before.requests, taskCreates: after.taskCreates - before.taskCreates }
  }

  const oneRequest = { requests: 1, taskCreates: 0 }

  it('counts a body that cannot be parsed, a batch like any other', async () => {
    const bodies: [rawBody: string, type?: string][] = [
      ['{'],
      ['not JSON'],
      ['{"operations":[{"__proto__":{}}]}'],
      ['\ud800'],
      ['{}', 'text/plain'],
      ['x'.repeat(2_200_000)],
      ['[]'],
      ['{"operations":[]}'],
      [''],
    ]
    for (const path of ['/v1/batch', '/v1/history/restore']) {
      for (const [rawBody, type = 'application/json'] of bodies) {
        const cost = await costOf(async () => {
          const { status } = await send(wl.baseUrl, 'POST', path, {
            key: wl.adminKey,
            rawBody,
            headers: { 'content-type': type },
          })
          assert.ok(status >= 400 && status < 500 && status !== 429, `${status}`)
        })
        assert.deepEqual(cost, oneRequest, `${path} ${type} ${rawBody.slice(0, 40)}`)
      }
    }
  })

  it('counts a replay as one request, and not as a create', async () => {
    const headers = { 'idempotency-key': 'once' }
    const task = { projectId: 'ACME', title: 'Once' }
    const create = () => wl.post('/v1/tasks', task, { headers })
    assert.deepEqual(await costOf(create), { requests: 1, taskCreates: 1 })
    const cost = await costOf(async () => {
      assert.equal(expectStatus(await create(), 201).headers['idempotency-replayed'], 'true')
    })
    assert.deepEqual(cost, oneRequest)
    const operations = Array.from({ length: 3 }, () => ({ method: 'POST', path: '/v1/tasks', body: task }))
    const batch = () => wl.post('/v1/batch', { operations }, { headers })
    assert.deepEqual(await costOf(batch), { requests: 3, taskCreates: 3 })
    const again = await costOf(async () => {
      assert.equal(expectStatus(await batch(), 200).headers['idempotency-replayed'], 'true')
    })
    assert.deepEqual(again, oneRequest)
    // Another request under the same key makes nothing either; without one it is a create.
    const other = () => wl.post('/v1/tasks', { ...task, title: 'Other' }, { headers })
    expectError(await other(), 'IDEMPOTENCY_MISMATCH')
    assert.deepEqual(await costOf(() => wl.post('/v1/tasks', task)), { requests: 1, taskCreates: 1 })
  })

  it('counts a request as a create once its idempotency key is a day old', async () => {
    const headers = { 'idempotency-key': 'daily' }
    const create = () => wl.post('/v1/tasks', { projectId: 'ACME', title: 'Daily' }, { headers })
    expectStatus(await create(), 201)
    wl.passTime(86_400_000)
    const again = await costOf(create)
    assert.equal(again.taskCreates, 1)
  })

  it('answers a replay when no create is left', async () => {
    const key = await addTenant(wl, 'pro')
    await createProject(wl, { key: 'LAST' }, { key })
    const body = { projectId: 'LAST', title: 'The last' }
    const create = (idempotencyKey: string) =>
      wl.post('/v1/tasks', body, { key, headers: { 'idempotency-key': idempotencyKey } })
    const operations = Array.from({ length: 99 }, () => ({ method: 'POST', path: '/v1/tasks', body }))
    expectStatus(await wl.post('/v1/batch', { operations }, { key }), 200)
    const first = expectStatus(await create('last'), 201)
    expectError(await create('next'), 'RATE_LIMIT_EXCEEDED')
    assert.equal(expectStatus(await create('last'), 201).text, first.text)
  })

  it('consumes nothing when a create is refused for the searches that it needs', async () => {
    const key = await addTenant(wl, 'free')
    await createProject(wl, { key: 'FULL' }, { key })
    for (let left = 30; left > 0; left--) expectStatus(await wl.get('/v1/tasks/search?q=full', { key }), 200)
    const remaining = async (): Promise<Record<string, number>> => {
      const { limits } = expectStatus(await wl.get('/v1/me', { key }), 200).body.data
      return Object.fromEntries(
        limits.map(({ name, remaining }: { name: string; remaining: number }) => [name, remaining]),
      )
    }
    const before = await remaining()
    const body = { projectId: 'FULL', title: 'Refused' }
    expectError(await wl.post('/v1/tasks?checkDuplicates=true', body, { key }), 'RATE_LIMIT_EXCEEDED')
    const after = await remaining()
    assert.equal(after['task creates per hour'], before['task creates per hour'])
    // Only the second read of /v1/me counts, not the refused create.
    assert.equal(after['requests per day'], before['requests per day']! - 1)
  })
})
