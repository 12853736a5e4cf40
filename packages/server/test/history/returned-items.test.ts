import assert from 'node:assert/strict'
import { it } from 'node:test'
import { expectError, expectStatus } from 'worklore-testing/expect'
import { createKey, createProject, putItem } from 'worklore-testing/factories'
import type { RequestOptions, TestTenant } from 'worklore-testing/harness'
import { describeTenant } from 'worklore-testing/service-suite'

/** A project with an item `x` of the versions x1 and x2, and an item `y` of y1 and y2. */
const setStage = async (wl: TestTenant, key: string) => {
  const { id } = await createProject(wl, { key })
  const inProject = (item: string, query = '') => `/v1/knowledge/${item}?projectId=${id}${query}`
  const stage = {
    put: (item: string, content: string, options?: RequestOptions) =>
      putItem(wl, item, content, { projectId: id }, options),
    move: async (from: string, to: string, options?: RequestOptions) =>
      expectStatus(await wl.post('/v1/knowledge/move', { from, to, projectId: id }, options), 200),
    remove: async (item: string, options?: RequestOptions) =>
      expectStatus(await wl.delete(inProject(item), options), 200),
    /** The newest deletion of a key, or the one with a version, in the trash. */
    entry: async (item: string, version?: number): Promise<string> => {
      const { data } = (await wl.get(`/v1/trash?projectId=${id}`)).body
      return data.find(
        (entry: { knowledge: string; version: number }) =>
          entry.knowledge === item && (version === undefined || entry.version === version),
      ).id
    },
    restore: async (item: string, version?: number) =>
      expectStatus(await wl.post(`/v1/trash/${await stage.entry(item, version)}/restore`, undefined), 200),
    purge: async (item: string) => expectStatus(await wl.delete(`/v1/trash/${await stage.entry(item)}`), 200),
    /** The contents of the versions from 1 on, null where there is none. */
    versions: async (item: string): Promise<(string | null)[]> => {
      const { version } = expectStatus(await wl.get(inProject(item)), 200).body.data
      const answers = Array.from({ length: version }, (_, at) => wl.get(inProject(item, `&version=${at + 1}`)))
      return (await Promise.all(answers)).map(({ status, body }) => (status === 200 ? body.data.content : null))
    },
    history: async (item: string) => {
      const path = `/v1/history?knowledge=${item}&projectId=${id}`
      const { data } = expectStatus(await wl.get(path), 200).body
      const pages = []
      for (let cursor = ''; ; ) {
        const page = (await wl.get(`${path}&limit=1${cursor}`)).body
        pages.push(...page.data)
        if (!page.pagination.hasMore) break
        cursor = `&cursor=${page.pagination.nextCursor}`
      }
      assert.deepEqual(pages, data)
      return data.map(
        ({ type, knowledge, version }: { type: string; knowledge: string; version: number }) =>
          `${knowledge} ${version} ${type.slice('knowledge.'.length)}`,
      )
    },
    changes: async (item: string) =>
      (await wl.get(`/v1/history?knowledge=${item}&projectId=${id}`)).body.data[0].changes,
    restoreVersion: (knowledge: string, version: number) =>
      wl.post('/v1/history/restore', { knowledge, projectId: id, version }),
  }
  for (const content of ['x1', 'x2']) await stage.put('x', content)
  for (const content of ['y1', 'y2']) await stage.put('y', content)
  return stage
}

const ofX = ['x 2 deleted', 'x 2 updated', 'x 1 created']
const ofY = ['y 2 updated', 'y 1 created']

describeTenant('an item that comes back to a key that another had meanwhile', (wl) => {
  it('has its own history after the other was moved on', async () => {
    const { put, move, remove, restore, versions, history, changes, restoreVersion } = await setStage(wl, 'PASSED')
    await remove('x')
    await move('y', 'x')
    assert.deepEqual(await versions('x'), ['y1', 'y2', 'y2'])
    await move('x', 'z')
    const ofZ = ['z 4 moved', 'x 3 moved', ...ofY]
    assert.deepEqual(await history('z'), ofZ)
    await restore('x')
    assert.deepEqual(await versions('x'), ['x1', 'x2', null, 'x2'])
    assert.deepEqual(await history('x'), ['x 4 restored', ...ofX])
    assert.deepEqual(await changes('x'), {})
    assert.deepEqual(await versions('z'), ['y1', 'y2', 'y2', 'y2'])
    assert.deepEqual(await history('z'), ofZ)
    assert.deepEqual(await history('y'), ofZ)
    assert.equal(expectStatus(await restoreVersion('x', 1), 200).body.data.content, 'x1')
    await move('x', 'w')
    await put('w', 'w7')
    assert.deepEqual(await history('w'), ['w 7 updated', 'w 6 moved', 'x 5 updated', 'x 4 restored', ...ofX])
    assert.deepEqual(await versions('w'), ['x1', 'x2', null, 'x2', 'x1', 'x1', 'w7'])
  })

  it('has its own history after the other was deleted there', async () => {
    const { put, move, remove, restore, purge, versions, history } = await setStage(wl, 'DELETED')
    await remove('x')
    await move('y', 'x')
    await remove('x')
    await restore('x', 2)
    assert.deepEqual(await versions('x'), ['x1', 'x2', null, 'x2'])
    assert.deepEqual(await history('x'), ['x 4 restored', ...ofX])
    await remove('x')
    await restore('x', 3)
    assert.deepEqual(await versions('x'), ['y1', 'y2', 'y2', null, 'y2'])
    assert.deepEqual(await history('x'), ['x 5 restored', 'x 3 deleted', 'x 3 moved', ...ofY])
    await put('x', 'y6')
    await remove('x')
    await restore('x', 4)
    await purge('x')
    assert.deepEqual(await versions('x'), ['x1', 'x2', null, 'x2', null, null, 'x2'])
    assert.deepEqual(await history('x'), ['x 7 restored', 'x 4 deleted', 'x 4 restored', ...ofX])
    expectError(await wl.get('/v1/history?knowledge=y&projectId=DELETED'), 'NOT_FOUND')
  })

  it('leaves the history of the other where it is purged', async () => {
    const { move, remove, restore, purge, versions, history } = await setStage(wl, 'PURGED')
    await remove('x')
    await move('y', 'x')
    await move('x', 'z')
    await restore('x')
    await remove('x')
    await purge('x')
    expectError(await wl.get('/v1/history?knowledge=x&projectId=PURGED'), 'NOT_FOUND')
    assert.deepEqual(await versions('z'), ['y1', 'y2', 'y2', 'y2'])
    assert.deepEqual(await history('z'), ['z 4 moved', 'x 3 moved', ...ofY])
  })

  it('is not told of the other where it is new', async () => {
    const { put, move, remove, versions, history } = await setStage(wl, 'ANEW')
    await remove('x')
    await put('x', 'n3')
    assert.deepEqual(await versions('x'), [null, null, 'n3'])
    assert.deepEqual(await history('x'), ['x 3 created'])
    await remove('x')
    await move('y', 'x')
    await move('x', 'z')
    await put('x', 'n5')
    assert.deepEqual(await versions('x'), [null, null, null, null, 'n5'])
    assert.deepEqual(await history('x'), ['x 5 created'])
  })

  it('comes back by undo, and the other to its own key', async () => {
    for (const [at, last] of ['move', 'edit', 'delete'].entries()) {
      const { put, move, remove, versions, history } = await setStage(wl, `UNDONE${at}`)
      const { key, id: keyId } = await createKey(wl, { scopes: ['knowledge:write'] })
      await remove('x', { key })
      await move('y', 'x', { key })
      if (last === 'edit') await put('x', 'y4', { key })
      if (last === 'delete') await remove('x', { key })
      const { undone, conflicts } = expectStatus(await wl.post('/v1/undo', { keyId, dryRun: false }), 200).body.data
      assert.deepEqual(conflicts, [])
      const x = (await wl.get(`/v1/knowledge/x?projectId=UNDONE${at}`)).body.data
      const back = undone.find(({ knowledgeId }: { knowledgeId: string }) => knowledgeId === x.id)
      assert.equal(back.action, 'restored')
      assert.deepEqual((await versions('x')).slice(0, 3), ['x1', 'x2', null])
      assert.equal((await versions('x')).at(-1), 'x2')
      assert.deepEqual((await history('x')).slice(1), ofX)
      assert.deepEqual((await versions('y')).slice(0, 2), ['y1', 'y2'])
      assert.equal((await versions('y')).at(-1), 'y2')
      assert.deepEqual((await history('y')).slice(-2), ofY)
    }
  })

  it('comes back by undo from where it was moved, as does the other', async () => {
    const { move, versions, history } = await setStage(wl, 'SWAPPED')
    const { key, id: keyId } = await createKey(wl, { scopes: ['knowledge:write'] })
    await move('x', 'z', { key })
    await move('y', 'x', { key })
    const undo = await wl.post('/v1/undo', { keyId, dryRun: false })
    assert.deepEqual(expectStatus(undo, 200).body.data.conflicts, [])
    assert.deepEqual(await versions('x'), ['x1', 'x2', 'x2', 'x2'])
    assert.deepEqual(await history('x'), ['x 4 moved', 'z 3 moved', 'x 2 updated', 'x 1 created'])
    assert.deepEqual(await versions('y'), ['y1', 'y2', 'y2', 'y2'])
    assert.deepEqual(await history('y'), ['y 4 moved', 'x 3 moved', ...ofY])
    const redo = await wl.post('/v1/undo', { requestId: undo.headers['x-request-id'], dryRun: false })
    assert.deepEqual(expectStatus(redo, 200).body.data.conflicts, [])
    assert.deepEqual([(await versions('x')).at(-1), (await versions('z')).at(-1)], ['y2', 'x2'])
  })
})
