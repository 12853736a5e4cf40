import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { expectError, expectInvalid, expectStatus } from 'worklore-testing/expect'
import { createKey, createProject, createTask } from 'worklore-testing/factories'
import type { Answer } from 'worklore-testing/harness'
import { addTenant } from 'worklore-testing/operator'
import { describeTenant } from 'worklore-testing/service-suite'

describeTenant('refused structure', (wl) => {
  let limited = ''
  let foreignTask = ''

  before(async () => {
    const open = await createProject(wl, { key: 'OPEN' })
    await createProject(wl, { key: 'SHUT' })
    await createTask(wl, 'SHUT')
    // A chain of twelve, of which each waits for the one before, in two projects.
    await createTask(wl, 'OPEN')
    for (let at = 2; at <= 12; at++) {
      const last = at === 2 ? 'OPEN-1' : at % 2 === 0 ? `OPEN-${at - 2}` : `OPEN-${at - 1}`
      await createTask(wl, 'OPEN', { blockedBy: [last, ...(at === 12 ? ['OPEN-11'] : [])] })
    }
    limited = (await createKey(wl, { scopes: ['tasks:write'], projectIds: [open.id] })).key
    const key = await addTenant(wl)
    await createProject(wl, { key: 'FAR' }, { key })
    foreignTask = (await createTask(wl, 'FAR', {}, { key })).id
  })

  const sequence = async (): Promise<string> => (await wl.get('/v1/events?after=latest')).body.pagination.nextAfter

  /** Expects that the request is refused and that nothing is written. */
  const refused = async (send: () => Promise<Answer>): Promise<Answer> => {
    const at = await sequence()
    const answer = await send()
    assert.ok(answer.status >= 400 && answer.status < 500, answer.text)
    assert.equal(await sequence(), at, answer.text)
    return answer
  }
  const batch = (operations: unknown[], options = {}) => wl.post('/v1/batch', { operations }, options)
  const task = (fields: object, as?: string) => ({
    method: 'POST',
    path: '/v1/tasks',
    body: { projectId: 'OPEN', title: 'x', ...fields },
    ...(as && { as }),
  })
  const patch = (id: string, body: object) => ({ method: 'PATCH', path: `/v1/tasks/${id}`, body })

  it('is a task that blocks itself or is its own parent', async () => {
    for (const [patch, path] of [
      [{ blockedBy: ['OPEN-2', 'OPEN-1'] }, 'blockedBy.1'],
      [{ parentId: 'OPEN-1' }, 'parentId'],
    ] as const) {
      const error = expectError(await refused(() => wl.patch('/v1/tasks/OPEN-1', patch)), 'CONFLICT')
      assert.deepEqual([error.reason, error.cycle, error.details[0].path], ['cycle', ['OPEN-1'], path])
    }
  })

  it('is a cycle, long, across projects, through parents or made within a batch', async () => {
    const cycle = async (send: () => Promise<Answer>, ...ids: string[]) => {
      const error = expectError(await refused(send), 'CONFLICT')
      assert.equal(error.reason, 'cycle')
      for (const id of ids) assert.ok(error.cycle.includes(id), JSON.stringify(error.cycle))
      return error
    }
    await cycle(() => wl.patch('/v1/tasks/OPEN-1', { blockedBy: ['OPEN-12'] }), 'OPEN-1', 'OPEN-12')
    expectStatus(await wl.patch('/v1/tasks/SHUT-1', { blockedBy: ['OPEN-12'] }), 200)
    await cycle(() => wl.patch('/v1/tasks/OPEN-1', { blockedBy: ['SHUT-1'] }), 'OPEN-1', 'SHUT-1', 'OPEN-12')
    await createTask(wl, 'OPEN', { title: 'whole' })
    await createTask(wl, 'OPEN', { title: 'part', parentId: 'OPEN-13' })
    expectStatus(await wl.patch('/v1/tasks/OPEN-1', { blockedBy: ['OPEN-14'] }), 200)
    await cycle(() => wl.patch('/v1/tasks/OPEN-13', { blockedBy: ['OPEN-12'] }), 'OPEN-1', 'OPEN-12', 'OPEN-14')
    const inBatch = await cycle(() =>
      batch([
        task({}, 'one'),
        task({ blockedBy: ['@one'] }, 'two'),
        task({ blockedBy: ['@two'] }, 'three'),
        patch('@one', { blockedBy: ['@three'] }),
      ]),
    )
    assert.equal(inBatch.index, 3)
    const byParents = await cycle(() =>
      batch([task({}, 'one'), task({ parentId: '@one' }, 'two'), patch('@one', { parentId: '@two' })]),
    )
    assert.equal(byParents.index, 2)
  })

  it('is a link to what is not there, of another tenant or of a project that the key may not use', async () => {
    const blockedBy = ['OPEN-9999', foreignTask, 'nonsense', '@name']
    const paths = blockedBy.map((_, at) => `blockedBy.${at}`)
    expectInvalid(await refused(() => wl.patch('/v1/tasks/OPEN-1', { blockedBy })), ...paths)
    expectInvalid(await refused(() => wl.post('/v1/tasks', { projectId: 'OPEN', title: 'x', blockedBy })), ...paths)
    for (const parentId of ['OPEN-9999', foreignTask, 'SHUT-1', 'nonsense']) {
      expectInvalid(await refused(() => wl.patch('/v1/tasks/OPEN-2', { parentId })), 'parentId')
    }
    const barred = await refused(() => wl.patch('/v1/tasks/OPEN-2', { blockedBy: ['SHUT-1'] }, { key: limited }))
    expectInvalid(barred, 'blockedBy.0')
    const inBatch = await refused(() => batch([task({}), task({ blockedBy: ['SHUT-1'] })], { key: limited }))
    expectInvalid(inBatch, 'blockedBy.0')
    assert.equal(inBatch.body.error.index, 1)
  })

  it('is a batch with a name that no earlier operation has', async () => {
    const wrong: [unknown[], index: number, path: string][] = [
      [[task({ blockedBy: ['OPEN-1', '@later'] }), task({}, 'later')], 0, 'blockedBy.1'],
      [[task({ parentId: '@self' }, 'self')], 0, 'parentId'],
      [[task({}), patch('@unknown', { title: 'x' })], 1, 'taskId'],
      [[{ method: 'POST', path: '/v1/tasks/@unknown/comments', body: { body: 'x' } }], 0, 'taskId'],
      [[task({}, 'twice'), task({}, 'twice')], 1, 'as'],
    ]
    for (const [operations, index, path] of wrong) {
      const answer = await refused(() => batch(operations))
      expectInvalid(answer, path)
      assert.equal(answer.body.error.index, index, answer.text)
    }
  })

  it('is a batch that is too long, or of reads, waits and other batches', async () => {
    expectInvalid(await refused(() => batch(Array.from({ length: 101 }, () => task({})))), 'operations')
    expectInvalid(await refused(() => batch([])), 'operations')
    expectInvalid(await refused(() => batch([task({}), { method: 'GET', path: '/v1/tasks' }])), 'operations.1.method')
    for (const path of ['/v1/batch', '/v1/tasks/next', '/v1/projects', '/v1/nothing', 'v1/tasks']) {
      const answer = await refused(() => batch([task({}), { method: 'POST', path, body: {} }]))
      expectInvalid(answer, 'path')
      assert.equal(answer.body.error.index, 1)
    }
  })

  it('is an operation of a batch on a record of another tenant', async () => {
    const on = (path: string, method: string, body?: object) => ({ method, path, ...(body && { body }) })
    const operations = [
      on(`/v1/tasks/${foreignTask}`, 'PATCH', { title: 'Mine' }),
      on(`/v1/tasks/${foreignTask}`, 'DELETE'),
      on(`/v1/tasks/${foreignTask}/claim`, 'POST', {}),
      on(`/v1/tasks/${foreignTask}/comments`, 'POST', { body: 'x' }),
    ]
    for (const operation of operations) {
      const error = expectError(await refused(() => batch([task({}), operation])), 'NOT_FOUND')
      assert.equal(error.index, 1)
    }
    const barred = await refused(() => batch([task({}), patch('SHUT-1', { title: 'x' })], { key: limited }))
    assert.equal(expectError(barred, 'FORBIDDEN').index, 1)
  })

  it('is more than 50 blockers, and more than 1,000 tasks that one blocks', async () => {
    const many = Array.from({ length: 51 }, () => 'OPEN-2')
    expectInvalid(await refused(() => wl.patch('/v1/tasks/OPEN-1', { blockedBy: many })), 'blockedBy')
    await createProject(wl, { key: 'MANY' })
    await createTask(wl, 'MANY')
    for (let round = 0; round < 10; round++) {
      const operations = Array.from({ length: 100 }, () => task({ projectId: 'MANY', blockedBy: ['MANY-1'] }))
      expectStatus(await batch(operations), 200)
    }
    const error = expectError(
      await refused(() => wl.post('/v1/tasks', { projectId: 'MANY', title: 'x', blockedBy: ['MANY-1'] })),
      'CONFLICT',
    )
    assert.equal(error.reason, 'depth')
    const position = await sequence()
    expectStatus(await wl.patch('/v1/tasks/MANY-1', { status: 'done' }), 200)
    const unblocked = new Set<string>()
    for (let after = position; ; ) {
      const { data, pagination } = (await wl.get(`/v1/events?types=task.unblocked&limit=100&after=${after}`)).body
      for (const { data: task } of data) unblocked.add(task.id)
      if (!pagination.hasMore) break
      after = pagination.nextAfter
    }
    assert.equal(unblocked.size, 1_000)
  })
})
