import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { expectInvalid, expectStatus } from 'worklore-testing/expect'
import { createProject, createTask } from 'worklore-testing/factories'
import type { TestTenant } from 'worklore-testing/harness'
import { operatorCallOf } from 'worklore-testing/operator'
import { describeTenant } from 'worklore-testing/service-suite'
import { changing } from '../../src/operations/call.js'
import { createTask as createTaskIn } from '../../src/work/tasks/service.js'

/** More tasks than a test would want to send one by one. */
const fill = async (wl: TestTenant, projectId: string, count: number) =>
  changing(operatorCallOf(wl), async (call) => {
    for (let at = 0; at < count; at++) await createTaskIn(call, { projectId, title: 'A task' })
  })

describeTenant('pages of tasks', (wl) => {
  before(async () => {
    await createProject(wl, { key: 'TEN' })
    for (let at = 0; at < 10; at++) await createTask(wl, 'TEN')
  })

  const idsOf = (body: { data: { id: string }[] }): string[] => body.data.map(({ id }) => id)

  it('tell where they are and how much there is', async () => {
    const first = (await wl.get('/v1/tasks?projectId=TEN&limit=4')).body
    assert.equal(first.data.length, 4)
    const { nextCursor, ...rest } = first.pagination
    assert.equal(typeof nextCursor, 'string')
    assert.deepEqual(rest, { page: 1, limit: 4, total: 10, totalPages: 3, hasMore: true })
    const last = (await wl.get('/v1/tasks?projectId=TEN&limit=4&page=3')).body
    assert.deepEqual(idsOf(last), ['TEN-2', 'TEN-1'])
    assert.deepEqual(last.pagination, {
      page: 3,
      limit: 4,
      total: 10,
      totalPages: 3,
      hasMore: false,
      nextCursor: null,
    })
    const beyond = (await wl.get('/v1/tasks?projectId=TEN&limit=4&page=4')).body
    assert.deepEqual([beyond.data, beyond.pagination.total, beyond.pagination.hasMore], [[], 10, false])
  })

  it('have 50 tasks unless asked otherwise, and are empty without any', async () => {
    await createProject(wl, { key: 'FULL' })
    await fill(wl, 'FULL', 101)
    const { body } = await wl.get('/v1/tasks?projectId=FULL')
    assert.deepEqual([body.data.length, body.pagination.limit, body.pagination.totalPages], [50, 50, 3])
    assert.equal((await wl.get('/v1/tasks?projectId=FULL&limit=100')).body.data.length, 100)
    await createProject(wl, { key: 'VOID' })
    assert.deepEqual((await wl.get('/v1/tasks?projectId=VOID')).body, {
      data: [],
      pagination: { page: 1, limit: 50, total: 0, totalPages: 0, hasMore: false, nextCursor: null },
    })
  })

  it('have bounds', async () => {
    for (const limit of ['0', '101', '-1', '1.5', 'ten', '']) {
      expectInvalid(await wl.get(`/v1/tasks?limit=${limit}`), 'limit')
    }
    for (const page of ['0', '-1', '1.5', 'one', '']) expectInvalid(await wl.get(`/v1/tasks?page=${page}`), 'page')
    expectStatus(await wl.get('/v1/tasks?limit=1&page=1'), 200)
    expectStatus(await wl.get('/v1/tasks?limit=100&page=1000000'), 200)
    expectInvalid(await wl.get('/v1/tasks?limit=0&page=0'), 'limit', 'page')
    expectInvalid(await wl.get('/v1/tasks?total=guess'), 'total')
  })

  it('by cursor neither skip nor repeat a task while others are written and deleted', async () => {
    await createProject(wl, { key: 'MOVE' })
    for (let at = 0; at < 9; at++) await createTask(wl, 'MOVE')
    const seen: string[] = []
    const url = '/v1/tasks?projectId=MOVE&limit=3'
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { body } = expectStatus(await wl.get(cursor ? `${url}&cursor=${cursor}` : url), 200)
      seen.push(...idsOf(body))
      if (cursor) assert.deepEqual(Object.keys(body.pagination).sort(), ['hasMore', 'limit', 'nextCursor'])
      cursor = body.pagination.nextCursor
      await createTask(wl, 'MOVE')
      await wl.delete(`/v1/tasks/${seen.at(-1)}`)
      await wl.patch('/v1/tasks/MOVE-1', { title: `changed after ${seen.length}` })
    }
    assert.deepEqual(
      seen,
      [9, 8, 7, 6, 5, 4, 3, 2, 1].map((number) => `MOVE-${number}`),
    )
  })

  it('by cursor have each task once that holds two of the labels asked for', async () => {
    await createProject(wl, { key: 'TWO' })
    const labelsOf = (number: number) => (number % 2 === 0 ? ['m1', 'm2'] : [number % 3 === 0 ? 'm2' : 'm1'])
    for (const number of [1, 2, 3, 4, 5, 6]) await createTask(wl, 'TWO', { labels: labelsOf(number) })
    const all = [6, 5, 4, 3, 2, 1].map((number) => `TWO-${number}`)
    for (const limit of [1, 2, 3, 4, 5, 6, 7]) {
      for (const sort of ['-createdAt', '-updatedAt', 'dueDate']) {
        const seen: string[] = []
        const url = `/v1/tasks?label=m1,m2&limit=${limit}&sort=${sort}`
        for (let cursor: string | null = ''; cursor !== null; ) {
          const { body } = expectStatus(await wl.get(cursor ? `${url}&cursor=${cursor}` : url), 200)
          seen.push(...idsOf(body))
          cursor = body.pagination.nextCursor
        }
        assert.deepEqual(seen.toSorted(), all.toSorted(), `limit ${limit}, ${sort}`)
        const byPage = (await wl.get(`${url}&page=${Math.ceil(6 / limit)}`)).body.pagination
        assert.deepEqual([byPage.total, byPage.hasMore], [6, false], `limit ${limit}, ${sort}`)
      }
    }
  })

  it('by cursor belong to the filters and the order of the first page', async () => {
    const { nextCursor } = (await wl.get('/v1/tasks?projectId=TEN&limit=2&status=todo')).body.pagination
    const same = `projectId=TEN&status=todo&cursor=${nextCursor}`
    assert.deepEqual(idsOf((await wl.get(`/v1/tasks?limit=2&${same}`)).body), ['TEN-8', 'TEN-7'])
    assert.equal((await wl.get(`/v1/tasks?limit=3&${same}`)).body.data.length, 3)
    const two = (await wl.get('/v1/tasks?projectId=TEN&limit=2&status=todo,done')).body.pagination.nextCursor
    expectStatus(await wl.get(`/v1/tasks?projectId=TEN&limit=2&status=done,todo&cursor=${two}`), 200)
    const others = [
      `projectId=TEN&cursor=${nextCursor}`,
      `projectId=TEN&status=done&cursor=${nextCursor}`,
      `status=todo&cursor=${nextCursor}`,
      `${same}&sort=createdAt`,
      `${same}&label=x`,
      `${same}&updatedAfter=2020-01-01`,
    ]
    for (const query of others) expectInvalid(await wl.get(`/v1/tasks?${query}`), 'cursor')
  })

  it('refuse a cursor that is none', async () => {
    const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const garbage = ['x', '%F0%9F%99%82', 'bnVsbA', encoded({}), encoded([]), encoded([1, 2, 3, 4]), 'a'.repeat(5_000)]
    for (const cursor of ['', ...garbage]) expectInvalid(await wl.get(`/v1/tasks?cursor=${cursor}`), 'cursor')
  })

  it('refuse a cursor that was tampered with, or take it for some place in the list', async () => {
    for (const sort of ['priority', '-createdAt', 'dueDate']) {
      const query = `/v1/tasks?sort=${sort}&limit=1`
      const cursor = (await wl.get(query)).body.pagination.nextCursor
      const bytes = Buffer.from(cursor, 'base64url')
      const forgeries = [
        ...Array.from(bytes, (_, at) => bytes.subarray(0, at)),
        ...Array.from(bytes, (byte, at) => bytes.with(at, byte ^ 0xff)),
        ...Array.from(bytes, (_, at) => bytes.with(at, 0)),
        Buffer.concat([bytes, bytes]),
        Buffer.concat([bytes.subarray(0, 4), Buffer.alloc(1_000, 0xff)]),
      ]
      for (const forgery of forgeries) {
        const forged = Buffer.from(forgery).toString('base64url')
        const { status, text } = await wl.get(`${query}&cursor=${forged}`)
        assert.ok(status === 200 || status === 400, `${sort} ${forged} → ${text}`)
      }
      expectInvalid(await wl.get(`${query}&cursor=${cursor}!`), 'cursor')
    }
  })

  it('count exactly up to 1,000, and beyond that when asked', async () => {
    await createProject(wl, { key: 'MANY' })
    await fill(wl, 'MANY', 1_000)
    const exact = (await wl.get('/v1/tasks?projectId=MANY&limit=1')).body.pagination
    assert.deepEqual([exact.total, 'totalIsCapped' in exact], [1_000, false])
    await createTask(wl, 'MANY')
    const capped = (await wl.get('/v1/tasks?projectId=MANY&limit=100')).body.pagination
    assert.deepEqual([capped.total, capped.totalIsCapped, capped.totalPages], [1_000, true, 10])
    const asked = (await wl.get('/v1/tasks?projectId=MANY&limit=100&total=exact')).body.pagination
    assert.deepEqual([asked.total, 'totalIsCapped' in asked, asked.totalPages], [1_001, false, 11])
    const last = (await wl.get('/v1/tasks?projectId=MANY&limit=100&page=11')).body
    assert.deepEqual([last.data.length, last.pagination.hasMore], [1, false])
  })
})
