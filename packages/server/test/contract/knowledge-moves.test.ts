import assert from 'node:assert/strict'
import { it } from 'node:test'
import { expectError, expectInvalid, expectStatus } from 'worklore-testing/expect'
import { createKey, createProject, putItem } from 'worklore-testing/factories'
import { describeTenant } from 'worklore-testing/service-suite'

describeTenant('moving knowledge', (wl) => {
  const move = (body: object, options = {}) => wl.post('/v1/knowledge/move', body, options)
  const moved = async (body: object) => expectStatus(await move(body), 200).body.data
  const latest = async (): Promise<string> => (await wl.get('/v1/events?after=latest')).body.pagination.nextAfter

  it('gives an item another key or project as its next version, with one event', async () => {
    const project = await createProject(wl, { key: 'MOVE' })
    await putItem(wl, 'one', 'first')
    const { id, createdAt } = await putItem(wl, 'one', 'second')
    await putItem(wl, 'one/below', 'stays')
    const after = await latest()
    assert.deepEqual(await moved({ from: 'one', to: 'two', toProjectId: 'MOVE' }), [
      { id, from: 'one', key: 'two', projectId: project.id, version: 3 },
    ])
    const item = expectStatus(await wl.get('/v1/knowledge/two?projectId=MOVE'), 200).body.data
    assert.deepEqual([item.id, item.content, item.version, item.createdAt], [id, 'second', 3, createdAt])
    expectError(await wl.get('/v1/knowledge/one'), 'NOT_FOUND')
    expectStatus(await wl.get('/v1/knowledge/one/below'), 200)
    const { data } = (await wl.get(`/v1/events?after=${after}`)).body
    assert.deepEqual(
      data.map(({ type, data, previous }: Record<string, { id: string; key: string }>) => {
        return [type, data!.id, data!.key, previous]
      }),
      [['knowledge.moved', id, 'two', { key: 'one', projectId: null }]],
    )
    const ofKey = (await wl.get('/v1/events?order=desc&subject=two')).body.data
    assert.deepEqual(
      ofKey.map(({ type }: { type: string }) => type),
      ['knowledge.moved'],
    )
    const again = await putItem(wl, 'one', 'again')
    assert.equal(again.version, 3, 'the key goes on counting')
    assert.notEqual(again.id, id, 'it is another item')
    assert.deepEqual(await moved({ from: 'two', to: 'two', projectId: 'MOVE', toProjectId: null }), [
      { id, from: 'two', key: 'two', projectId: null, version: 4 },
    ])
  })

  it('shows versions from before a move only to keys that may use the place where they were', async () => {
    const from = await createProject(wl, { key: 'MOVEFROM' })
    const to = await createProject(wl, { key: 'MOVETO' })
    await putItem(wl, 'plan', 'secret', { projectId: from.id })
    await putItem(wl, 'plan', 'cleaned', { projectId: from.id })
    await moved({ from: 'plan', projectId: from.id, to: 'shown', toProjectId: to.id })
    const scopes = ['knowledge:write', 'knowledge:read']
    const limited = { key: (await createKey(wl, { scopes, projectIds: [to.id] })).key }
    const path = `/v1/knowledge/shown?projectId=${to.id}`
    assert.equal((await wl.get(`${path}&version=1`)).body.data.content, 'secret')
    for (const version of [1, 2]) expectError(await wl.get(`${path}&version=${version}`, limited), 'NOT_FOUND')
    expectStatus(await wl.get(`${path}&version=3`, limited), 200)
    const restore = { knowledge: 'shown', projectId: to.id, version: 1 }
    expectError(await wl.post('/v1/history/restore', restore, limited), 'NOT_FOUND')
    assert.equal((await wl.get(path)).body.data.content, 'cleaned')
  })

  it('moves everything below a key, also onto keys that it leaves', async () => {
    const operations = Array.from({ length: 100 }, (_, at) => ({
      method: 'PUT',
      path: `/v1/knowledge/deep/deep/${String(at).padStart(3, '0')}`,
      body: { content: `${at}` },
    }))
    expectStatus(await wl.post('/v1/batch', { operations }), 200)
    await putItem(wl, 'deep/deep', 'top')
    await putItem(wl, 'deep/deep/deep', 'first')
    await putItem(wl, 'deep/deep/deep', 'second')
    await putItem(wl, 'deeper', 'beside it')
    const after = await latest()
    const items = await moved({ from: 'deep/deep', to: 'deep', recursive: true })
    assert.equal(items.length, 102)
    assert.equal((await wl.get('/v1/knowledge/deep')).body.data.content, 'top')
    assert.equal((await wl.get('/v1/knowledge/deep/007')).body.data.content, '7')
    const onto = (await wl.get('/v1/knowledge/deep/deep')).body.data
    assert.deepEqual([onto.content, onto.version], ['second', 3])
    expectStatus(await wl.get('/v1/knowledge/deeper'), 200)
    const { pagination } = (await wl.get('/v1/knowledge?prefix=deep/deep/&fields=key&limit=1')).body
    assert.equal(pagination.hasMore, false)
    const events = (await wl.get(`/v1/events?after=${after}&types=knowledge.moved&limit=100`)).body
    assert.equal(events.data.length, 100)
    assert.equal(events.pagination.hasMore, true)
  })

  it('changes nothing where one of them cannot be moved', async () => {
    for (const key of ['full/a', 'full/b', 'other/b']) await putItem(wl, key, key)
    const after = await latest()
    assert.equal(
      expectError(await move({ from: 'full', to: 'other', recursive: true }), 'CONFLICT').existing,
      'other/b',
    )
    expectInvalid(await move({ from: 'full', to: 'full/a', recursive: true }), 'to')
    expectInvalid(await move({ from: 'full/a', to: 'full/a' }), 'to')
    expectInvalid(await move({ from: 'full/a', to: 'search' }), 'to')
    expectInvalid(await move({ from: 'full', to: 'x'.repeat(511), recursive: true }), 'to')
    expectInvalid(await move({ from: 'full/a', to: 'new', toProjectId: 'NONE' }), 'toProjectId')
    expectError(await move({ from: 'full', to: 'new' }), 'NOT_FOUND')
    const project = await createProject(wl, { key: 'LIMITED' })
    const { key } = await createKey(wl, { scopes: ['knowledge:write'], projectIds: [project.id] })
    expectError(await move({ from: 'full/a', to: 'new', toProjectId: 'LIMITED' }, { key }), 'FORBIDDEN')
    const { data } = (await wl.get(`/v1/events?after=${after}&types=knowledge.*`)).body
    assert.deepEqual(data, [])
  })
})
