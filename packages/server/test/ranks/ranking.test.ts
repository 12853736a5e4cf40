import assert from 'node:assert/strict'
import { it } from 'node:test'
import { expectError, expectInvalid, expectStatus } from 'worklore-testing/expect'
import { createKey, createProject, createTask } from 'worklore-testing/factories'
import { rowsOf } from 'worklore-testing/harness'
import { randomFrom } from 'worklore-testing/random'
import { describeService } from 'worklore-testing/service-suite'

describeService('ranking tasks', (wl) => {
  // biome-ignore lint/suspicious/noExplicitAny: records of every kind
  type Any = any
  let projects = 0
  const newProject = (): Promise<Any> => createProject(wl, { key: `RANK${++projects}` })
  const rank = (id: string, body: object, options = {}) => wl.post(`/v1/tasks/${id}/rank`, body, options)
  const ranked = async (id: string, body: object): Promise<Any> => expectStatus(await rank(id, body), 200).body.data
  const get = async (path: string): Promise<Any> => expectStatus(await wl.get(path), 200).body.data
  const order = async (projectId: string, sort = 'rank'): Promise<number[]> =>
    (await get(`/v1/tasks?projectId=${projectId}&sort=${sort}&limit=100`)).map(({ id }: Any) =>
      Number(id.split('-')[1]),
    )
  const createSome = async (projectId: string, count: number, fields = {}): Promise<string[]> => {
    const operations = Array.from({ length: count }, () => ({
      method: 'POST',
      path: '/v1/tasks',
      body: { projectId, title: 'A task', ...fields },
    }))
    const { data } = expectStatus(await wl.post('/v1/batch', { operations }), 200).body
    return data.map(({ body }: Any) => body.data.id)
  }

  it('begins with the oldest, and puts a new task at the bottom', async () => {
    const { id: projectId } = await newProject()
    const [first, second, third] = (await createSome(projectId, 3)) as [string, string, string]
    assert.deepEqual(await order(projectId), [1, 2, 3])
    assert.deepEqual(await order(projectId, '-rank'), [3, 2, 1])
    await ranked(third, { to: 'top' })
    assert.deepEqual(await order(projectId), [3, 1, 2])
    await ranked(third, { to: 'bottom' })
    await createTask(wl, projectId)
    assert.deepEqual(await order(projectId), [1, 2, 3, 4])
    await ranked(first, { after: third })
    await ranked(second, { before: `${first.split('-')[0]}-4` })
    assert.deepEqual(await order(projectId), [3, 1, 2, 4])
    await ranked(`${first.split('-')[0]}-4`, { before: third })
    assert.deepEqual(await order(projectId), [4, 3, 1, 2])
    const cards = await get(`/v1/tasks/cards?projectId=${projectId}&sort=rank`)
    assert.deepEqual(
      cards.map(({ rank }: Any) => rank),
      cards.map(({ rank }: Any) => rank).toSorted((a: number, b: number) => a - b),
    )
  })

  it('is no version and is not undone; one event tells of it', async () => {
    const { id: projectId } = await newProject()
    const agent = await createKey(wl)
    const [first, second] = (await createSome(projectId, 2)) as [string, string]
    const before = await wl.get(`/v1/tasks/${second}`)
    const { nextAfter } = (await wl.get('/v1/events?after=latest')).body.pagination
    const answer = expectStatus(await rank(second, { before: first }, { key: agent.key }), 200)
    const after = await wl.get(`/v1/tasks/${second}`)
    assert.deepEqual(after.body.data, { ...before.body.data, rank: answer.body.data.rank })
    assert.ok(after.body.data.rank < before.body.data.rank)
    assert.notEqual(after.headers.etag, before.headers.etag)
    const events = expectStatus(await wl.get(`/v1/events?after=${nextAfter}`), 200).body.data
    assert.deepEqual(
      events.map(({ type, data, previous }: Any) => [type, data.id, previous]),
      [['task.ranked', second, { rank: before.body.data.rank }]],
    )
    assert.equal((await get(`/v1/tasks/${second}/history`)).length, 1)
    assert.equal('rank' in (await get(`/v1/tasks/${second}?version=1`)), false)
    // Nothing changes where it stands there already.
    for (const same of [{ before: first }, { to: 'top' }]) assert.equal((await rank(second, same)).status, 200)
    for (const same of [{ after: second }, { to: 'bottom' }]) assert.equal((await rank(first, same)).status, 200)
    assert.equal((await wl.get('/v1/events?after=latest')).body.pagination.nextAfter, events[0].sequence)
    const { undone } = expectStatus(await wl.post('/v1/undo', { keyId: agent.id, dryRun: false }), 200).body.data
    assert.deepEqual([undone, await order(projectId)], [[], [2, 1]])
    expectStatus(await wl.delete(`/v1/tasks/${second}`), 200)
    const [entry] = await get('/v1/trash?kind=task&limit=1')
    expectStatus(await wl.post(`/v1/trash/${entry.id}/restore`, undefined), 200)
    assert.deepEqual(await order(projectId), [2, 1])
  })

  it('is refused with a task of another project, of none, or without a place', async () => {
    const { id: projectId } = await newProject()
    const elsewhere = await createTask(wl, (await newProject()).id)
    const { id } = await createTask(wl, projectId)
    const other = await createTask(wl, projectId)
    for (const side of ['before', 'after']) {
      expectInvalid(await rank(id, { [side]: elsewhere.id }), side)
      expectInvalid(await rank(id, { [side]: 'NONE-1' }), side)
      expectInvalid(await rank(id, { [side]: 'no id' }), side)
      expectInvalid(await rank(id, { [side]: id }), side)
      expectInvalid(await rank(id, { [side]: 7 }), side)
    }
    expectInvalid(await rank(id, {}), 'before')
    expectInvalid(await rank(id, { before: other.id, to: 'top' }), 'before')
    expectInvalid(await rank(id, { to: 'middle' }), 'to')
    expectInvalid(await rank(id, { to: 'top', rank: 1 }), 'rank')
    expectError(await rank('NONE-1', { to: 'top' }), 'NOT_FOUND')
    const limited = await createKey(wl, { projectIds: [elsewhere.projectId] })
    expectError(await rank(id, { to: 'top' }, { key: limited.key }), 'FORBIDDEN')
    const reader = await createKey(wl, { scopes: ['tasks:read'] })
    expectError(await rank(id, { to: 'top' }, { key: reader.key }), 'FORBIDDEN')
    expectInvalid(await wl.patch(`/v1/tasks/${id}`, { rank: 1 }), 'rank')
    assert.deepEqual(await order(projectId), [1, 2])
  })

  it('decides what is handed out after priority and due date', async () => {
    const { id: projectId } = await newProject()
    const [first, second, third] = (await createSome(projectId, 3)) as [string, string, string]
    await wl.patch(`/v1/tasks/${first}`, { priority: 'high' })
    const peek = async (): Promise<string> =>
      expectStatus(await wl.post('/v1/tasks/next', { projectId, peek: true }), 200).body.data.id
    await ranked(third, { before: second })
    assert.equal(await peek(), first)
    await wl.patch(`/v1/tasks/${first}`, { status: 'done' })
    assert.equal(await peek(), third)
    assert.deepEqual(
      (await get(`/v1/tasks?projectId=${projectId}&ready=true`)).map(({ id }: Any) => id),
      [third, second],
    )
    await wl.patch(`/v1/tasks/${second}`, { dueDate: '2030-01-01' })
    assert.equal(await peek(), second)
  })

  it('makes room where there is none left', async () => {
    const { id: projectId, key } = await newProject()
    await createSome(projectId, 60)
    // Each comes right after the first, until nothing is left between two.
    const expected = [1]
    for (let number = 60; number > 1; number--) {
      const at = `${key}-${number}`
      expectStatus(await rank(at, number === 60 ? { to: 'top' } : { before: `${key}-${number + 1}` }), 200)
    }
    expected.push(...Array.from({ length: 59 }, (_, at) => at + 2))
    assert.deepEqual(await order(projectId), [...expected.slice(1), 1])
    const first = `${key}-2`
    let respaced = 0
    for (let round = 0; round < 60; round++) {
      const [, second] = await order(projectId)
      const last = (await order(projectId)).at(-1)
      const { nextAfter } = (await wl.get('/v1/events?after=latest')).body.pagination
      await ranked(`${key}-${last}`, { after: first })
      const [event] = (await wl.get(`/v1/events?after=${nextAfter}`)).body.data
      if (event.data.respaced) respaced++
      assert.deepEqual((await order(projectId)).slice(0, 3), [2, last, second])
    }
    assert.ok(respaced > 0, 'there was no room once')
    const rows = await rowsOf<{ rank: number }>(
      wl,
      `select rank from tasks where project_id = '${projectId}' order by rank`,
    )
    assert.equal(new Set(rows.map(({ rank }) => rank)).size, 60)
  })

  it('pages by rank past tasks that make room, each that was not ranked once', async () => {
    for (const [sort, limit] of [
      ['rank', 19],
      ['rank', 22],
      ['-rank', 25],
      ['-rank', 30],
    ] as const) {
      const { id: projectId } = await newProject()
      const ids = await createSome(projectId, 60)
      const expected = sort === 'rank' ? ids : ids.toReversed()
      const path = `/v1/tasks?projectId=${projectId}&sort=${sort}&limit=${limit}`
      const first = expectStatus(await wl.get(path), 200).body
      const seen: string[] = first.data.map(({ id }: Any) => id)
      // Among so many that come between, those before them have to give way.
      const moving = expected.slice(-20)
      for (const id of [...moving, ...moving]) await ranked(id, { after: expected[limit + 1]! })
      for (let cursor = first.pagination.nextCursor; cursor; ) {
        const { data, pagination } = expectStatus(await wl.get(`${path}&cursor=${cursor}`), 200).body
        seen.push(...data.map(({ id }: Any) => id))
        cursor = pagination.nextCursor
      }
      const unmoved = (all: readonly string[]) => all.filter((id) => !moving.includes(id))
      assert.deepEqual(unmoved(seen), unmoved(expected), `${sort} by ${limit}`)
    }
  })

  it('ends in one order when many rank at once, and pages by it', async () => {
    const { id: projectId, key } = await newProject()
    await createSome(projectId, 50)
    const random = randomFrom(37)
    const below = (limit: number): number => 1 + Math.floor(random() * limit)
    await Promise.all(
      Array.from({ length: 50 }, async (_, client) => {
        for (let round = 0; round < 4; round++) {
          const id = `${key}-${client + 1}`
          const other = `${key}-${below(50)}`
          const places = [{ before: other }, { after: other }, { to: 'top' }, { to: 'bottom' }]
          const place = other === id ? places[2]! : places[below(4) - 1]!
          expectStatus(await rank(id, place), 200)
        }
      }),
    )
    const whole = await order(projectId)
    assert.equal(new Set(whole).size, 50)
    for (const [sort, expected] of [
      ['rank', whole],
      ['-rank', whole.toReversed()],
    ] as const) {
      const seen: number[] = []
      for (let cursor = ''; ; ) {
        const path = `/v1/tasks?projectId=${projectId}&sort=${sort}&limit=7${cursor}`
        const { data, pagination } = expectStatus(await wl.get(path), 200).body
        seen.push(...data.map(({ id }: Any) => Number(id.split('-')[1])))
        if (!pagination.hasMore) break
        cursor = `&cursor=${pagination.nextCursor}`
      }
      assert.deepEqual(seen, expected)
    }
    // All projects: one after the other, each in its order.
    const all: Any[] = []
    for (let cursor = ''; ; ) {
      const { data, pagination } = expectStatus(await wl.get(`/v1/tasks?sort=rank&limit=40${cursor}`), 200).body
      all.push(...data)
      if (!pagination.hasMore) break
      cursor = `&cursor=${pagination.nextCursor}`
    }
    assert.deepEqual(
      all.filter((task) => task.projectId === projectId).map(({ id }) => Number(id.split('-')[1])),
      whole,
    )
    assert.equal(new Set(all.map(({ id }) => id)).size, all.length)
  })

  it('can be part of a batch', async () => {
    const { id: projectId } = await newProject()
    const [first, second] = (await createSome(projectId, 2)) as [string, string]
    const operations = [{ method: 'POST', path: `/v1/tasks/${second}/rank`, body: { before: first } }]
    expectStatus(await wl.post('/v1/batch', { operations }), 200)
    assert.deepEqual(await order(projectId), [2, 1])
  })

  it('is at the bottom of the project that a task is moved to', async () => {
    const [from, to] = [await newProject(), await newProject()]
    const [parent] = (await createSome(from.id, 1)) as [string]
    const [child, other] = (await createSome(from.id, 2, { parentId: parent })) as [string, string]
    await ranked(other, { before: child })
    const [own] = (await createSome(to.id, 1)) as [string]
    await ranked(own, { to: 'bottom' })
    expectStatus(await wl.post(`/v1/tasks/${parent}/move`, { projectId: to.id }), 200)
    const last = await createTask(wl, to.id)
    const ids = (await get(`/v1/tasks?projectId=${to.id}&sort=rank`)).map(({ id }: Any) => id)
    assert.deepEqual(ids, [own, parent, other, child, last.id])
  })
})
