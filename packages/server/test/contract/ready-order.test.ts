import assert from 'node:assert/strict'
import { it } from 'node:test'
import { expectInvalid, expectStatus } from 'worklore-testing/expect'
import { createKey, createProject, createTask, createUser } from 'worklore-testing/factories'
import { describeService } from 'worklore-testing/service-suite'

const priorities = ['low', 'urgent', 'medium', 'high']

describeService('lists of ready tasks', (wl) => {
  const idsOf = ({ body }: { body: { data: { id: string }[] } }): string[] => body.data.map(({ id }) => id)

  /** All pages of a list by its cursors. */
  const pagesOf = async (query: string, key: string): Promise<string[]> => {
    const ids: string[] = []
    let cursor: string | null = ''
    do {
      const page: Awaited<ReturnType<typeof wl.get>> = expectStatus(
        await wl.get(`/v1/tasks?ready=true&limit=3${query}${cursor && `&cursor=${cursor}`}`, { key }),
        200,
      )
      ids.push(...idsOf(page))
      cursor = page.body.pagination.nextCursor
    } while (cursor)
    return ids
  }

  /** What next hands out until nothing is left; everything is free again afterwards. */
  const takenBy = async (key: string, wanted: object): Promise<string[]> => {
    const tokens = new Map<string, string>()
    for (;;) {
      const { data } = (await wl.post('/v1/tasks/next', wanted, { key })).body
      if (data === null) break
      tokens.set(data.id, data.claim.token)
    }
    for (const [id, token] of tokens) {
      expectStatus(await wl.post(`/v1/tasks/${id}/release`, {}, { key, headers: { 'worklore-claim': token } }), 200)
    }
    return [...tokens.keys()]
  }

  it('are in the order in which next takes them, page by page', async () => {
    const maxAttempts = 100
    const projects = [
      await createProject(wl, { key: 'ORDA', maxAttempts }),
      await createProject(wl, { key: 'ORDB', maxAttempts }),
    ]
    const [ada, bob] = [await createUser(wl), await createUser(wl)]
    for (let at = 0; at < 24; at++) {
      await createTask(wl, projects[at % 2].id, {
        title: `Task ${at}`,
        priority: priorities[at % 4],
        labels: at % 3 === 0 ? ['a', 'b'] : at % 3 === 1 ? ['b'] : [],
        ...(at % 5 === 0 && { dueDate: `2030-01-${String(28 - at).padStart(2, '0')}` }),
        ...(at % 7 === 0 && { assigneeId: ada.id }),
        ...(at % 11 === 3 && { assigneeId: bob.id }),
      })
    }
    const scopes = ['tasks:write']
    const ofAda = await createKey(wl, { scopes, userId: ada.id })
    const ofNobody = await createKey(wl, { scopes })
    const limited = await createKey(wl, { scopes, projectIds: [projects[1].id] })
    const cases: [key: string, query: string, wanted: object][] = [
      [ofAda.key, '', {}],
      [ofAda.key, '&projectId=ORDA', { projectId: 'ORDA' }],
      [ofAda.key, '&label=a', { label: 'a' }],
      [ofNobody.key, '&label=a,b&projectId=ORDB', { label: ['a', 'b'], projectId: 'ORDB' }],
      [ofNobody.key, '&priority=low,high', { priority: ['low', 'high'] }],
      [limited.key, '', {}],
    ]
    for (const [key, query, wanted] of cases) {
      const expected = await takenBy(key, wanted)
      assert.ok(expected.length > 4)
      assert.deepEqual(await pagesOf(query, key), expected, query)
      const whole = await wl.get(`/v1/tasks?ready=true&limit=100${query}`, { key })
      assert.deepEqual(idsOf(whole), expected, query)
      assert.equal(whole.body.pagination.total, expected.length)
      assert.deepEqual(
        idsOf(await wl.get(`/v1/tasks?ready=true&limit=4&page=2${query}`, { key })),
        expected.slice(4, 8),
      )
      assert.deepEqual(idsOf(await wl.get(`/v1/tasks/cards?ready=true${query}`, { key })), expected)
    }
  })

  it('hold what time alone has made ready, in its place', async () => {
    await createProject(wl, { key: 'ORDT' })
    const { key } = await createKey(wl, { scopes: ['tasks:write'] })
    const notBefore = new Date(Date.now() + 60_000).toISOString()
    await createTask(wl, 'ORDT', { priority: 'low' })
    await createTask(wl, 'ORDT', { priority: 'high', notBefore })
    await createTask(wl, 'ORDT', { priority: 'urgent' })
    const parent = await createTask(wl, 'ORDT', { priority: 'medium', status: 'cancelled' })
    await createTask(wl, 'ORDT', { priority: 'medium', parentId: parent.id })
    expectStatus(await wl.post('/v1/tasks/ORDT-3/claim', { leaseSeconds: 30 }), 200)
    assert.deepEqual(await pagesOf('&projectId=ORDT', key), ['ORDT-5', 'ORDT-1'])
    wl.passTime(61_000)
    assert.deepEqual(await pagesOf('&projectId=ORDT', key), ['ORDT-3', 'ORDT-2', 'ORDT-5', 'ORDT-1'])
    assert.deepEqual(await pagesOf(`&parentId=${parent.id}`, key), ['ORDT-5'])
  })

  it('are sorted otherwise where that is asked for', async () => {
    await createProject(wl, { key: 'ORDS' })
    for (const priority of ['urgent', 'low', 'high']) await createTask(wl, 'ORDS', { priority })
    const query = '/v1/tasks?projectId=ORDS&limit=2'
    assert.deepEqual(idsOf(await wl.get(`${query}&ready=true&sort=createdAt`)), ['ORDS-1', 'ORDS-2'])
    assert.deepEqual(idsOf(await wl.get(`${query}&ready=true&sort=priority`)), ['ORDS-2', 'ORDS-3'])
    assert.deepEqual(idsOf(await wl.get(query)), ['ORDS-3', 'ORDS-2'])
    assert.deepEqual(idsOf(await wl.get(`${query}&ready=false`)), [])
    const { nextCursor } = (await wl.get(`${query}&ready=true`)).body.pagination
    for (const other of ['', '&ready=true&sort=priority', '&ready=true&sort=-createdAt', '&ready=true&label=x']) {
      expectInvalid(await wl.get(`${query}${other}&cursor=${nextCursor}`), 'cursor')
    }
    assert.deepEqual(idsOf(await wl.get(`${query}&ready=true&cursor=${nextCursor}`)), ['ORDS-2'])
  })
})
