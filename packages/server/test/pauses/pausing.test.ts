import assert from 'node:assert/strict'
import { afterEach, it } from 'node:test'
import { expectError, expectInvalid, expectStatus } from 'worklore-testing/expect'
import { createKey, createProject, createTask, createUser } from 'worklore-testing/factories'
import type { Answer } from 'worklore-testing/harness'
import { describeTenant } from 'worklore-testing/service-suite'
import { until } from 'worklore-testing/until'
import { callTool } from '../mcp/messages.js'

const scopes = ['tasks:write', 'knowledge:write']

describeTenant('a pause', (wl) => {
  const set = async (path: string, reason: string | null) =>
    expectStatus(await wl.patch(path, { paused: reason === null ? null : { reason } }), 200).body.data
  const next = (body: object, key?: string) => wl.post('/v1/tasks/next', body, { ...(key !== undefined && { key }) })
  const claim = (id: string, key: string, body: object = {}) => wl.post(`/v1/tasks/${id}/claim`, body, { key })

  const expectPaused = (answer: Answer, what: string, name: string, why: string) => {
    const error = expectError(answer, 'CONFLICT')
    assert.deepEqual([error.reason, error.what, error.paused.reason], ['paused', what, why])
    assert.deepEqual(Object.keys(error.paused.by), ['keyId', 'keyName', 'userId'])
    const advice = 'finish what you hold and ask again later'
    assert.equal(error.message, `${name} is paused by "${error.paused.by.keyName}": ${advice} (reason: "${why}").`)
    return error
  }

  // A test that fails leaves nobody paused.
  afterEach(() => set('/v1/tenant', null))

  const newest = async (path: string) => (await wl.get(path)).body.data[0]

  /** Everything that a paused caller who holds a task still does. */
  const expectHeldWorkGoesOn = async (id: string, token: string, key: string) => {
    const headers = { 'worklore-claim': token }
    expectStatus(await wl.get(`/v1/tasks/${id}`, { key }), 200)
    expectStatus(await wl.post(`/v1/tasks/${id}/renew`, {}, { key, headers }), 200)
    expectStatus(await wl.post(`/v1/tasks/${id}/comments`, { body: 'Nearly done' }, { key, headers }), 201)
    expectStatus(await wl.post(`/v1/tasks/${id}/release`, { status: 'done' }, { key, headers }), 200)
  }

  it('of a key stops that key alone, on every interface, and is told to admins', async () => {
    const { id: projectId } = await createProject(wl, { key: 'KEY' })
    for (let count = 0; count < 5; count++) await createTask(wl, projectId)
    const [agent, other] = [await createKey(wl, { scopes }), await createKey(wl, { scopes })]
    assert.equal(agent.paused, null)
    const held = expectStatus(await next({ projectId }, agent.key), 200).body.data
    const path = `/v1/keys/${agent.id}`
    const paused = await set(path, 'It loops')
    const { at, by, reason } = paused.paused
    assert.deepEqual([reason, by.keyName, by.userId], ['It loops', 'admin', null])
    assert.ok(Math.abs(Date.parse(at) - wl.service.core.clock()) < 60_000)
    assert.deepEqual((await wl.get(path)).body.data.paused, paused.paused)
    assert.deepEqual((await wl.get('/v1/me', { key: agent.key })).body.data.key.paused, paused.paused)

    for (const body of [{}, { projectId }, { peek: true }, { projectId, waitSeconds: 5 }])
      expectPaused(await next(body, agent.key), 'key', 'This key', 'It loops')
    expectPaused(await claim('KEY-2', agent.key), 'key', 'This key', 'It loops')
    expectPaused(await claim(held.id, agent.key, { takeover: true }), 'key', 'This key', 'It loops')
    const operations = [
      { method: 'POST', path: '/v1/tasks', body: { projectId, title: 'Not made' } },
      { method: 'POST', path: '/v1/tasks/KEY-2/claim' },
    ]
    const batch = expectPaused(
      await wl.post('/v1/batch', { operations }, { key: agent.key }),
      'key',
      'This key',
      'It loops',
    )
    assert.equal(batch.index, 1)
    assert.equal((await wl.get('/v1/tasks?projectId=KEY&total=exact')).body.pagination.total, 5)
    for (const args of [{}, { id: 'KEY-2' }, { wait: 5 }]) {
      const { text, isError } = await callTool(wl, 'claim_task', args, agent)
      const line =
        'CONFLICT: This key is paused by "admin": finish what you hold and ask again later (reason: "It loops").'
      assert.deepEqual([text, isError], [line, true])
    }
    expectError(await claim('KEY-99', agent.key), 'NOT_FOUND')
    expectInvalid(await next({ projectId: 'NOWHERE' }, agent.key), 'projectId')

    const taken = expectStatus(await next({ projectId }, other.key), 200).body.data
    assert.ok(taken)
    await expectHeldWorkGoesOn(held.id, held.claim.token, agent.key)

    const event = await newest(`/v1/events?order=desc&limit=1&subject=${agent.id}`)
    assert.deepEqual([event.type, event.data.paused, event.previous], ['key.paused', paused.paused, { paused: null }])
    assert.deepEqual((await newest('/v1/audit?limit=1')).action, 'key.paused')
    assert.deepEqual((await set(path, 'It loops')).paused, paused.paused)
    assert.equal((await newest(`/v1/events?order=desc&limit=1&subject=${agent.id}`)).id, event.id)
    expectStatus(await wl.patch(path, { name: 'calm', paused: null }), 200)
    const [resumed, updated] = (await wl.get(`/v1/events?order=desc&limit=2&subject=${agent.id}`)).body.data
    assert.deepEqual([resumed.type, resumed.previous], ['key.resumed', { paused: paused.paused }])
    assert.deepEqual([updated.type, updated.previous], ['key.updated', { name: agent.name }])
    assert.equal((await newest('/v1/audit?action=key.resumed')).subject, agent.id)
    assert.equal((await wl.get(path)).body.data.paused, null)
    assert.ok(expectStatus(await next({ projectId }, agent.key), 200).body.data)
  })

  it('of a project passes its tasks over, and refuses those who ask for them', async () => {
    const [calm, busy] = [await createProject(wl, { key: 'CALM' }), await createProject(wl, { key: 'BUSY' })]
    const { key } = await createKey(wl, { scopes, projectIds: ['CALM', 'BUSY'] })
    const limited = await createKey(wl, { scopes, projectIds: ['CALM'] })
    for (let count = 0; count < 3; count++) await createTask(wl, 'CALM', { priority: 'urgent' })
    await createTask(wl, 'BUSY', { priority: 'low' })
    const held = (await next({ projectId: 'CALM' }, key)).body.data
    const path = `/v1/projects/${calm.id}`
    const paused = await set(path, 'Deploy freeze')
    assert.deepEqual([paused.version, paused.paused.reason], [2, 'Deploy freeze'])
    assert.equal((await wl.get('/v1/projects/CALM')).headers.etag, '"2"')

    for (const body of [{ projectId: 'CALM' }, { projectId: ['CALM'], peek: true }]) {
      const error = expectPaused(await next(body, key), 'project', 'Project CALM', 'Deploy freeze')
      assert.equal(error.projectId, calm.id)
    }
    expectPaused(await next({}, limited.key), 'project', 'Project CALM', 'Deploy freeze')
    expectPaused(await claim('CALM-3', key), 'project', 'Project CALM', 'Deploy freeze')
    assert.match(
      (await callTool(wl, 'claim_task', { project: 'CALM' }, { key })).text,
      /^CONFLICT: Project CALM is paused/,
    )
    assert.equal((await next({ projectId: ['CALM', 'BUSY'], peek: true }, key)).body.data.id, 'BUSY-1')
    assert.equal((await next({}, key)).body.data.id, 'BUSY-1')
    const none = (await next({}, key)).body
    assert.deepEqual([none.data, none.message], [null, 'No task is ready: 2 held by you, 2 in paused projects.'])
    // Being ready is about the task, and reads go on.
    assert.equal((await wl.get('/v1/tasks?projectId=CALM&ready=true')).body.pagination.total, 2)
    await expectHeldWorkGoesOn(held.id, held.claim.token, key)

    const event = await newest(`/v1/events?order=desc&limit=1&subject=${calm.id}`)
    assert.deepEqual(
      [event.type, event.data.paused, event.previous],
      ['project.updated', paused.paused, { paused: null }],
    )
    const audited = await newest('/v1/audit?action=project.paused')
    assert.deepEqual([audited.subject, audited.details.paused], [calm.id, paused.paused])
    const waiting = next({ projectId: [calm.id, busy.id], waitSeconds: 20 }, key)
    await set(path, null)
    assert.equal((await waiting).body.data.id, 'CALM-2')
    assert.equal((await newest('/v1/audit?action=project.resumed')).subject, calm.id)
    assert.equal((await next({ projectId: 'CALM' }, key)).body.data.id, 'CALM-3')
  })

  it('of a project is undone and redone as it was, and comes back from the trash', async () => {
    const { id } = await createProject(wl, { key: 'BACK' })
    const admin = await createKey(wl, { name: 'second admin', scopes: ['admin'] })
    const path = `/v1/projects/${id}`
    const body = { paused: { reason: 'By mistake' } }
    const { paused } = expectStatus(await wl.patch(path, body, { key: admin.key }), 200).body.data
    const undo = (body: object) => wl.post('/v1/undo', { ...body, dryRun: false })
    const undone = expectStatus(await undo({ keyId: admin.id }), 200)
    assert.equal(undone.body.data.undone.length, 1)
    assert.equal((await wl.get(path)).body.data.paused, null)
    const requestId = undone.headers['x-request-id']
    expectStatus(await undo({ requestId }), 200)
    assert.deepEqual((await wl.get(path)).body.data.paused, paused)
    const [change] = (await wl.get(`/v1/history?keyId=${admin.id}`)).body.data
    assert.deepEqual(change.changes, { paused: { from: null, to: paused } })
    expectStatus(await wl.delete(path), 200)
    const { data } = (await wl.get('/v1/trash?kind=project')).body
    expectStatus(await wl.post(`/v1/trash/${data[0].id}/restore`, {}), 200)
    const back = await until(
      () => wl.get(path),
      ({ status }) => status === 200,
    )
    assert.deepEqual(back.body.data.paused, paused)
  })

  it('of the tenant stops everybody, admins too, and comes before the others', async () => {
    const { id: projectId } = await createProject(wl, { key: 'ALL' })
    for (let count = 0; count < 3; count++) await createTask(wl, projectId)
    const { id, key } = await createKey(wl, { scopes })
    const held = (await next({ projectId }, key)).body.data
    const before = expectStatus(await wl.get('/v1/tenant', { key }), 200).body.data
    assert.deepEqual([before.id, before.paused], [wl.tenantId, null])
    await set(`/v1/keys/${id}`, 'First')
    await set(`/v1/projects/${projectId}`, 'Second')
    const { paused } = await set('/v1/tenant', 'Stop "all"')
    assert.deepEqual((await wl.get('/v1/me', { key })).body.data.tenant.paused, paused)
    for (const caller of [key, wl.adminKey]) {
      for (const answer of [await next({}, caller), await claim('ALL-2', caller)]) {
        const error = expectError(answer, 'CONFLICT')
        assert.deepEqual([error.what, error.paused], ['tenant', paused])
        assert.match(error.message, /^Everything is paused by "admin": .* \(reason: "Stop \\"all\\""\)\.$/)
      }
    }
    await expectHeldWorkGoesOn(held.id, held.claim.token, key)
    const event = await newest('/v1/events?order=desc&limit=1&types=tenant.*')
    assert.deepEqual(
      [event.type, event.data.id, event.data.paused, event.previous],
      ['tenant.paused', wl.tenantId, paused, { paused: null }],
    )
    assert.equal((await newest('/v1/audit?action=tenant.paused')).subject, wl.tenantId)
    await set('/v1/tenant', null)
    assert.equal((await newest('/v1/events?order=desc&limit=1&types=tenant.*')).type, 'tenant.resumed')
    assert.equal((await newest('/v1/audit?action=tenant.resumed')).subject, wl.tenantId)
    expectPaused(await claim('ALL-2', key), 'project', 'Project ALL', 'Second')
    await set(`/v1/projects/${projectId}`, null)
    expectPaused(await claim('ALL-2', key), 'key', 'This key', 'First')
    await set(`/v1/keys/${id}`, null)
    expectStatus(await claim('ALL-2', key), 200)
  })

  it('is told at once to all who wait for a task', async () => {
    const { id: projectId } = await createProject(wl, { key: 'WAIT' })
    const keys = await Promise.all(Array.from({ length: 4 }, () => createKey(wl, { scopes })))
    const wait = (key: string) => next({ projectId, waitSeconds: 30 }, key)
    const whileAllWait = (count: number) =>
      until(
        () => wl.service.core.openStreams.usedByRequests(wl.tenantId),
        (open) => open >= count,
        20_000,
      )

    const one = [wait(keys[0]!.key), wait(keys[1]!.key), wait(keys[1]!.key), wait(keys[2]!.key)]
    await whileAllWait(4)
    await set(`/v1/keys/${keys[1]!.id}`, 'Only this')
    for (const answer of await Promise.all([one[1]!, one[2]!])) expectPaused(answer, 'key', 'This key', 'Only this')
    const task = await createTask(wl, projectId)
    const first = await Promise.race([one[0]!, one[3]!])
    assert.equal(expectStatus(first, 200).body.data.id, task.id)
    await set(`/v1/projects/${projectId}`, 'Then all')
    const last = await Promise.all([one[0]!, one[3]!])
    expectPaused(last.find(({ status }) => status !== 200)!, 'project', 'Project WAIT', 'Then all')
    await set(`/v1/projects/${projectId}`, null)

    const all = [keys[0]!, keys[2]!, keys[3]!].map(({ key }) => wait(key))
    await whileAllWait(3)
    await set('/v1/tenant', 'Everything')
    for (const answer of await Promise.all(all)) expectPaused(answer, 'tenant', 'Everything', 'Everything')
    await set('/v1/tenant', null)
  })

  it('lets no claim through after its answer, however many ask meanwhile', async () => {
    const project = await createProject(wl, { key: 'RACE' })
    const agents = await Promise.all(Array.from({ length: 4 }, () => createKey(wl, { scopes })))
    const tasks = (count: number) => Promise.all(Array.from({ length: count }, () => createTask(wl, project.id)))
    const paths = [`/v1/projects/${project.id}`, '/v1/tenant', `/v1/keys/${agents[0]!.id}`]
    for (const path of paths) {
      const made = await tasks(30)
      const ofKey = path.startsWith('/v1/keys')
      let isPaused = false
      let granted = 0
      const late: Answer[] = []
      const work = async (at: number): Promise<void> => {
        const { key } = ofKey ? agents[0]! : agents[at % agents.length]!
        for (;;) {
          const wasPaused = isPaused
          const ask = at % 2 === 0 ? next({ projectId: project.id }, key) : claim(made[(at + granted) % 30]!.id, key)
          const answer = await ask
          const isClaim = answer.status === 200 && answer.body.data
          if (isClaim) granted++
          if (wasPaused) {
            if (isClaim) late.push(answer)
            return
          }
        }
      }
      const working = Array.from({ length: 20 }, (_, at) => work(at))
      await until(
        async () => granted,
        (count) => count > 3,
        20_000,
      )
      await set(path, 'Race')
      isPaused = true
      await Promise.all(working)
      assert.deepEqual(late, [])
      await set(path, null)
    }
  })

  it('is for admins, needs a reason, and knows no other fields', async () => {
    const { id } = await createProject(wl, { key: 'ROLE' })
    const user = await createUser(wl, { role: 'member' })
    const { id: keyId, key } = await createKey(wl, { scopes, userId: user.id })
    const paths = ['/v1/tenant', `/v1/projects/${id}`, `/v1/keys/${keyId}`]
    for (const path of paths) {
      const error = expectError(await wl.patch(path, { paused: { reason: 'No' } }, { key }), 'FORBIDDEN')
      assert.equal(error.requiredScope, 'admin')
      for (const paused of [{}, { reason: '' }, { reason: ' ' }, { reason: 'x'.repeat(501) }, { reason: null }, true])
        expectError(await wl.patch(path, { paused }), 'VALIDATION_ERROR')
      expectError(await wl.patch(path, { paused: { reason: 'x', by: 'me' } }), 'VALIDATION_ERROR')
      expectStatus(await wl.patch(path, { paused: { reason: 'x'.repeat(500) } }), 200)
      expectStatus(await wl.patch(path, { paused: null }), 200)
    }
    expectInvalid(await wl.patch('/v1/tenant', { name: 'Other' }), 'name')
    expectInvalid(await wl.post('/v1/projects', { key: 'NEW', name: 'New', paused: null }), 'paused')
  })
})
