import assert from 'node:assert/strict'
import { it } from 'node:test'
import { expectError, expectStatus } from 'worklore-testing/expect'
import { createKey, createProject, createTask } from 'worklore-testing/factories'
import { describeService } from 'worklore-testing/service-suite'

const claimOf = (token: string) => ({ headers: { 'worklore-claim': token } })
const idsOf = (tasks: { id: string }[]): string[] => tasks.map(({ id }) => id)

describeService('resources', (wl) => {
  const claim = async (id: string, body: object = {}, key?: string) =>
    expectStatus(await wl.post(`/v1/tasks/${id}/claim`, body, key === undefined ? {} : { key }), 200).body.data.claim
  const refusal = async (id: string) => {
    const error = expectError(await wl.post(`/v1/tasks/${id}/claim`, {}), 'CONFLICT')
    assert.equal(error.reason, 'resource')
    return error
  }
  const next = async (projectId: string, body: object = {}) =>
    expectStatus(await wl.post('/v1/tasks/next', { projectId, ...body }), 200).body.data
  const reserved = async (query: string, key?: string) => {
    const answer = await wl.get(`/v1/resources?${query}`, key === undefined ? {} : { key })
    return expectStatus(answer, 200).body.data.map(
      ({ taskId, resource }: { taskId: string; resource: string }) => `${taskId} ${resource}`,
    )
  }
  /** Lists, counts and `next` agree on what is ready. */
  const expectReady = async (projectId: string, ids: string[]): Promise<void> => {
    const list = async (query: string) =>
      idsOf(expectStatus(await wl.get(`/v1/tasks?projectId=${projectId}&${query}`), 200).body.data)
    assert.deepEqual(await list('ready=true'), ids)
    assert.deepEqual(await list('ready=true&sort=createdAt'), ids)
    const all = await list('status=todo&sort=createdAt')
    const unready = await list('ready=false&status=todo&sort=createdAt')
    const { total } = (await wl.get(`/v1/tasks/counts?projectId=${projectId}&ready=true`)).body.data
    assert.equal(total, ids.length)
    const best = await next(projectId, { peek: true })
    assert.equal(best?.id, ids[0])
    assert.deepEqual(await list('ready=true'), ids, 'looking for the next one changes nothing')
    assert.ok(unready.every((id) => !ids.includes(id)))
    assert.ok(all.every((id) => ids.includes(id) || unready.includes(id)))
  }

  it('are a list of texts, kept as they are', async () => {
    await createProject(wl, { key: 'TEXT' })
    const task = await createTask(wl, 'TEXT', { resources: [' b/ ', 'a', 'a', 'ü/😀'] })
    assert.deepEqual(task.resources, [' b/ ', 'a', 'ü/😀'])
    assert.deepEqual((await createTask(wl, 'TEXT', {})).resources, [])
    const path = `/v1/tasks/${task.id}`
    const patched = expectStatus(await wl.patch(path, { resources: ['a'] }), 200).body.data
    assert.deepEqual([patched.resources, patched.version], [['a'], 2])
    assert.equal(expectStatus(await wl.patch(path, { resources: ['a'] }), 200).body.data.version, 2)
    const { changes } = (await wl.get(`${path}/history`)).body.data[0]
    assert.deepEqual(changes, { resources: { from: [' b/ ', 'a', 'ü/😀'], to: ['a'] } })
    const fifty = Array.from({ length: 50 }, (_, at) => `${at}${'x'.repeat(198)}`)
    assert.deepEqual(expectStatus(await wl.patch(path, { resources: fifty }), 200).body.data.resources, fifty)
    for (const resources of [
      [''],
      ['a\u0007'],
      ['a\u0085b'],
      ['\0'],
      ['\ud800'],
      ['x'.repeat(201)],
      [...fifty, 'a'],
      [1],
      'a',
    ]) {
      expectError(await wl.patch(path, { resources }), 'VALIDATION_ERROR')
      expectError(await wl.post('/v1/tasks', { projectId: 'TEXT', title: 'x', resources }), 'VALIDATION_ERROR')
    }
  })

  it('are reserved by a claim, against all that overlap in the project', async () => {
    for (const key of ['OVER', 'OTHER']) await createProject(wl, { key })
    const { key } = await createKey(wl, { name: 'builder', scopes: ['tasks:write'] })
    const overlapping: [held: string, wanted: string][] = [
      ['env:staging', 'env:staging'],
      ['web/', 'web/src/a.ts'],
      ['web/src/a.ts', 'web/'],
      ['web/', 'web/src/'],
      ['web', 'web/'],
      ['web/', 'web'],
      ['/', '/etc'],
    ]
    const apart: [held: string, wanted: string][] = [
      ['env:staging', 'env:Staging'],
      ['web', 'web/src'],
      ['web/', 'website'],
      ['web/src/', 'web/test/'],
      ['web', 'web '],
      ['web/', './web/a'],
    ]
    for (const [[held, wanted], isFree] of [
      ...overlapping.map((pair) => [pair, false] as const),
      ...apart.map((pair) => [pair, true] as const),
    ]) {
      const holder = await createTask(wl, 'OVER', { resources: ['lower', held, 'zz'] })
      const other = await createTask(wl, 'OVER', { resources: ['aa', wanted, 'upper'] })
      const elsewhere = await createTask(wl, 'OTHER', { resources: [wanted] })
      const { token, expiresAt } = await claim(holder.id, { leaseSeconds: 60 }, key)
      assert.equal((await claim(elsewhere.id)).token, `${elsewhere.id}.1`, 'another project')
      if (isFree) {
        await claim(other.id)
      } else {
        const { message, ...error } = await refusal(other.id)
        assert.deepEqual([error.resource, error.heldBy], [wanted, { taskId: holder.id, keyName: 'builder', expiresAt }])
        assert.ok(error.retryAfter > 0 && error.retryAfter <= 60)
        assert.ok(message.includes(JSON.stringify(wanted)) && message.includes(holder.id), message)
        assert.equal((await wl.get(`/v1/tasks/${other.id}`)).body.data.version, 1)
        await expectReady('OVER', [])
        assert.match((await wl.post('/v1/tasks/next', { projectId: 'OVER' })).body.message, /1 waiting for a resource/)
      }
      expectStatus(await wl.post(`/v1/tasks/${holder.id}/release`, { status: 'done' }, { key, ...claimOf(token) }), 200)
      if (!isFree) {
        await expectReady('OVER', [other.id])
        await claim(other.id)
      }
      for (const { id } of [other, elsewhere]) await wl.delete(`/v1/tasks/${id}`)
    }
    assert.deepEqual(await reserved(''), [])
  })

  it('of one task may overlap with each other', async () => {
    await createProject(wl, { key: 'OWN' })
    const one = await createTask(wl, 'OWN', { resources: ['a/b', 'a/', 'a', 'a/c/d'] })
    const two = await createTask(wl, 'OWN', { resources: ['a/c'] })
    const { token } = await claim(one.id)
    assert.deepEqual(await reserved('projectId=OWN'), ['OWN-1 a', 'OWN-1 a/', 'OWN-1 a/b', 'OWN-1 a/c/d'])
    await refusal(two.id)
    expectStatus(await wl.patch('/v1/tasks/OWN-1', { resources: ['a/b', 'a', 'a/c/d'] }, claimOf(token)), 200)
    await claim(two.id)
    const error = expectError(await wl.patch('/v1/tasks/OWN-1', { resources: ['a/'] }, claimOf(token)), 'CONFLICT')
    assert.deepEqual([error.reason, error.resource, error.heldBy.taskId], ['resource', 'a/', 'OWN-2'])
  })

  const ends: [way: string, end: (id: string, token: string, key: { id: string; key: string }) => Promise<unknown>][] =
    [
      ['release', (id, token, { key }) => wl.post(`/v1/tasks/${id}/release`, {}, { key, ...claimOf(token) })],
      [
        'done',
        (id, token, { key }) => wl.post(`/v1/tasks/${id}/release`, { status: 'done' }, { key, ...claimOf(token) }),
      ],
      [
        'a status',
        (id, token, { key }) => wl.patch(`/v1/tasks/${id}`, { status: 'in_review' }, { key, ...claimOf(token) }),
      ],
      ['a status by an admin', (id) => wl.patch(`/v1/tasks/${id}`, { status: 'cancelled' })],
      [
        'a question',
        (id, token, { key }) => wl.post(`/v1/tasks/${id}/questions`, { body: 'Which?' }, { key, ...claimOf(token) }),
      ],
      ['a deletion', (id) => wl.delete(`/v1/tasks/${id}`)],
      [
        'a deletion with its parent',
        async (id) => {
          const parent = await createTask(wl, id.split('-')[0]!, { status: 'in_review' })
          expectStatus(await wl.patch(`/v1/tasks/${id}`, { parentId: parent.id }), 200)
          return wl.delete(`/v1/tasks/${parent.id}?force=true`)
        },
      ],
      ['a revoked key', (_id, _token, { id }) => wl.delete(`/v1/keys/${id}`)],
      [
        'other resources',
        (id, token, { key }) => wl.patch(`/v1/tasks/${id}`, { resources: ['other'] }, { key, ...claimOf(token) }),
      ],
      ['an undo', (id) => wl.post('/v1/undo', { claim: `${id}.1`, dryRun: false })],
      [
        'a batch',
        (id, token, { key }) =>
          wl.post(
            '/v1/batch',
            {
              operations: [
                { method: 'POST', path: `/v1/tasks/${id}/release`, body: {}, headers: { 'Worklore-Claim': token } },
              ],
            },
            { key },
          ),
      ],
      ['its lease', async () => wl.passTime(61_000)],
    ]
  for (const [at, [way, end]] of ends.entries()) {
    it(`are free when the claim ends by ${way}, which wakes a waiting next`, async () => {
      const projectId = `END${at}`
      await createProject(wl, { key: projectId })
      const key = await createKey(wl, { scopes: ['tasks:write'] })
      const holder = await createTask(wl, projectId, { resources: ['db'], priority: 'low' })
      const { token } = await claim(holder.id, { leaseSeconds: 60 }, key.key)
      const waiting = await createTask(wl, projectId, { resources: ['db'] })
      assert.equal((await next(projectId, { peek: true }))?.id, undefined)
      const woken = next(projectId, { waitSeconds: 30 })
      const ended = (await end(holder.id, token, key)) as { status: number; text: string } | undefined
      assert.ok(!ended || ended.status === 200 || ended.status === 201, ended?.text)
      const task = await woken
      assert.equal(task.id, waiting.id)
      const others = way === 'other resources' ? [`${holder.id} other`] : []
      assert.deepEqual(await reserved(`projectId=${projectId}`), [`${waiting.id} db`, ...others])
    })
  }

  it('are free at the instant a lease runs out, for lists and claims by id too', async () => {
    const projectId = 'LAPSE'
    await createProject(wl, { key: projectId })
    for (const resources of [['x/'], ['x/1'], ['x/2'], []]) await createTask(wl, projectId, { resources })
    const { token } = await claim('LAPSE-1', { leaseSeconds: 60 })
    await expectReady(projectId, ['LAPSE-4'])
    wl.passTime(61_000)
    const ready = await wl.get(`/v1/tasks?projectId=${projectId}&ready=true`)
    assert.deepEqual(idsOf(ready.body.data), ['LAPSE-1', 'LAPSE-2', 'LAPSE-3', 'LAPSE-4'])
    assert.deepEqual(await reserved(`projectId=${projectId}`), [])
    await claim('LAPSE-3')
    await expectReady(projectId, ['LAPSE-2', 'LAPSE-4'])
    const late = expectError(await wl.post('/v1/tasks/LAPSE-1/renew', {}, claimOf(token)), 'CONFLICT')
    assert.deepEqual([late.reason, late.resource, late.heldBy.taskId], ['resource', 'x/', 'LAPSE-3'])
    await wl.patch('/v1/tasks/LAPSE-3', { status: 'done' })
    expectStatus(await wl.post('/v1/tasks/LAPSE-1/renew', {}, claimOf(token)), 200)
    assert.deepEqual(await reserved(`projectId=${projectId}`), ['LAPSE-1 x/'])
    await refusal('LAPSE-2')
    expectStatus(await wl.post('/v1/tasks/LAPSE-1/claim', { takeover: true }), 200)
    await refusal('LAPSE-2')
  })

  it('of a claimed task are its holder’s and admins’ to change, and not taken from others', async () => {
    const projectId = 'CHANGE'
    await createProject(wl, { key: projectId })
    for (const resources of [['a'], ['b/'], ['a', 'b/1']]) await createTask(wl, projectId, { resources })
    const one = await createKey(wl, { scopes: ['tasks:write'] })
    const other = await createKey(wl, { scopes: ['tasks:write'] })
    const { token } = await claim('CHANGE-1', {}, one.key)
    await claim('CHANGE-2', {}, other.key)
    const patch = (resources: string[], options: object) => wl.patch('/v1/tasks/CHANGE-1', { resources }, options)
    for (const { key } of [one, other]) {
      assert.equal(expectError(await patch(['c'], { key }), 'CONFLICT').reason, 'claimed')
    }
    const fenced = { key: one.key, ...claimOf(token) }
    for (const added of ['b', 'b/', 'b/x/y']) {
      const error = expectError(await patch(['a', 'c', added], fenced), 'CONFLICT')
      assert.deepEqual([error.reason, error.resource, error.heldBy.taskId], ['resource', added, 'CHANGE-2'])
    }
    assert.deepEqual(await reserved(`projectId=${projectId}`), ['CHANGE-1 a', 'CHANGE-2 b/'])
    expectStatus(await patch(['c', 'b2'], fenced), 200)
    expectStatus(await patch(['c'], {}), 200)
    assert.deepEqual(await reserved(`projectId=${projectId}`), ['CHANGE-2 b/', 'CHANGE-1 c'])
    // One that is not claimed may want anything.
    expectStatus(await wl.patch('/v1/tasks/CHANGE-3', { resources: ['c', 'd'] }, { key: other.key }), 200)
    await expectReady(projectId, [])
    expectStatus(await wl.patch('/v1/tasks/CHANGE-3', { resources: ['d'] }, { key: other.key }), 200)
    await expectReady(projectId, ['CHANGE-3'])
  })

  it('come back with a task from the trash, from a version and by undo, reserved only while it is claimed', async () => {
    const projectId = 'BACK'
    await createProject(wl, { key: projectId })
    const one = await createTask(wl, projectId, { resources: ['a/', 'c'] })
    const two = await createTask(wl, projectId, { resources: ['a/1'] })
    await claim(one.id)
    await wl.delete(`/v1/tasks/${one.id}`)
    await claim(two.id)
    const entry = (await wl.get('/v1/trash?kind=task&limit=1')).body.data[0]
    expectStatus(await wl.post(`/v1/trash/${entry.id}/restore`, {}), 200)
    assert.deepEqual((await wl.get(`/v1/tasks/${one.id}`)).body.data.resources, ['a/', 'c'])
    await expectReady(projectId, [])
    await refusal(one.id)
    // Without what overlaps it can be claimed; its old version brings back only what is free.
    expectStatus(await wl.patch(`/v1/tasks/${one.id}`, { resources: [] }), 200)
    const before = (await wl.get(`/v1/tasks/${one.id}`)).body.data.version - 1
    await claim(one.id)
    const inProgress = await wl.patch(`/v1/tasks/${one.id}`, { resources: ['c', 'd'] })
    const { version } = expectStatus(inProgress, 200).body.data
    await wl.patch(`/v1/tasks/${one.id}`, { resources: ['e'] })
    const three = await createTask(wl, projectId, { resources: ['d'] })
    await claim(three.id)
    const restored = await wl.post('/v1/history/restore', { task: one.id, version })
    assert.deepEqual(expectStatus(restored, 200).body.skipped, [
      { task: one.id, field: 'resources', value: 'd', reason: 'in use' },
    ])
    assert.deepEqual(await reserved(`projectId=${projectId}`), [`${two.id} a/1`, `${one.id} c`, `${three.id} d`])
    const whole = await wl.post('/v1/history/restore', { task: one.id, version: before })
    assert.deepEqual(expectStatus(whole, 200).body.skipped, [])
    assert.deepEqual((await wl.get(`/v1/tasks/${one.id}`)).body.data.resources, ['a/', 'c'])
    assert.deepEqual(await reserved(`projectId=${projectId}`), [`${two.id} a/1`, `${three.id} d`])
  })

  it('are listed page by page, of the projects that a key may see', async () => {
    for (const key of ['LISTA', 'LISTB']) await createProject(wl, { key })
    const projectId = (await wl.get('/v1/projects/LISTA')).body.data.id
    await createTask(wl, 'LISTA', { title: 'A "task"', resources: ['b', 'a', 'a/b/'] })
    await createTask(wl, 'LISTB', { resources: ['a'] })
    const worker = await createKey(wl, { name: 'w', scopes: ['tasks:write'], projectIds: ['LISTA'] })
    const { expiresAt } = await claim('LISTA-1', { worker: 'w1' }, worker.key)
    await claim('LISTB-1')
    const { key } = worker
    assert.deepEqual(await reserved('', key), ['LISTA-1 a', 'LISTA-1 a/b/', 'LISTA-1 b'])
    expectError(await wl.get('/v1/resources?projectId=LISTB', { key }), 'FORBIDDEN')
    expectError(await wl.get('/v1/resources?projectId=NONE'), 'VALIDATION_ERROR')
    expectError(await wl.get('/v1/resources?resource=a'), 'VALIDATION_ERROR')
    const first = expectStatus(await wl.get('/v1/resources?projectId=LISTA&limit=2'), 200).body
    assert.deepEqual(first.data[0], {
      ...{ resource: 'a', taskId: 'LISTA-1', projectId, title: 'A "task"' },
      ...{ heldBy: { keyId: worker.id, name: 'w' }, worker: 'w1', expiresAt },
    })
    assert.ok(first.pagination.hasMore)
    const rest = `projectId=LISTA&limit=2&cursor=${first.pagination.nextCursor}`
    assert.deepEqual(await reserved(rest), ['LISTA-1 b'])
    expectError(await wl.get(`/v1/resources?cursor=${first.pagination.nextCursor}`), 'VALIDATION_ERROR')
    expectStatus(await wl.delete('/v1/projects/LISTA?force=true'), 200)
    assert.ok((await reserved('')).every((line: string) => !line.startsWith('LISTA')))
  })

  it('are reserved in a batch by the claims before', async () => {
    const projectId = 'BATCH'
    await createProject(wl, { key: projectId })
    const create = (as: string) => ({
      method: 'POST',
      path: '/v1/tasks',
      as,
      body: { projectId, title: as, resources: ['r'] },
    })
    const claimed = (as: string) => ({ method: 'POST', path: `/v1/tasks/@${as}/claim`, body: {} })
    const operations = [create('one'), create('two'), claimed('one')]
    const refused = expectError(await wl.post('/v1/batch', { operations: [...operations, claimed('two')] }), 'CONFLICT')
    assert.deepEqual([refused.reason, refused.index], ['resource', 3])
    assert.deepEqual(await reserved(`projectId=${projectId}`), [])
    expectStatus(await wl.post('/v1/batch', { operations }), 200)
    assert.equal((await reserved(`projectId=${projectId}`)).length, 1)
  })
})
