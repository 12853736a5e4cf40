import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { expectInvalid, expectStatus } from 'worklore-testing/expect'
import { createKey, createProject, createTask, createUser } from 'worklore-testing/factories'
import { operatorCallOf } from 'worklore-testing/operator'
import { describeTenant } from 'worklore-testing/service-suite'
import { createTask as createDirectly } from '../../src/work/tasks/service.js'

type Json = Record<string, unknown>

const cardOf = (task: Json): Json => {
  const { description, result, blockedBy, notBefore, externalId, metadata, resources, checks, ...card } = task
  const states = (checks as { state: string }[]).map(({ state }) => state)
  const count = (state: string): number => states.filter((each) => each === state).length
  return { ...card, checks: { total: states.length, open: count('open'), failed: count('failed') } }
}

const withoutObstacles = ({ ready, openBlockerIds, ...card }: Json): Json => card

const filters = [
  '',
  'status=todo,in_progress',
  'assignee=none',
  'label=bug',
  'label=bug,ui&sort=-updatedAt',
  'priority=high',
  'claimed=true',
  'ready=true',
  'parentId=BOARD-1',
  'parentId=none&sort=priority',
  'blockedBy=BOARD-2',
  'dueAfter=2026-01-01&sort=dueDate',
  'projectId=BOARD&status=todo&sort=createdAt',
]

describeTenant('cards of tasks', (wl) => {
  before(async () => {
    await wl.post('/v1/projects', { key: 'BOARD', name: 'Board' })
    const { id } = (await wl.post('/v1/users', { name: 'Ada' })).body.data
    const create = async (fields: Json): Promise<unknown> =>
      expectStatus(await wl.post('/v1/tasks', { projectId: 'BOARD', title: 'x', ...fields }), 201)
    await create({ title: 'A "parent" \u2028 \u{1F680}', description: 'd'.repeat(60_000), labels: ['bug'] })
    await create({ parentId: 'BOARD-1', assigneeId: id, priority: 'high', labels: ['ui', 'bug'] })
    await create({ blockedBy: ['BOARD-2'], dueDate: '2026-01-31', metadata: { a: 'b'.repeat(10_000) } })
    await create({ status: 'done', dueDate: '2026-02-01T10:00:00Z', externalId: 'ext' })
    await create({ status: 'in_review' })
    await create({ priority: 'high' })
    expectStatus(await wl.post('/v1/tasks/BOARD-2/claim', { worker: 'w' }), 200)
    await wl.post('/v1/tasks/BOARD-5/comments', { body: 'seen' })
    await wl.patch('/v1/tasks/BOARD-5', { title: 'changed', labels: ['later'] })
  })

  for (const filter of filters) {
    it(`are the listed tasks without their long fields: ${filter || 'no filter'}`, async () => {
      const tasks = expectStatus(await wl.get(`/v1/tasks?${filter}`), 200).body
      const cards = expectStatus(await wl.get(`/v1/tasks/cards?${filter}`), 200).body
      assert.ok(tasks.data.length > 0)
      assert.deepEqual(cards.data.map(withoutObstacles), tasks.data.map(cardOf))
      assert.deepEqual({ ...cards.pagination, limit: 50 }, tasks.pagination)
    })

    it(`are counted by status: ${filter || 'no filter'}`, async () => {
      const query = filter.replace(/&?sort=[^&]*/, '')
      const tasks = expectStatus(await wl.get(`/v1/tasks?${query}`), 200).body.data as Json[]
      const expected: Record<string, number> = {
        todo: 0,
        in_progress: 0,
        in_review: 0,
        done: 0,
        cancelled: 0,
        total: 0,
      }
      for (const { status } of tasks) expected[status as string]!++
      expected.total = tasks.length
      assert.deepEqual(expectStatus(await wl.get(`/v1/tasks/counts?${query}`), 200).body.data, expected)
    })
  }

  it('change with every write', async () => {
    const check = async (): Promise<Json> => {
      const { data } = (await wl.get('/v1/tasks/cards?sort=createdAt')).body
      const task = (await wl.get('/v1/tasks/BOARD-2')).body.data
      assert.deepEqual(withoutObstacles(data[1]), cardOf(task))
      return data[1]
    }
    const { token } = (await check()).claim as { token: string }
    const headers = { 'worklore-claim': token }
    await wl.request('POST', '/v1/tasks/BOARD-2/renew', { body: {}, headers })
    await check()
    await wl.request('POST', '/v1/tasks/BOARD-2/release', { body: { status: 'in_review', comment: 'c' }, headers })
    assert.deepEqual([(await check()).status, (await check()).commentCount], ['in_review', 1])
    await wl.patch('/v1/tasks/BOARD-2', { assigneeId: null, parentId: null, attempts: 0, dueDate: '2026-03-01' })
    assert.deepEqual([(await check()).parentId, (await check()).dueDate], [null, '2026-03-01'])
  })

  it('show whether the caller can claim a task now, and what blocks it', async () => {
    const project = await createProject(wl, { key: 'WAIT', maxAttempts: 1 })
    const ada = await createUser(wl)
    const worker = await createKey(wl, { userId: ada.id })
    const create = (fields: Json) => createTask(wl, 'WAIT', fields)
    await create({ resources: ['env'] })
    await create({ blockedBy: ['WAIT-1'] })
    await create({ parentId: 'WAIT-2' })
    await create({ assigneeId: ada.id })
    await create({ notBefore: '2100-01-01T00:00:00Z' })
    await create({ resources: ['env'] })
    await create({ blockedBy: ['WAIT-1', 'WAIT-4', 'WAIT-5'] })
    await create({ status: 'in_review' })
    await create({})
    const claimed = expectStatus(await wl.post('/v1/tasks/WAIT-9/claim', { leaseSeconds: 60 }), 200).body.data
    const path = `/v1/tasks/cards?projectId=${project.id}&sort=createdAt`
    const check = async (expected: number[], key?: string) => {
      const options = key === undefined ? {} : { key }
      const cards = expectStatus(await wl.get(path, options), 200).body.data as Json[]
      const ready = cards.filter((card) => card.ready).map(({ id }) => id)
      assert.deepEqual(
        ready,
        expected.map((number) => `WAIT-${number}`),
      )
      const listed = (await wl.get(`${path}&ready=true`, options)).body.data as Json[]
      assert.deepEqual(
        ready,
        listed.map(({ id }) => id),
      )
      const others = (await wl.get(`${path}&ready=false`, options)).body.data as Json[]
      assert.deepEqual(
        others,
        cards.filter((card) => !card.ready),
      )
      return cards
    }
    const cards = await check([1, 6])
    assert.deepEqual(
      cards.map(({ openBlockerIds }) => openBlockerIds),
      [[], ['WAIT-1'], [], [], [], [], ['WAIT-1', 'WAIT-4', 'WAIT-5'], [], []],
    )
    await check([1, 4, 6], worker.key)
    expectStatus(await wl.post('/v1/tasks/WAIT-1/claim', { leaseSeconds: 600 }), 200)
    await check([])
    expectStatus(await wl.patch('/v1/tasks/WAIT-1', { status: 'done' }), 200)
    assert.deepEqual((await check([3, 6]))[6]!.openBlockerIds, ['WAIT-4', 'WAIT-5'])
    expectStatus(
      await wl.post('/v1/tasks/WAIT-9/release', {}, { headers: { 'Worklore-Claim': claimed.claim.token } }),
      200,
    )
    // WAIT-9 has used up its only attempt.
    await check([3, 6])
  })

  it('come up to 1,000 at once, and page by cursor beyond', async () => {
    const call = operatorCallOf(wl)
    const create = (_: unknown, at: number) => createDirectly(call, { projectId: 'BOARD', title: `Task ${at}` })
    await Promise.all(Array.from({ length: 1_000 }, create))
    const first = expectStatus(await wl.get('/v1/tasks/cards?limit=1000&status=todo'), 200).body
    assert.equal(first.data.length, 1_000)
    const rest = expectStatus(
      await wl.get(`/v1/tasks/cards?limit=1000&status=todo&cursor=${first.pagination.nextCursor}`),
      200,
    ).body
    const ids = new Set([...first.data, ...rest.data].map(({ id }: { id: string }) => id))
    const { data: counts } = (await wl.get('/v1/tasks/counts')).body
    assert.deepEqual([ids.size, rest.pagination.hasMore], [counts.todo, false])
    assert.ok(counts.todo > 1_000)
    assert.equal((await wl.get('/v1/tasks/cards')).body.data.length, 200)
  })

  it('refuse what lists refuse', async () => {
    expectInvalid(await wl.get('/v1/tasks/cards?limit=1001'), 'limit')
    expectInvalid(await wl.get('/v1/tasks/cards?colour=red&limit=0'), 'colour', 'limit')
    expectInvalid(await wl.get('/v1/tasks/cards?status=lost&dueBefore=soon'), 'dueBefore', 'status')
    expectInvalid(await wl.get('/v1/tasks/counts?limit=5&sort=priority'), 'limit', 'sort')
    expectInvalid(await wl.get('/v1/tasks/counts?projectId=NONE'), 'projectId')
    const { nextCursor } = (await wl.get('/v1/tasks?limit=1')).body.pagination
    expectInvalid(await wl.get(`/v1/tasks/cards?status=todo&cursor=${nextCursor}`), 'cursor')
  })
})
