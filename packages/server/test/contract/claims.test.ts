import assert from 'node:assert/strict'
import { it } from 'node:test'
import { expectError, expectStatus } from 'worklore-testing/expect'
import { createKey, createProject, createTask, createUser } from 'worklore-testing/factories'
import { quietBoundMs } from 'worklore-testing/long-run'
import { describeService } from 'worklore-testing/service-suite'
import { until } from 'worklore-testing/until'

const claimOf = (token: string) => ({ headers: { 'worklore-claim': token } })

describeService('claims', (wl) => {
  const agent = (options = {}) => createKey(wl, { scopes: ['tasks:write', 'knowledge:write'], ...options })
  const next = async (body: object = {}, key?: string) =>
    expectStatus(await wl.post('/v1/tasks/next', body, key === undefined ? {} : { key }), 200).body.data

  it('give a task to one caller, with a token, a lease and a new version', async () => {
    await createProject(wl, { key: 'GIVE' })
    await createTask(wl, 'GIVE', { title: 'One' })
    const one = await agent()
    const answer = await wl.post(
      '/v1/tasks/GIVE-1/claim',
      { leaseSeconds: 60, worker: 'w1', note: 'n' },
      { key: one.key },
    )
    const task = expectStatus(answer, 200).body.data
    assert.equal(task.status, 'in_progress')
    assert.equal(task.version, 2)
    assert.equal(task.attempts, 1)
    assert.equal(task.claim.token, 'GIVE-1.1')
    assert.deepEqual([task.claim.keyId, task.claim.worker, task.claim.note], [one.id, 'w1', 'n'])
    assert.equal(Date.parse(task.claim.expiresAt) - Date.parse(task.claim.claimedAt), 60_000)
    assert.deepEqual((await wl.get('/v1/tasks/GIVE-1')).body.data, task)

    const refused = await wl.post('/v1/tasks/GIVE-1/claim', {}, { key: one.key })
    const error = expectError(refused, 'CONFLICT')
    assert.equal(error.reason, 'claimed')
    assert.equal(error.claim.token, 'GIVE-1.1')
    assert.ok(error.retryAfter > 0 && error.retryAfter <= 60)

    const again = await wl.post('/v1/tasks/GIVE-1/claim', { takeover: true }, { key: one.key })
    assert.equal(expectStatus(again, 200).body.data.claim.token, 'GIVE-1.2')
    const other = await agent()
    expectError(await wl.post('/v1/tasks/GIVE-1/claim', { takeover: true }, { key: other.key }), 'CONFLICT')
    const byAdmin = await wl.post('/v1/tasks/GIVE-1/claim', { takeover: true })
    assert.equal(expectStatus(byAdmin, 200).body.data.claim.token, 'GIVE-1.3')
  })

  it('hand out the most urgent, then the earliest due, then the oldest', async () => {
    await createProject(wl, { key: 'ORD' })
    const projectId = 'ORD'
    await createTask(wl, projectId, { title: 'old' })
    await createTask(wl, projectId, { title: 'due later', dueDate: '2030-02-01' })
    await createTask(wl, projectId, { title: 'due', dueDate: '2030-01-01' })
    await createTask(wl, projectId, { title: 'low', priority: 'low', dueDate: '2029-01-01' })
    await createTask(wl, projectId, { title: 'urgent', priority: 'urgent', labels: ['x'] })
    await createTask(wl, projectId, { title: 'done', status: 'done', priority: 'urgent' })
    assert.equal((await next({ projectId, label: 'x', peek: true })).title, 'urgent')
    assert.equal(await next({ projectId, label: 'y' }), null)
    assert.equal((await next({ projectId, priority: 'low', peek: true })).title, 'low')
    const order = []
    for (let task = await next({ projectId }); task; task = await next({ projectId })) order.push(task.title)
    assert.deepEqual(order, ['urgent', 'due', 'due later', 'old', 'low'])
  })

  it('leave out what is blocked, assigned to others, not to be begun yet, used up or has open subtasks', async () => {
    await createProject(wl, { key: 'RDY', maxAttempts: 1 })
    const projectId = 'RDY'
    const user = await createUser(wl, { name: 'Ada' })
    await createTask(wl, projectId, { title: 'blocker' })
    await createTask(wl, projectId, { title: 'blocked', blockedBy: ['RDY-1'], priority: 'urgent' })
    await createTask(wl, projectId, { title: 'child of blocked', parentId: 'RDY-2', priority: 'urgent' })
    await createTask(wl, projectId, { title: 'of Ada', assigneeId: user.id, priority: 'urgent' })
    const soon = new Date(Date.now() + 3_600_000).toISOString()
    await createTask(wl, projectId, { title: 'later', notBefore: soon, priority: 'urgent' })
    const readyIds = async (key?: string) =>
      (await wl.get('/v1/tasks?projectId=RDY&ready=true&sort=createdAt', key ? { key } : {})).body.data.map(
        ({ id }: { id: string }) => id,
      )
    assert.deepEqual(await readyIds(), ['RDY-1'])
    const ofAda = await agent({ userId: user.id })
    assert.deepEqual(await readyIds(ofAda.key), ['RDY-1', 'RDY-4'])
    assert.equal((await next({ projectId, peek: true }, ofAda.key)).id, 'RDY-4')

    const first = await next({ projectId })
    assert.equal(first.id, 'RDY-1')
    assert.equal(await next({ projectId }), null)
    await wl.post('/v1/tasks/RDY-1/release', { status: 'todo' }, claimOf(first.claim.token))
    assert.equal(await next({ projectId }), null, 'its attempts are used up')
    const exhausted = (await wl.get('/v1/tasks?projectId=RDY&exhausted=true')).body.data
    assert.deepEqual(
      exhausted.map(({ id }: { id: string }) => id),
      ['RDY-1'],
    )
    expectError(await wl.patch('/v1/tasks/RDY-1', { attempts: 1 }), 'VALIDATION_ERROR')
    await wl.patch('/v1/tasks/RDY-1', { attempts: 0, status: 'done' })
    assert.equal((await wl.get('/v1/tasks/RDY-2')).body.data.openBlockers, 0)
    assert.deepEqual(await readyIds(), ['RDY-3'])
    wl.passTime(3_700_000)
    assert.deepEqual(await readyIds(), ['RDY-3', 'RDY-5'])
  })

  it('end by a lease that runs out, once, and let a late holder hand in if nobody took the task', async () => {
    await createProject(wl, { key: 'EXP' })
    await createTask(wl, 'EXP', { title: 'One' })
    const one = await agent()
    const { claim } = await next({ projectId: 'EXP', leaseSeconds: 10 }, one.key)
    wl.passTime(11_000)
    const fenced = await wl.patch('/v1/tasks/EXP-1', { title: 'Late' }, { key: one.key, ...claimOf(claim.token) })
    assert.equal(expectError(fenced, 'PRECONDITION_FAILED').reason, 'claim_lost')
    assert.equal((await wl.get('/v1/tasks/EXP-1')).body.data.title, 'One')
    const release = await wl.post(
      '/v1/tasks/EXP-1/release',
      { status: 'done', comment: 'Late but done' },
      {
        key: one.key,
        ...claimOf(claim.token),
      },
    )
    const done = expectStatus(release, 200).body.data
    assert.deepEqual([done.status, done.claim, done.commentCount], ['done', null, 1])

    await createTask(wl, 'EXP', { title: 'Two' })
    const second = await next({ projectId: 'EXP', leaseSeconds: 10 }, one.key)
    wl.passTime(11_000)
    const taken = await next({ projectId: 'EXP' })
    assert.equal(taken.claim.token, 'EXP-2.2')
    for (const act of ['release', 'renew']) {
      const late = await wl.post(`/v1/tasks/EXP-2/${act}`, {}, { key: one.key, ...claimOf(second.claim.token) })
      assert.equal(expectError(late, 'PRECONDITION_FAILED').reason, 'claim_lost')
    }
    const { data } = (await wl.get('/v1/events?types=task.*')).body
    const types = data
      .filter(({ data }: { data: { id: string } }) => data.id === 'EXP-2')
      .map(({ type }: { type: string }) => type)
    assert.deepEqual(types, ['task.created', 'task.claimed', 'task.claim_expired', 'task.claimed'])
  })

  it('are over before a late holder renews or releases them, and that is written down', async () => {
    await createProject(wl, { key: 'LATE' })
    for (const [number, act] of ['renew', 'release'].entries()) {
      const { id } = await createTask(wl, 'LATE')
      const { claim, version } = await next({ projectId: 'LATE', leaseSeconds: 10 })
      const { nextAfter } = (await wl.get('/v1/events?after=latest')).body.pagination
      wl.passTime(10_000)
      const late = expectStatus(await wl.post(`/v1/tasks/${id}/${act}`, {}, claimOf(claim.token)), 200).body.data
      assert.deepEqual([id, late.version], [`LATE-${number + 1}`, version + 2])
      const { data } = (await wl.get(`/v1/events?after=${nextAfter}`)).body
      const [expired, handedIn] = data.filter((event: { data: { id: string } }) => event.data.id === id)
      assert.deepEqual(
        [expired.type, expired.via, expired.previous.claim.token],
        ['task.claim_expired', 'service', claim.token],
      )
      assert.deepEqual([handedIn.type, handedIn.via], [act === 'renew' ? 'task.updated' : 'task.released', 'http'])
      assert.equal(handedIn.previous.claim, null)
      await wl.patch(`/v1/tasks/${id}`, { status: 'done' })
    }
  })

  it('do not stand in the way of If-Match once their lease has run out', async () => {
    await createProject(wl, { key: 'SEEN' })
    for (const method of ['PATCH', 'DELETE']) {
      const attempt = async () => {
        const { id } = await createTask(wl, 'SEEN')
        expectStatus(await wl.post(`/v1/tasks/${id}/claim`, { leaseSeconds: 10 }), 200)
        const { etag } = (await wl.get(`/v1/tasks/${id}`)).headers
        wl.passTime(10_000)
        const options = { headers: { 'if-match': etag! }, ...(method === 'PATCH' && { body: { title: 'Seen' } }) }
        return wl.request(method, `/v1/tasks/${id}`, options)
      }
      // The service itself may be first to write down that the claim has ended, which is a new version.
      expectStatus(await until(attempt, ({ status }) => status !== 412), 200)
    }
  })

  it('end together with the time before which the task was not to be begun', async () => {
    await createProject(wl, { key: 'BOTH' })
    const notBefore = new Date(Date.now() + 3_600_000 * 48).toISOString()
    await createTask(wl, 'BOTH', { notBefore })
    expectStatus(await wl.post('/v1/tasks/BOTH-1/claim', { leaseSeconds: 60 }), 200)
    wl.passTime(3_600_000 * 49)
    assert.equal((await next({ projectId: 'BOTH' })).claim.token, 'BOTH-1.2')
  })

  it('are renewed without an event or a new version, and by every write under them', async () => {
    await createProject(wl, { key: 'REN' })
    await createTask(wl, 'REN', { title: 'One' })
    const { claim, version } = await next({ projectId: 'REN', leaseSeconds: 30 })
    const held = claimOf(claim.token)
    const { headers } = await wl.get('/v1/tasks/REN-1')
    wl.passTime(20_000)
    const renewed = expectStatus(await wl.post('/v1/tasks/REN-1/renew', {}, held), 200).body.data
    assert.equal(renewed.version, version)
    assert.ok(Date.parse(renewed.claim.expiresAt) >= Date.parse(claim.expiresAt) + 20_000)
    const after = await wl.get('/v1/tasks/REN-1', { headers: { 'if-none-match': headers.etag! } })
    expectStatus(after, 200)
    assert.match(after.headers.etag!, /^"2\.\d+"$/)
    wl.passTime(20_000)
    expectStatus(await wl.put('/v1/knowledge/learned', { content: 'x' }, held), 201)
    const shown = (await wl.get('/v1/tasks/REN-1')).body.data
    assert.ok(Date.parse(shown.claim.expiresAt) >= Date.parse(renewed.claim.expiresAt) + 20_000)
    expectStatus(
      await wl.patch('/v1/tasks/REN-1', { title: 'New' }, { headers: { 'if-match': after.headers.etag! } }),
      200,
    )
    expectError(await wl.post('/v1/tasks/REN-1/renew', {}), 'VALIDATION_ERROR')
    expectError(await wl.post('/v1/tasks/REN-1/release', {}), 'VALIDATION_ERROR')
  })

  it('guard status, assignee and deletion against others, and end with any other status', async () => {
    await createProject(wl, { key: 'GRD' })
    await createTask(wl, 'GRD', { title: 'One' })
    const [holder, other] = [await agent(), await agent()]
    const { claim } = await next({ projectId: 'GRD' }, holder.key)
    for (const key of [holder.key, other.key]) {
      const refused = expectError(await wl.patch('/v1/tasks/GRD-1', { status: 'done' }, { key }), 'CONFLICT')
      assert.equal(refused.reason, 'claimed')
      assert.match(refused.message, /Worklore-Claim/)
      expectError(await wl.delete('/v1/tasks/GRD-1', { key }), 'CONFLICT')
    }
    expectStatus(await wl.patch('/v1/tasks/GRD-1', { title: 'Open to all' }, { key: other.key }), 200)
    const done = await wl.patch('/v1/tasks/GRD-1', { status: 'done' }, { key: holder.key, ...claimOf(claim.token) })
    assert.equal(expectStatus(done, 200).body.data.claim, null)
  })

  it('end with the key that holds them', async () => {
    await createProject(wl, { key: 'KEY' })
    await createTask(wl, 'KEY', { title: 'One' })
    const holder = await agent()
    await next({ projectId: 'KEY' }, holder.key)
    await wl.delete(`/v1/keys/${holder.id}`)
    const task = (await wl.get('/v1/tasks/KEY-1')).body.data
    assert.deepEqual([task.status, task.claim], ['todo', null])
  })

  it('are waited for until a task becomes ready', async () => {
    await createProject(wl, { key: 'WAIT' })
    const waiting = next({ projectId: 'WAIT', waitSeconds: 20 })
    await new Promise((resolve) => setTimeout(resolve, 300))
    const startedMs = performance.now()
    await createTask(wl, 'WAIT', { title: 'One' })
    assert.equal((await waiting).id, 'WAIT-1')
    assert.ok(performance.now() - startedMs < quietBoundMs(1_000))
    assert.equal(await next({ projectId: 'WAIT', waitSeconds: 1 }), null)
  })

  it('go to the next in line where those before have gone away', async () => {
    await createProject(wl, { key: 'LINE' })
    const body = { projectId: 'LINE', waitSeconds: 20 }
    const gone = new AbortController()
    const abandoned = Array.from({ length: 8 }, () =>
      fetch(`${wl.baseUrl}/v1/tasks/next`, {
        method: 'POST',
        signal: gone.signal,
        headers: { authorization: `Bearer ${wl.adminKey}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }).catch(() => {}),
    )
    await new Promise((resolve) => setTimeout(resolve, 500))
    const waiting = next(body)
    await new Promise((resolve) => setTimeout(resolve, 500))
    gone.abort()
    await Promise.all(abandoned)
    await new Promise((resolve) => setTimeout(resolve, 200))
    const startedMs = performance.now()
    await createTask(wl, 'LINE', { title: 'One' })
    assert.equal((await waiting).id, 'LINE-1')
    assert.ok(performance.now() - startedMs < quietBoundMs(2_000))
  })

  it('are made once for an Idempotency-Key, and nothing is kept where none was ready', async () => {
    await createProject(wl, { key: 'ONCE' })
    const options = { headers: { 'idempotency-key': 'next-1' } }
    assert.equal((await wl.post('/v1/tasks/next', { projectId: 'ONCE' }, options)).body.data, null)
    await createTask(wl, 'ONCE', { title: 'One' })
    await createTask(wl, 'ONCE', { title: 'Two' })
    const first = await wl.post('/v1/tasks/next', { projectId: 'ONCE' }, options)
    const again = await wl.post('/v1/tasks/next', { projectId: 'ONCE' }, options)
    assert.equal(first.body.data.id, 'ONCE-1')
    assert.deepEqual(again.body, first.body)
    assert.equal(again.headers['idempotency-replayed'], 'true')
  })
})
