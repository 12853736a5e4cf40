import assert from 'node:assert/strict'
import { it } from 'node:test'
import { expectError, expectInvalid, expectStatus } from 'worklore-testing/expect'
import { createKey, createProject, createTask, putItem } from 'worklore-testing/factories'
import { describeTenant } from 'worklore-testing/service-suite'

describeTenant('links of knowledge', (wl) => {
  const list = async (query: string, options = {}) =>
    expectStatus(await wl.get(`/v1/links?${query}`, options), 200).body
  const out = async (key: string, query = '') => (await list(`key=${key}${query}`)).data
  const sources = async (query: string, options = {}) =>
    (await list(`${query}&direction=in`, options)).data.map(({ key }: { key: string }) => key)
  const move = async (body: object) => expectStatus(await wl.post('/v1/knowledge/move', body), 200)

  it('lead to keys of the same project, then of the tenant, and to tasks', async () => {
    const project = await createProject(wl, { key: 'LINK' })
    await createProject(wl, { key: 'OTHER' })
    const task = await createTask(wl, 'LINK')
    await putItem(wl, 'links/both', 'tenant', { title: 'Both' })
    await putItem(wl, 'links/both', 'project', { projectId: 'LINK' })
    await putItem(wl, 'links/wide', 'tenant')
    await putItem(wl, 'links/other', 'other', { projectId: 'OTHER' })
    const content = `[[links/both]] [x](links/wide) [[links/other]] ${task.id} LINK-999 UTF-8`
    await putItem(wl, 'links/source', content, { projectId: 'LINK', title: 'Source' })
    assert.deepEqual(await out('links/source'), [
      { key: 'links/both', projectId: project.id, exists: true },
      { key: 'links/wide', projectId: null, exists: true },
      { key: 'links/other', projectId: null, exists: false },
      { task: task.id, projectId: project.id, exists: true },
      { task: 'LINK-999', projectId: null, exists: false },
    ])
    assert.deepEqual((await list(`task=${task.id}`)).data, [
      { key: 'links/source', projectId: project.id, title: 'Source' },
    ])
    assert.deepEqual(await sources('key=links/both&projectId=LINK'), ['links/source'])
    assert.deepEqual(await sources('key=links/both'), [], 'the project has its own')
    assert.deepEqual(await sources('key=links/wide'), ['links/source'])
    assert.deepEqual(await sources('key=links/other&projectId=OTHER'), [])
    expectStatus(await wl.delete('/v1/knowledge/links/both?projectId=LINK'), 200)
    assert.deepEqual(await sources('key=links/both'), ['links/source'], 'now it means the tenant-wide one')
  })

  it('are found by a path from the folder, or by the last part of one key', async () => {
    await putItem(wl, 'vault/a/note', '[[sibling]] [b](../b/far.md) [[Unique-name]] [[twice]]')
    await putItem(wl, 'vault/a/sibling', 'x')
    await putItem(wl, 'vault/b/far', 'x')
    await putItem(wl, 'vault/c/Unique-name', 'x')
    await putItem(wl, 'vault/c/twice', 'x')
    await putItem(wl, 'vault/d/twice', 'x')
    assert.deepEqual(
      (await out('vault/a/note')).map(({ key, exists }: { key: string; exists: boolean }) => [key, exists]),
      [
        ['vault/a/sibling', true],
        ['vault/b/far', true],
        ['vault/c/Unique-name', true],
        ['twice', false],
      ],
    )
    for (const key of ['vault/a/sibling', 'vault/b/far', 'vault/c/Unique-name']) {
      assert.deepEqual(await sources(`key=${key}`), ['vault/a/note'])
    }
    await move({ from: 'vault/a/note', to: 'vault/e/note' })
    assert.equal((await out('vault/e/note'))[1].exists, true, '../b is the same folder from there')
  })

  it('follow what is written, deleted and restored', async () => {
    await putItem(wl, 'follow/target', 'x')
    await putItem(wl, 'follow/source', '[[follow/target]]')
    await putItem(wl, 'follow/source', 'no link')
    assert.deepEqual([await out('follow/source'), await sources('key=follow/target')], [[], []])
    await putItem(wl, 'follow/source', 'again [[follow/target]]')
    expectStatus(await wl.delete('/v1/knowledge/follow/source'), 200)
    assert.deepEqual(await sources('key=follow/target'), [])
    const { data } = (await wl.get('/v1/trash')).body
    const { id } = data.find(({ title }: { title: string }) => title === 'follow/source')
    expectStatus(await wl.post(`/v1/trash/${id}/restore`, {}), 200)
    assert.deepEqual(await sources('key=follow/target'), ['follow/source'])
  })

  it('count as existing where the item was moved, whose old key says where it is', async () => {
    const project = await createProject(wl, { key: 'AWAY' })
    await putItem(wl, 'moved/old', 'x')
    await putItem(wl, 'moved/source', '[[moved/old]]')
    await move({ from: 'moved/old', to: 'moved/new' })
    const gone = expectError(await wl.get('/v1/knowledge/moved/old'), 'NOT_FOUND')
    assert.deepEqual(gone.movedTo, { key: 'moved/new', projectId: null })
    await move({ from: 'moved/new', to: 'moved/newest', toProjectId: 'AWAY' })
    const movedTo = { key: 'moved/newest', projectId: project.id }
    for (const answer of [
      await wl.get('/v1/knowledge/moved/old'),
      await wl.get('/v1/knowledge/moved/new'),
      await wl.patch('/v1/knowledge/moved/old', { title: 'x' }),
      await wl.delete('/v1/knowledge/moved/old'),
    ]) {
      assert.deepEqual(expectError(answer, 'NOT_FOUND').movedTo, movedTo)
    }
    assert.deepEqual(await out('moved/source'), [{ key: 'moved/old', projectId: project.id, exists: true }])
    const elsewhere = await createProject(wl, { key: 'BLIND' })
    const { key } = await createKey(wl, { scopes: ['knowledge:read'], projectIds: [elsewhere.id] })
    assert.equal(expectError(await wl.get('/v1/knowledge/moved/old', { key }), 'NOT_FOUND').movedTo, undefined)
    assert.deepEqual((await list('key=moved/source', { key })).data, [
      { key: 'moved/old', projectId: null, exists: false },
    ])
    await putItem(wl, 'moved/old', 'written again')
    expectStatus(await wl.get('/v1/knowledge/moved/old'), 200)
    expectStatus(await wl.delete('/v1/knowledge/moved/old'), 200)
    assert.equal(expectError(await wl.get('/v1/knowledge/moved/old'), 'NOT_FOUND').movedTo, undefined)
  })

  it('come in pages, each once, and not to keys that may not read them', async () => {
    const project = await createProject(wl, { key: 'PAGE' })
    await putItem(wl, 'pages/target', 'x')
    for (let at = 0; at < 25; at++) await putItem(wl, `pages/${at}`, '[[pages/target]] [again](target)')
    await putItem(wl, 'pages/hidden', '[[pages/target]]', { projectId: project.id })
    const found: string[] = []
    for (let query = ''; ; ) {
      const { data, pagination } = await list(`key=pages/target&direction=in&limit=10${query}`)
      found.push(...data.map(({ key }: { key: string }) => key))
      if (!pagination.hasMore) break
      query = `&cursor=${pagination.nextCursor}`
    }
    assert.deepEqual(found.length, 26)
    assert.equal(new Set(found).size, 26)
    const other = await createProject(wl, { key: 'PAGETWO' })
    const { key } = await createKey(wl, { scopes: ['knowledge:read'], projectIds: [other.id] })
    assert.equal((await sources('key=pages/target&limit=100', { key })).includes('pages/hidden'), false)
    const first = await list('key=pages/0&limit=1')
    assert.equal(first.pagination.hasMore, true)
    const second = await list(`key=pages/0&limit=1&cursor=${first.pagination.nextCursor}`)
    assert.deepEqual([second.data.length, second.pagination.hasMore], [1, false])
  })

  it('are asked for by one key or one task', async () => {
    expectInvalid(await wl.get('/v1/links'), 'key')
    expectInvalid(await wl.get('/v1/links?key=a&task=LINK-1'), 'key')
    expectInvalid(await wl.get('/v1/links?task=LINK-1&direction=out'), 'direction')
    expectError(await wl.get('/v1/links?key=nobody/wrote/this'), 'NOT_FOUND')
    expectError(await wl.get('/v1/links?task=NOBODY-1'), 'NOT_FOUND')
    const { key } = await createKey(wl, { scopes: ['tasks:read'] })
    expectError(await wl.get('/v1/links?key=a', { key }), 'FORBIDDEN')
  })
})
