import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { expectStatus } from 'worklore-testing/expect'
import { createKey, createProject, createTask, createUser, putItem } from 'worklore-testing/factories'
import { describeTenant } from 'worklore-testing/service-suite'

type Query = Record<string, string | undefined>

/** Returns every combination of one choice for each name. */
const combinationsOf = (choices: Record<string, readonly (string | undefined)[]>): Query[] =>
  Object.entries(choices).reduce<Query[]>(
    (queries, [name, values]) => queries.flatMap((query) => values.map((value) => ({ ...query, [name]: value }))),
    [{}],
  )

const fields = ['createdAt', 'updatedAt', 'priority', 'dueDate', 'rank']
const sorts = fields.flatMap((field) => [field, `-${field}`])

// Which statement a list runs depends on its filters, its order, its page and the projects of the key.
describeTenant('lists with each combination of filters and orders', (wl) => {
  const secrets: string[] = []
  let userId: string
  let keyId: string
  let parentId: string

  const pathWith = (path: string, query: Query): string => {
    const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined)
    return `${path}?${new URLSearchParams(given)}`
  }
  const read = async (path: string, query: Query, key: string) =>
    expectStatus(await wl.get(pathWith(path, query), { key }), 200).body

  /** Reads a list whole and in two pages, and expects the same records in the same order. */
  const expectSamePages = async (path: string, query: Query, key: string, limit = 100): Promise<void> => {
    const whole = await read(path, { ...query, limit: String(limit) }, key)
    if (whole.data.length < 2) return
    const half = String(Math.ceil(whole.data.length / 2))
    const first = await read(path, { ...query, limit: half }, key)
    const cursor = first.pagination.nextCursor
    const second = cursor ? await read(path, { ...query, limit: half, cursor }, key) : { data: [] }
    assert.deepEqual([...first.data, ...second.data].slice(0, whole.data.length), whole.data, pathWith(path, query))
  }

  before(async () => {
    const projects = [await createProject(wl, { key: 'AA' }), await createProject(wl, { key: 'BB' })]
    userId = (await createUser(wl)).id
    const scopes = ['tasks:write', 'knowledge:write']
    const whole = await createKey(wl, { scopes, userId })
    const limited = await createKey(wl, { scopes, projectIds: projects.map(({ id }) => id) })
    keyId = whole.id
    secrets.push(whole.key, limited.key)
    const options = { key: whole.key }
    for (const { id: projectId } of projects) {
      const parent = await createTask(wl, projectId, { labels: ['a'], priority: 'high' }, options)
      parentId = parent.id
      const child = { parentId: parent.id, labels: ['a', 'b'], assigneeId: userId }
      const blocker = await createTask(wl, projectId, child, options)
      await createTask(wl, projectId, { blockedBy: [blocker.id], dueDate: '2026-05-01' }, options)
      await createTask(wl, projectId, { assigneeId: userId, externalId: `external-${projectId}` }, options)
      expectStatus(await wl.post(`/v1/tasks/${parent.id}/claim`, {}, options), 200)
      for (const name of ['one', 'two', 'three']) await putItem(wl, `docs/${name}`, name, { projectId, tags: ['x'] })
      for (const to of [userId, undefined]) {
        const asked = await wl.post(`/v1/tasks/${parent.id}/questions`, { body: 'Which?', to }, options)
        expectStatus(asked, 201)
      }
    }
    for (const name of ['four', 'five', 'six']) await putItem(wl, `docs/${name}`, name, { tags: ['x'] })
    expectStatus(await wl.delete('/v1/knowledge/docs/six'), 200)
  })

  for (const view of ['tasks', 'tasks/cards']) {
    it(`page through ${view} in the order of the whole list, each once`, async () => {
      const filters: Query[] = [
        ...[{ label: 'a' }, { label: 'a,b' }, { assignee: userId }, { assignee: 'none' }, { parentId }],
        ...[{ parentId: 'none' }, { blockedBy: 'AA-2' }, { blocks: 'AA-3' }, { claimed: 'true' }, { claimedBy: keyId }],
        ...[{ ready: 'true' }, { status: 'todo' }, { status: 'todo,in_progress' }, { priority: 'high' }],
        ...[{ createdBy: keyId }, { dueAfter: '2026-01-01' }, { checks: 'none' }, { externalId: 'external-none' }],
        ...[{ id: 'AA-1,AA-2,BB-1' }, { updatedAfter: '2026-01-01T00:00:00Z' }],
      ]
      for (const key of secrets) {
        for (const projectId of [undefined, 'AA']) {
          for (const sort of [undefined, ...sorts]) await expectSamePages(`/v1/${view}`, { projectId, sort }, key)
          for (const [at, filter] of filters.entries()) {
            const tried = view === 'tasks' ? [undefined, 'createdAt', sorts[at % sorts.length]] : [undefined]
            for (const sort of tried) await expectSamePages(`/v1/${view}`, { ...filter, projectId, sort }, key)
          }
        }
      }
    })
  }

  it('find a task after each kind of write that changes several rows', async () => {
    const [whole, limited] = secrets.map((key) => ({ key }))
    const [labels, notBefore] = [['c', 'd'], new Date(wl.service.core.clock() + 3_600_000).toISOString()]
    const idsOf = async (query: Query): Promise<string[]> =>
      (await read('/v1/tasks', { ...query, sort: 'createdAt' }, whole!.key)).data.map(({ id }: { id: string }) => id)
    const late = await createTask(wl, 'AA', { labels, notBefore }, whole)
    const reserving = await createTask(wl, 'AA', { resources: ['file'], notBefore }, whole)
    const reopened = await createTask(wl, 'AA', { labels, status: 'done' }, whole)
    const finished = await createTask(wl, 'AA', { labels: ['c'] }, whole)
    assert.deepEqual(await idsOf({ label: 'c' }), [late.id, reopened.id, finished.id])
    const change = (id: string, changes: object) => wl.patch(`/v1/tasks/${id}`, changes, whole)
    expectStatus(await change(reopened.id, { status: 'todo' }), 200)
    expectStatus(await change(finished.id, { status: 'done', labels: ['c', 'd', 'e'] }), 200)
    assert.deepEqual(await idsOf({ label: 'd' }), [late.id, reopened.id, finished.id])
    assert.deepEqual(await idsOf({ label: 'c', ready: 'true' }), [reopened.id])
    assert.deepEqual(await idsOf({ id: reserving.id, ready: 'true' }), [])

    const parent = await createTask(wl, 'AA', {}, whole)
    const fields = { parentId: parent.id, labels, priority: 'urgent' }
    const child = await createTask(wl, 'AA', fields, whole)
    const wanted = { parentId: parent.id, label: 'c', priority: 'urgent', peek: true }
    for (const key of [whole, limited]) {
      const { data } = expectStatus(await wl.post('/v1/tasks/next', wanted, key), 200).body
      assert.equal(data.id, child.id)
    }
    for (const body of ['one', 'two', 'three'])
      expectStatus(await wl.post(`/v1/tasks/${child.id}/comments`, { body }, whole), 201)
    for (const key of secrets) await expectSamePages(`/v1/tasks/${child.id}/comments`, {}, key)
  })

  it('page through items in the order of the whole list, each once', async () => {
    const queries = combinationsOf({
      projectId: [undefined, 'AA'],
      prefix: [undefined, 'docs/'],
      tag: [undefined, 'x'],
      state: [undefined, 'current'],
      fields: [undefined, 'key'],
    })
    for (const key of secrets) for (const query of queries) await expectSamePages('/v1/knowledge', query, key)
  })

  it('page through questions in the order of the whole list, each once', async () => {
    const queries = combinationsOf({
      projectId: [undefined, 'AA'],
      taskId: [undefined, 'AA-1'],
      state: [undefined, 'open', 'answered'],
    })
    for (const key of secrets) for (const query of queries) await expectSamePages('/v1/questions', query, key)
    for (const query of queries) await expectSamePages('/v1/questions', { ...query, to: 'me' }, secrets[0]!)
  })

  it('page through the history in the order of the whole list, each change once', async () => {
    const [projectId, by] = [
      [undefined, 'AA'],
      [undefined, keyId],
    ]
    const queries = [
      ...combinationsOf({ projectId, keyId: by, since: [undefined, '2026-01-01'] }),
      ...combinationsOf({ projectId, keyId: by, task: ['AA-1'] }),
      ...combinationsOf({ projectId: ['AA'], keyId: by, knowledge: ['docs/one'] }),
      ...combinationsOf({ keyId: by, knowledge: ['docs/four'] }),
    ]
    for (const key of secrets) for (const query of queries) await expectSamePages('/v1/history', query, key)
  })

  it('return the same events in both directions', async () => {
    const common = { projectId: [undefined, 'AA'], types: [undefined, 'task.created', 'task.*'] }
    for (const key of secrets) {
      for (const query of combinationsOf(common)) {
        const [ascending, descending] = [
          await read('/v1/events', { ...query, limit: '100' }, key),
          await read('/v1/events', { ...query, order: 'desc', limit: '100' }, key),
        ]
        assert.deepEqual(descending.data.toReversed(), ascending.data, JSON.stringify(query))
      }
      const narrower = { subject: [undefined, 'AA-1'], actor: [undefined, keyId], since: [undefined, '2026-01-01'] }
      for (const query of combinationsOf({ ...common, ...narrower }))
        await read('/v1/events', { ...query, order: 'desc' }, key)
    }
  })
})
