import assert from 'node:assert/strict'
import { it } from 'node:test'
import { expectError, expectStatus } from 'worklore-testing/expect'
import { createKey, createProject, createUser, putItem } from 'worklore-testing/factories'
import { describeService, describeTenant } from 'worklore-testing/service-suite'
import { until } from 'worklore-testing/until'
import { staleCheckWorker } from '../../src/work/reliance/checks.js'
import { createReliance, type Mark } from './reliance.js'

describeService('staleness by time', (wl) => {
  it('comes with the end of an item, without a write', async () => {
    const { reliant, staleOf, expectMarks } = createReliance(wl)
    const hourMs = 3_600_000
    await createProject(wl, { key: 'END' })
    const validUntil = new Date(wl.service.core.clock() + hourMs).toISOString()
    await putItem(wl, 'end/a', 'text', { validUntil })
    await putItem(wl, 'end/b', 'text')
    const { id } = await reliant('END', 'end/a', 'end/b')
    expectStatus(await wl.patch('/v1/knowledge/end/b', { validUntil }), 200)
    assert.deepEqual(await staleOf(`/v1/tasks/${id}`), [])
    wl.passTime(hourMs)
    await expectMarks(id, ['end/a v1 expired', 'end/b v1 expired'])
  })

  it('comes where an item ends while it is looked at', async () => {
    const { reliant, settle, expectMarks } = createReliance(wl)
    const { db, clock } = wl.service.core
    await createProject(wl, { key: 'WHILE' })
    await putItem(wl, 'while/a', 'text')
    const { id } = await reliant('WHILE', 'while/a')
    await settle()
    const endsAtMs = clock() + 3_600_000
    expectStatus(await wl.patch('/v1/knowledge/while/a', { validUntil: new Date(endsAtMs).toISOString() }), 200)
    const beforeMs = clock()
    let asked = 0
    const passing = (): number => (asked++ < 2 ? beforeMs : endsAtMs)
    await staleCheckWorker(db, passing).run(wl.tenantId, { remainingMs: () => Number.POSITIVE_INFINITY })
    wl.passTime(3_600_000)
    await expectMarks(id, ['while/a v1 expired'])
  })
})

describeTenant('staleness', (wl) => {
  const { get, post, flush, claimed, under, read, reliant, staleOf, expectMarks, settle, retract } = createReliance(wl)
  const verdict = async (key: string, trust: string, options?: { key: string }) => {
    const { version } = await get(`/v1/knowledge/${key}`)
    return post('/v1/knowledge/verdict', { key, version, trust }, options)
  }
  const remove = async (key: string) => expectStatus(await wl.delete(`/v1/knowledge/${key}`), 200)
  const close = (id: string) => wl.patch(`/v1/tasks/${id}`, { status: 'done' })

  it('is shown by tasks and by what was written under their claims, and taken back with its cause', async () => {
    await createProject(wl, { key: 'WHY' })
    for (const name of ['a', 'b', 'c', 'd', 'unread']) await putItem(wl, `why/${name}`, 'text')
    const { id, claim } = await reliant('WHY', 'why/a', 'why/b', 'why/c', 'why/d')
    await putItem(wl, 'why/product', 'text', {}, under(claim))
    const etag = (await wl.get(`/v1/tasks/${id}`)).headers.etag
    const { version } = await get(`/v1/tasks/${id}`)
    assert.deepEqual(await staleOf(`/v1/tasks/${id}`), [])

    await retract('why/a')
    await retract('why/unread')
    await expectMarks(id, ['why/a v1 retracted'])
    await expectMarks('why/product', ['why/a v1 retracted'])
    const [mark] = await staleOf(`/v1/tasks/${id}`)
    assert.deepEqual(Object.keys(mark!), ['key', 'projectId', 'version', 'why', 'at'])
    const shown = await wl.get(`/v1/tasks/${id}`)
    assert.equal(shown.body.data.version, version)
    assert.notEqual(shown.headers.etag, etag)
    assert.deepEqual(Object.keys(shown.body.data).slice(-2), ['stale', 'rank'])
    assert.match((await wl.get('/v1/knowledge/why/product')).headers.etag!, /^"1\.\d+"$/)

    await verdict('why/b', 'disputed')
    await remove('why/c')
    const all = ['why/a v1 retracted', 'why/b v1 disputed', 'why/c v1 deleted']
    await expectMarks(id, all)
    await expectMarks('why/product', all)

    await retract('why/a', null)
    await expectMarks(id, all.slice(1))
    const other = await createKey(wl, { scopes: ['knowledge:write'] })
    await verdict('why/b', 'verified', other)
    await expectMarks(id, all.slice(2))
    await putItem(wl, 'why/c', 'another item')
    await settle()
    await expectMarks(id, all.slice(2))
    await remove('why/c')
    const entries = (await get('/v1/trash?kind=knowledge')) as { id: string; knowledge: string; version: number }[]
    const entry = entries.find(({ knowledge, version }) => knowledge === 'why/c' && version === 1)
    expectStatus(await wl.post(`/v1/trash/${entry!.id}/restore`, {}), 200)
    await expectMarks(id, [])
    await expectMarks('why/product', [])

    await putItem(wl, 'why/d', 'new content')
    await settle()
    await expectMarks(id, [])
  })

  it('of what was superseded or has expired is shown by open tasks only', async () => {
    await createProject(wl, { key: 'OPE' })
    for (const name of ['a', 'b', 'c']) await putItem(wl, `ope/${name}`, 'text')
    const open = await reliant('OPE', 'ope/a', 'ope/b')
    const closed = await reliant('OPE', 'ope/a', 'ope/b', 'ope/c')
    await putItem(wl, 'ope/product', 'text', {}, under(open.claim))
    expectStatus(await close(closed.id), 200)
    await putItem(wl, 'ope/newer', 'text', { supersedes: ['ope/a'] })
    expectStatus(await wl.patch('/v1/knowledge/ope/b', { validUntil: '2020-01-01T00:00:00.000Z' }), 200)
    await expectMarks(open.id, ['ope/a v1 superseded', 'ope/b v1 expired'])
    await retract('ope/c')
    await expectMarks(closed.id, ['ope/c v1 retracted'])
    await expectMarks('ope/product', [])
    await retract('ope/a')
    await expectMarks(closed.id, ['ope/a v1 retracted', 'ope/c v1 retracted'])
    await retract('ope/a', null)
    await expectMarks(closed.id, ['ope/c v1 retracted'])
    await expectMarks(open.id, ['ope/a v1 superseded', 'ope/b v1 expired'])
    expectStatus(await wl.patch('/v1/knowledge/ope/b', { validUntil: null }), 200)
    await remove('ope/newer')
    await expectMarks(open.id, [])
  })

  it('comes with a basis that is written after the item has gone bad', async () => {
    await createProject(wl, { key: 'LAT' })
    await putItem(wl, 'lat/a', 'text')
    await putItem(wl, 'lat/b', 'text')
    const { id, claim } = await claimed('LAT')
    await read('lat/a', claim)
    await read('lat/b', claim)
    await putItem(wl, 'lat/product', 'text', {}, under(claim))
    await retract('lat/a')
    await remove('lat/b')
    await flush()
    await expectMarks(id, ['lat/a v1 retracted', 'lat/b v1 deleted'])
    await expectMarks('lat/product', ['lat/a v1 retracted', 'lat/b v1 deleted'])
  })

  it('is cleared by accepting, a new claim or new content, and not set again for the same reason', async () => {
    await createProject(wl, { key: 'ACC' })
    for (const name of ['a', 'b']) await putItem(wl, `acc/${name}`, 'text')
    const { id, claim } = await reliant('ACC', 'acc/a', 'acc/b')
    await putItem(wl, 'acc/product', 'text', {}, under(claim))
    await retract('acc/a')
    await expectMarks(id, ['acc/a v1 retracted'])
    await expectMarks('acc/product', ['acc/a v1 retracted'])
    const reader = await createKey(wl, { scopes: ['tasks:read', 'knowledge:read'] })
    expectError(await wl.post(`/v1/tasks/${id}/stale/accept`, {}, reader), 'FORBIDDEN')
    expectError(await wl.post('/v1/knowledge/stale/accept', { key: 'acc/product' }, reader), 'FORBIDDEN')
    const { version } = await get(`/v1/tasks/${id}`)
    const accepted = await post(`/v1/tasks/${id}/stale/accept`, {})
    assert.deepEqual([accepted.stale, accepted.version], [[], version])
    assert.deepEqual((await post('/v1/knowledge/stale/accept', { key: 'acc/product' })).stale, [])

    // Another cause comes; what was accepted stays so.
    await verdict('acc/b', 'disputed')
    await expectMarks(id, ['acc/b v1 disputed'])
    await expectMarks('acc/product', ['acc/b v1 disputed'])
    await post('/v1/knowledge/move', { from: 'acc/a', to: 'acc/moved' })
    await settle()
    await expectMarks(id, ['acc/b v1 disputed'])

    await post(`/v1/tasks/${id}/claim`, { takeover: true })
    await expectMarks(id, [])
    await putItem(wl, 'acc/product', 'new content')
    await expectMarks('acc/product', [])
    await remove('acc/b')
    await expectMarks(id, ['acc/b v1 deleted'])
    await retract('acc/moved', null)
    await retract('acc/moved')
    await expectMarks(id, ['acc/b v1 deleted', 'acc/moved v1 retracted'])

    const batch = await wl.post('/v1/batch', {
      operations: [
        { method: 'POST', path: `/v1/tasks/${id}/stale/accept` },
        { method: 'POST', path: '/v1/knowledge/stale/accept', body: { key: 'acc/product' } },
      ],
    })
    expectStatus(batch, 200)
    await expectMarks(id, [])
    expectError(await wl.post('/v1/tasks/ACC-99/stale/accept', {}), 'NOT_FOUND')
    expectError(await wl.post('/v1/knowledge/stale/accept', { key: 'acc/none' }), 'NOT_FOUND')
  })

  it('writes events and tells the assignee, else who created the task, but not of an own action', async () => {
    await createProject(wl, { key: 'EVE' })
    const [ada, bob] = [await createUser(wl, { name: 'Ada' }), await createUser(wl, { name: 'Bob' })]
    const adaKey = await createKey(wl, { userId: ada.id, scopes: ['tasks:write', 'knowledge:write'] })
    const bobKey = await createKey(wl, { userId: bob.id, scopes: ['tasks:write', 'knowledge:write'] })
    await putItem(wl, 'eve/a', 'text')
    const made = async (fields: object) => {
      const { id } = expectStatus(
        await wl.post('/v1/tasks', { projectId: 'EVE', title: 'Built on it', ...fields }, adaKey),
        201,
      ).body.data
      const { claim } = await post(`/v1/tasks/${id}/claim`, {})
      await read('eve/a', claim.token)
      return { id, claim: claim.token }
    }
    const assigned = await made({ assigneeId: bob.id })
    const created = await made({})
    await flush()
    await putItem(wl, 'eve/product', 'text', {}, under(created.claim))
    await post('/v1/knowledge/retract', { key: 'eve/a', reason: 'wrong' }, adaKey)
    for (const what of [assigned.id, created.id, 'eve/product']) await expectMarks(what, ['eve/a v1 retracted'])
    const staleIn = async (key: { key: string }) =>
      (await get('/v1/inbox', key)).filter(({ kind }: { kind: string }) => kind === 'stale')
    const [entry, ...more] = await staleIn(bobKey)
    assert.deepEqual([entry.taskId, entry.title, more], [assigned.id, 'Built on it', []])
    assert.match(entry.excerpt, /"eve\/a" v1, which was retracted/)
    assert.deepEqual(await staleIn(adaKey), [], 'she retracted it herself')
    const events = await get('/v1/events?types=task.stale,knowledge.stale&order=desc')
    const told = events.filter(({ data }: { data: { stale: Mark[] } }) => data.stale[0]?.key === 'eve/a')
    assert.deepEqual(
      told
        .map(({ type, data }: { type: string; data: { id: string; key?: string } }) => [type, data.key ?? data.id])
        .toSorted(),
      [
        ['knowledge.stale', 'eve/product'],
        ['task.stale', assigned.id],
        ['task.stale', created.id],
      ],
    )
    const history = await get(`/v1/tasks/${created.id}/history`)
    assert.ok(history.every(({ type }: { type: string }) => type !== 'task.stale'))
  })

  it('is a filter of tasks and of knowledge', async () => {
    await createProject(wl, { key: 'FIL' })
    await putItem(wl, 'fil/a', 'text')
    const { id, claim } = await reliant('FIL', 'fil/a')
    const other = await claimed('FIL')
    await putItem(wl, 'fil/product', 'text', { projectId: 'FIL' }, under(claim))
    const listed = async (query: string) =>
      (await get(query)).map(({ id, key }: { id: string; key?: string }) => key ?? id)
    await retract('fil/a')
    await expectMarks('fil/product', ['fil/a v1 retracted'])
    for (const list of ['/v1/tasks', '/v1/tasks/cards']) {
      for (const sort of ['createdAt', '-updatedAt', 'priority']) {
        assert.deepEqual(await listed(`${list}?projectId=FIL&stale=true&sort=${sort}`), [id])
        assert.deepEqual(await listed(`${list}?projectId=FIL&stale=false&sort=${sort}`), [other.id])
      }
    }
    assert.equal((await get('/v1/tasks/counts?projectId=FIL&stale=true')).total, 1)
    assert.deepEqual(await listed('/v1/knowledge?projectId=FIL&stale=true'), ['fil/product'])
    const [task] = await get('/v1/tasks?projectId=FIL&stale=true')
    assert.equal(task.stale[0].key, 'fil/a')
  })

  it('is a filter by the marks that the reader may see', async () => {
    const open = await createProject(wl, { key: 'SEEN' })
    const hidden = await createProject(wl, { key: 'UNSEEN' })
    await putItem(wl, 'seen/a', 'text', { projectId: open.id })
    await putItem(wl, 'unseen/a', 'text', { projectId: hidden.id })
    await putItem(wl, 'seen/wide', 'text', { projectId: null })
    const seen = await reliant('SEEN', 'seen/a')
    const unseen = await reliant('SEEN', 'unseen/a')
    const mixed = await reliant('SEEN', 'unseen/a', 'seen/wide')
    const written = { projectId: open.id, tags: ['seen'] }
    await putItem(wl, 'seen/products/1', 'text', written, under(seen.claim))
    await putItem(wl, 'seen/products/2', 'text', written, under(unseen.claim))
    await putItem(wl, 'seen/products/3', 'text', written, under(mixed.claim))
    for (const key of ['seen/a', 'unseen/a', 'seen/wide']) await retract(key)
    await expectMarks(seen.id, ['seen/a v1 retracted'])
    await expectMarks(unseen.id, ['unseen/a v1 retracted'])
    await expectMarks(mixed.id, ['seen/wide v1 retracted', 'unseen/a v1 retracted'])
    await expectMarks('seen/products/1', ['seen/a v1 retracted'])
    await expectMarks('seen/products/2', ['unseen/a v1 retracted'])
    await expectMarks('seen/products/3', ['seen/wide v1 retracted', 'unseen/a v1 retracted'])

    /** Expects only the numbered tasks, and the items written under their claims, to be stale for a key with these limits. */
    const expectStale = async (limit: Record<string, unknown>, stale: readonly (1 | 2 | 3)[], readsItems = true) => {
      const key = await createKey(wl, limit)
      const tasks = [seen.id, unseen.id, mixed.id]
      for (const isStale of [true, false]) {
        const nth = ([1, 2, 3] as const).filter((each) => stale.includes(each) === isStale)
        const ids = nth.map((each) => tasks[each - 1])
        const query = `projectId=SEEN&stale=${isStale}`
        for (const list of ['tasks', 'tasks/cards']) {
          for (const sort of ['createdAt', 'updatedAt', 'priority']) {
            const { data, pagination } = expectStatus(await wl.get(`/v1/${list}?${query}&sort=${sort}`, key), 200).body
            assert.deepEqual(data.map(({ id }: { id: string }) => id).toSorted(), ids.toSorted(), `${query} ${sort}`)
            assert.equal(pagination.total, ids.length)
          }
        }
        assert.equal((await get(`/v1/tasks/counts?${query}`, key)).total, ids.length)
        if (!readsItems) continue
        for (const tag of ['', '&tag=seen']) {
          const items = await get(`/v1/knowledge?prefix=seen/products/&stale=${isStale}${tag}`, key)
          assert.deepEqual(
            items.map(({ key }: { key: string }) => key),
            nth.map((each) => `seen/products/${each}`),
          )
        }
      }
    }
    const { id: userId } = await createUser(wl, { role: 'member' })
    const scopes = ['tasks:read', 'knowledge:read']
    await expectStale({ scopes }, [1, 2, 3])
    expectStatus(await wl.patch(`/v1/projects/${hidden.id}`, { visibility: 'private' }), 200)
    await expectStale({ scopes }, [1, 3])
    await expectStale({ scopes, userId }, [1, 3])
    await expectStale({ scopes, projectIds: [open.id] }, [1, 3])
    await expectStale({ scopes: ['tasks:read'] }, [], false)
  })

  it('says nothing about items that the reader may not read', async () => {
    const open = await createProject(wl, { key: 'LIM' })
    await createProject(wl, { key: 'SEC' })
    await putItem(wl, 'lim/secret', 'text', { projectId: 'SEC' })
    await putItem(wl, 'lim/wide', 'text', { projectId: null })
    const { id, claim } = await reliant('LIM', 'lim/secret', 'lim/wide')
    await putItem(wl, 'lim/product', 'text', { projectId: 'LIM' }, under(claim))
    await retract('lim/secret')
    await retract('lim/wide')
    const both = ['lim/secret v1 retracted', 'lim/wide v1 retracted']
    await expectMarks(id, both)
    await expectMarks('lim/product', both)
    const limited = await createKey(wl, { scopes: ['tasks:write', 'knowledge:write'], projectIds: [open.id] })
    const isClean = (text: string): void => assert.ok(!text.includes('lim/secret'), text)
    for (const path of [
      `/v1/tasks/${id}`,
      '/v1/tasks',
      '/v1/tasks?stale=true',
      '/v1/tasks/cards',
      '/v1/tasks/search?q=task',
      '/v1/knowledge/lim/product',
      '/v1/knowledge/lim/product?version=1',
      '/v1/knowledge?stale=true',
      '/v1/events?limit=500',
      `/v1/tasks/${id}/basis`,
    ]) {
      const answer = await wl.get(path, limited)
      expectStatus(answer, 200)
      isClean(answer.text)
    }
    assert.deepEqual(
      (await staleOf(`/v1/tasks/${id}`, limited)).map(({ key }) => key),
      ['lim/wide'],
    )
    const tasksOnly = await createKey(wl, { scopes: ['tasks:read'] })
    assert.deepEqual(await staleOf(`/v1/tasks/${id}`, tasksOnly), [])
    isClean((await wl.patch(`/v1/tasks/${id}`, { title: 'Another' }, limited)).text)
    isClean((await wl.get('/v1/events?limit=500', limited)).text)
  })

  it('about items that the caller may not read changes no ETag, and hides no older marks', async () => {
    const open = await createProject(wl, { key: 'ETA' })
    await createProject(wl, { key: 'ETB' })
    const hidden = Array.from({ length: 22 }, (_, at) => `eta/hidden-${at}`)
    for (const key of hidden) await putItem(wl, key, 'text', { projectId: 'ETB' })
    await putItem(wl, 'eta/shown', 'text')
    const { id, claim } = await reliant('ETA', 'eta/shown', ...hidden)
    await putItem(wl, 'eta/product', 'text', { projectId: 'ETA' }, under(claim))
    const limited = await createKey(wl, { scopes: ['tasks:write', 'knowledge:write'], projectIds: [open.id] })
    const etags = async () => [
      (await wl.get(`/v1/tasks/${id}`, limited)).headers.etag,
      (await wl.get('/v1/knowledge/eta/product?projectId=ETA', limited)).headers.etag,
    ]
    const before = await etags()
    await retract(hidden[0]!)
    await expectMarks(id, ['eta/hidden-0 v1 retracted'])
    await expectMarks('eta/product', ['eta/hidden-0 v1 retracted'])
    assert.deepEqual(await etags(), before)
    await retract(hidden[0]!, null)
    await expectMarks(id, [])
    await retract('eta/shown')
    await expectMarks(id, ['eta/shown v1 retracted'])
    const marked = await etags()
    assert.notEqual(marked[0], before[0])
    assert.notEqual(marked[1], before[1])
    for (const key of hidden) await retract(key)
    await until(
      () => staleOf(`/v1/tasks/${id}`),
      (marks) => marks.length === 20 && marks.every(({ key }) => hidden.includes(key)),
    )
    await settle()
    for (const path of [`/v1/tasks/${id}`, '/v1/knowledge/eta/product?projectId=ETA']) {
      const keys = (await staleOf(path, limited)).map(({ key }) => key)
      assert.deepEqual(keys, ['eta/shown'], path)
    }
    assert.deepEqual(await etags(), marked)
  })

  it('that is withdrawn or accepted causes an event, unless readers of the project never saw it', async () => {
    await createProject(wl, { key: 'GOO' })
    await createProject(wl, { key: 'GOM' })
    for (const name of ['a', 'b']) await putItem(wl, `gone/${name}`, 'text')
    await putItem(wl, 'gone/other', 'text', { projectId: 'GOM' })
    const { id, claim } = await reliant('GOO', 'gone/a', 'gone/b', 'gone/other')
    await putItem(wl, 'gone/product', 'text', {}, under(claim))
    for (const name of ['a', 'b', 'other']) await retract(`gone/${name}`)
    const all = ['gone/a v1 retracted', 'gone/b v1 retracted', 'gone/other v1 retracted']
    await expectMarks(id, all)
    await expectMarks('gone/product', all)
    const told = async (): Promise<[string, string[]][]> => {
      const events = await get('/v1/events?types=task.stale,knowledge.stale&limit=500&order=desc')
      return events
        .filter(({ data }: { data: { id: string; key?: string } }) => data.id === id || data.key === 'gone/product')
        .map(({ type, data }: { type: string; data: { stale: Mark[] } }) => [type, data.stale.map(({ key }) => key)])
    }
    const before = (await told()).length
    await retract('gone/other', null)
    await expectMarks(id, all.slice(0, 2))
    await expectMarks('gone/product', all.slice(0, 2))
    await settle()
    assert.equal((await told()).length, before)
    await retract('gone/a', null)
    await expectMarks(id, ['gone/b v1 retracted'])
    await expectMarks('gone/product', ['gone/b v1 retracted'])
    await post(`/v1/tasks/${id}/stale/accept`, {})
    await post('/v1/knowledge/stale/accept', { key: 'gone/product' })
    assert.deepEqual((await told()).slice(0, -before).toSorted(), [
      ['knowledge.stale', []],
      ['knowledge.stale', ['gone/b']],
      ['task.stale', []],
      ['task.stale', ['gone/b']],
    ])
  })

  it('comes back with a task or an item from the trash, and knows what happened meanwhile', async () => {
    await createProject(wl, { key: 'TRA' })
    for (const name of ['a', 'b', 'c']) await putItem(wl, `tra/${name}`, 'text')
    const { id, claim } = await reliant('TRA', 'tra/a', 'tra/b', 'tra/c')
    await putItem(wl, 'tra/product', 'text', {}, under(claim))
    await retract('tra/a')
    await verdict('tra/c', 'disputed')
    for (const what of [id, 'tra/product']) await expectMarks(what, ['tra/a v1 retracted', 'tra/c v1 disputed'])
    expectStatus(await wl.delete(`/v1/tasks/${id}`), 200)
    await remove('tra/product')
    await retract('tra/b')
    await verdict('tra/c', 'unreviewed')
    await settle()
    for (const entry of await get('/v1/trash')) {
      if ([entry.task, entry.knowledge].some((name) => name === id || name === 'tra/product')) {
        await post(`/v1/trash/${entry.id}/restore`)
      }
    }
    for (const what of [id, 'tra/product']) await expectMarks(what, ['tra/a v1 retracted', 'tra/b v1 retracted'])
    await remove('tra/a')
    await expectMarks(id, ['tra/a v1 deleted', 'tra/b v1 retracted'])
    const [entry] = (await get('/v1/trash?kind=knowledge')).filter(
      ({ knowledge }: { knowledge: string }) => knowledge === 'tra/a',
    )
    await post(`/v1/trash/${entry.id}/restore`)
    await expectMarks(id, ['tra/a v1 retracted', 'tra/b v1 retracted'])
  })

  it('follows a moved item, whose old key may be used again', async () => {
    const { id: projectId } = await createProject(wl, { key: 'MVD' })
    await putItem(wl, 'mvd/a', 'text', { projectId: null })
    await putItem(wl, 'mvd/other', 'text', { projectId: null })
    const { id } = await reliant('MVD', 'mvd/a')
    await retract('mvd/a')
    await expectMarks(id, ['mvd/a v1 retracted'])
    await post('/v1/knowledge/move', { from: 'mvd/a', to: 'mvd/b', toProjectId: 'MVD' })
    await expectMarks(id, ['mvd/b v1 retracted'])
    assert.equal((await staleOf(`/v1/tasks/${id}`))[0]?.projectId, projectId)
    await putItem(wl, 'mvd/a', 'another', { projectId: null })
    await retract('mvd/b', null)
    await expectMarks(id, [])
    expectStatus(await wl.delete('/v1/knowledge/mvd/b?projectId=MVD'), 200)
    await expectMarks(id, ['mvd/b v1 deleted'])
    // Another item takes the place of the deleted one, which stays deleted.
    await post('/v1/knowledge/move', { from: 'mvd/other', to: 'mvd/b', toProjectId: 'MVD' })
    await settle()
    await expectMarks(id, ['mvd/b v1 deleted'])
  })

  it('is gone with a purged item', async () => {
    await createProject(wl, { key: 'PRG' })
    await putItem(wl, 'prg/a', 'text')
    const { id, claim } = await reliant('PRG', 'prg/a')
    await putItem(wl, 'prg/product', 'text', {}, under(claim))
    await remove('prg/a')
    await expectMarks(id, ['prg/a v1 deleted'])
    await expectMarks('prg/product', ['prg/a v1 deleted'])
    expectStatus(await wl.delete('/v1/trash'), 200)
    assert.deepEqual(await staleOf(`/v1/tasks/${id}`), [])
    assert.deepEqual(await staleOf('/v1/knowledge/prg/product'), [])
  })

  it('comes with the deletion of a project, and goes when that is restored', async () => {
    await createProject(wl, { key: 'STA' })
    await createProject(wl, { key: 'GON' })
    await putItem(wl, 'gon/a', 'text', { projectId: 'GON' })
    const { id } = await reliant('STA', 'gon/a')
    expectStatus(await wl.delete('/v1/projects/GON?force=true'), 200)
    await expectMarks(id, ['gon/a v1 deleted'])
    const [entry] = await get('/v1/trash?kind=project')
    await post(`/v1/trash/${entry.id}/restore`)
    await expectMarks(id, [])
  })

  it('shows the newest twenty marks, and all are cleared together', async () => {
    await createProject(wl, { key: 'MAN' })
    const keys = Array.from({ length: 23 }, (_, at) => `man/${at}`)
    for (const key of keys) await putItem(wl, key, 'text')
    const { id } = await reliant('MAN', ...keys)
    for (const key of keys) await retract(key)
    const shown = () => staleOf(`/v1/tasks/${id}`)
    await until(shown, (marks) => marks.length === 20 && marks.some(({ key }) => key === 'man/22'))
    await settle()
    assert.equal((await shown()).length, 20)
    await post(`/v1/tasks/${id}/stale/accept`, {})
    await retract('man/0', null)
    await settle()
    assert.deepEqual(await shown(), [])
  })
})
