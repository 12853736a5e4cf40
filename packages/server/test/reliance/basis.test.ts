import assert from 'node:assert/strict'
import { it } from 'node:test'
import { expectError, expectStatus } from 'worklore-testing/expect'
import { createKey, createProject, createTask, putItem } from 'worklore-testing/factories'
import { describeTenant } from 'worklore-testing/service-suite'
import { until } from 'worklore-testing/until'
import { createReliance } from './reliance.js'

interface Entry {
  key: string
  version: number
  state: string
}

describeTenant('the basis of a task', (wl) => {
  const { get, post, flush, claimed, under, read, reliant } = createReliance(wl)
  const basisOf = async (id: string, query = '') => get(`/v1/tasks/${id}/basis${query}`)
  const versionsOf = async (id: string): Promise<string[]> =>
    (await basisOf(id)).map(({ key, version, state }: Entry) => `${key} v${version} ${state}`).toSorted()

  it('has what was read under its claim, each version once, within a second', async () => {
    const { id: projectId } = await createProject(wl, { key: 'BAS' })
    await putItem(wl, 'bas/wide', 'one', { projectId: null })
    await putItem(wl, 'bas/placed', 'one', { projectId: 'BAS' })
    const { id, claim } = await claimed('BAS')
    const before = await get(`/v1/tasks/${id}`)
    for (let times = 0; times < 3; times++) await read('bas/wide', claim)
    await read('bas/placed', claim)
    await putItem(wl, 'bas/wide', 'two')
    const again = await wl.get('/v1/knowledge/bas/wide', {
      headers: { 'worklore-claim': claim, 'if-none-match': '"2"' },
    })
    assert.equal(again.status, 304)
    const expected = ['bas/placed v1 current', 'bas/wide v1 current', 'bas/wide v2 current']
    assert.deepEqual(
      await until(
        () => versionsOf(id),
        (found) => found.length === 3,
      ),
      expected,
    )
    const [entry] = (await basisOf(id)).filter(({ key }: Entry) => key === 'bas/placed')
    assert.deepEqual(Object.keys(entry), ['key', 'projectId', 'version', 'at', 'state'])
    assert.equal(entry.projectId, projectId)
    const { claim: held, version } = await get(`/v1/tasks/${id}`)
    assert.deepEqual([held, version], [before.claim, before.version], 'reads renew nothing')
  })

  it('has old versions that were asked for, and nothing that was not found', async () => {
    await createProject(wl, { key: 'OLD' })
    await putItem(wl, 'old/a', 'one')
    await putItem(wl, 'old/a', 'two')
    const { id, claim } = await claimed('OLD')
    expectStatus(await wl.get('/v1/knowledge/old/a?version=1', under(claim)), 200)
    expectError(await wl.get('/v1/knowledge/old/a?version=7', under(claim)), 'NOT_FOUND')
    expectError(await wl.get('/v1/knowledge/old/none', under(claim)), 'NOT_FOUND')
    expectStatus(await wl.get('/v1/knowledge?prefix=old/', under(claim)), 200)
    await flush()
    assert.deepEqual(await versionsOf(id), ['old/a v1 current'])
  })

  it('is neither recorded nor refused under a claim that is not live and the own', async () => {
    await createProject(wl, { key: 'OFF' })
    await putItem(wl, 'off/a', 'text')
    const other = await createKey(wl, { scopes: ['knowledge:read', 'tasks:write'] })
    const held = await claimed('OFF')
    const ended = await claimed('OFF')
    await post(`/v1/tasks/${ended.id}/release`, {}, under(ended.claim))
    for (const [claim, key] of [
      [held.claim, other.key],
      [ended.claim, undefined],
      [`${held.id}.99`, undefined],
      ['OFF-99.1', undefined],
      ['nonsense', undefined],
    ] as const) {
      expectStatus(await wl.get('/v1/knowledge/off/a', under(claim, key)), 200)
    }
    await flush()
    assert.deepEqual([await basisOf(held.id), await basisOf(ended.id)], [[], []])
    assert.deepEqual(await get('/v1/dependents?key=off/a'), [])
  })

  it('is recorded by reads of MCP', async () => {
    await createProject(wl, { key: 'MCP' })
    for (const name of ['one', 'two', 'three']) await putItem(wl, `mcp/${name}`, 'text')
    const { id, claim } = await claimed('MCP')
    const call = async (method: string, params: object, headers = {}) =>
      expectStatus(
        await wl.post(
          '/mcp',
          { jsonrpc: '2.0', id: 1, method, params },
          { headers: { accept: 'application/json, text/event-stream', ...headers } },
        ),
        200,
      )
    await call('tools/call', { name: 'read_knowledge', arguments: { key: 'mcp/one', claim: claim.toLowerCase() } })
    await call('tools/call', { name: 'read_knowledge', arguments: { key: 'mcp/two' } }, { 'worklore-claim': claim })
    await call('resources/read', { uri: 'worklore://knowledge/mcp/three' }, { 'worklore-claim': claim })
    await flush()
    assert.deepEqual(await versionsOf(id), ['mcp/one v1 current', 'mcp/three v1 current', 'mcp/two v1 current'])
  })

  it('tells what became of what was read', async () => {
    await createProject(wl, { key: 'NOW' })
    const keys = ['gone', 'retracted', 'replaced', 'expired', 'moved']
    for (const name of keys) await putItem(wl, `now/${name}`, 'text')
    const { id } = await reliant('NOW', ...keys.map((name) => `now/${name}`))
    expectStatus(await wl.delete('/v1/knowledge/now/gone'), 200)
    await post('/v1/knowledge/retract', { key: 'now/retracted', reason: 'wrong' })
    await putItem(wl, 'now/newer', 'text', { supersedes: ['now/replaced'] })
    expectStatus(await wl.patch('/v1/knowledge/now/expired', { validUntil: '2020-01-01T00:00:00.000Z' }), 200)
    await post('/v1/knowledge/move', { from: 'now/moved', to: 'now/there' })
    assert.deepEqual(await versionsOf(id), [
      'now/expired v1 expired',
      'now/gone v1 deleted',
      'now/replaced v1 superseded',
      'now/retracted v1 retracted',
      'now/there v1 current',
    ])
  })

  it('follows an item that is moved before it is written', async () => {
    await createProject(wl, { key: 'MOV' })
    await putItem(wl, 'mov/from', 'text', { projectId: 'MOV' })
    const { id, claim } = await claimed('MOV')
    await read('mov/from', claim)
    await post('/v1/knowledge/move', { from: 'mov/from', to: 'mov/to', projectId: 'MOV' })
    await flush()
    assert.deepEqual(await versionsOf(id), ['mov/to v1 current'])
  })

  it('is listed by page, the newest first', async () => {
    await createProject(wl, { key: 'PAG' })
    const keys = Array.from({ length: 7 }, (_, at) => `pag/${at}`)
    for (const key of keys) await putItem(wl, key, 'text')
    const { id } = await reliant('PAG', ...keys)
    const read: string[] = []
    let cursor = ''
    do {
      const { body } = expectStatus(await wl.get(`/v1/tasks/${id}/basis?limit=3${cursor}`), 200)
      read.push(...body.data.map(({ key }: Entry) => key))
      cursor = body.pagination.nextCursor && `&cursor=${body.pagination.nextCursor}`
    } while (cursor)
    assert.deepEqual(read.toSorted(), keys)
    expectError(await wl.get(`/v1/tasks/${id}/basis?cursor=AAAAAAAA`), 'VALIDATION_ERROR')
    await putItem(wl, 'pag/unread', 'text')
    for (const key of ['pag/0', 'pag/unread'])
      expectError(await wl.get(`/v1/dependents?key=${key}&cursor=AAAAAAAA`), 'VALIDATION_ERROR')
  })

  it('shows only what a key may read, and nothing to one that may not read knowledge', async () => {
    const open = await createProject(wl, { key: 'OPN' })
    await createProject(wl, { key: 'HID' })
    await putItem(wl, 'see/wide', 'text', { projectId: null })
    await putItem(wl, 'see/hidden', 'text', { projectId: 'HID' })
    const { id } = await reliant('OPN', 'see/wide', 'see/hidden')
    assert.equal((await basisOf(id)).length, 2)
    const limited = await createKey(wl, { scopes: ['knowledge:read', 'tasks:read'], projectIds: [open.id] })
    const shown = await get(`/v1/tasks/${id}/basis`, limited)
    assert.deepEqual(
      shown.map(({ key }: Entry) => key),
      ['see/wide'],
    )
    const tasksOnly = await createKey(wl, { scopes: ['tasks:read'] })
    assert.deepEqual(await get(`/v1/tasks/${id}/basis`, tasksOnly), [])
    expectError(await wl.get('/v1/dependents?key=see/wide', tasksOnly), 'FORBIDDEN')
    const hidden = await createTask(wl, 'HID')
    expectError(await wl.get(`/v1/tasks/${hidden.id}/basis`, limited), 'FORBIDDEN')
    expectError(await wl.get('/v1/tasks/OPN-99/basis'), 'NOT_FOUND')
  })

  it('lists who relied on an item, and what was written under those claims', async () => {
    const open = await createProject(wl, { key: 'DEP' })
    await createProject(wl, { key: 'DEX' })
    await putItem(wl, 'dep/source', 'text', { projectId: null })
    await putItem(wl, 'dep/unread', 'text')
    const first = await reliant('DEP', 'dep/source')
    const second = await reliant('DEX', 'dep/source')
    await putItem(wl, 'dep/product', 'text', { projectId: 'DEP' }, under(first.claim))
    await putItem(wl, 'dep/other', 'text', { projectId: 'DEX' }, under(second.claim))
    await putItem(wl, 'dep/source', 'changed', {}, under(second.claim))
    const dependents = await get('/v1/dependents?key=dep/source')
    assert.deepEqual(
      dependents.map(({ task, key, version }: { task?: string; key?: string; version: number }) => [
        task ?? key,
        version,
      ]),
      [
        [first.id, 1],
        [second.id, 1],
        ...[
          ['dep/product', 1],
          ['dep/other', 1],
        ].toSorted(() => (dependents[2].key === 'dep/product' ? 0 : -1)),
      ],
    )
    const limited = await createKey(wl, { scopes: ['knowledge:read', 'tasks:read'], projectIds: [open.id] })
    const shown = await get('/v1/dependents?key=dep/source', limited)
    assert.deepEqual(
      shown.map(({ task, key }: { task?: string; key?: string }) => task ?? key),
      [first.id, 'dep/product'],
    )
    const paged = await get('/v1/dependents?key=dep/source&limit=1')
    assert.deepEqual(paged, dependents.slice(0, 1))
    assert.deepEqual(await get('/v1/dependents?key=dep/unread'), [])
    expectError(await wl.get('/v1/dependents?key=dep/none'), 'NOT_FOUND')
    expectStatus(await wl.delete('/v1/knowledge/dep/source'), 200)
    assert.equal((await get('/v1/dependents?key=dep/source')).length, 4)
  })

  it('is gone with a purged item or task, and stays with one in the trash', async () => {
    await createProject(wl, { key: 'PUR' })
    await putItem(wl, 'pur/a', 'text')
    await putItem(wl, 'pur/b', 'text')
    const { id } = await reliant('PUR', 'pur/a', 'pur/b')
    const purge = async () => expectStatus(await wl.delete('/v1/trash'), 200)
    expectStatus(await wl.delete('/v1/knowledge/pur/a'), 200)
    assert.deepEqual(await versionsOf(id), ['pur/a v1 deleted', 'pur/b v1 current'])
    await purge()
    assert.deepEqual(await versionsOf(id), ['pur/b v1 current'])
    expectStatus(await wl.delete(`/v1/tasks/${id}`), 200)
    assert.deepEqual(await get('/v1/dependents?key=pur/b'), [])
    const [entry] = await get('/v1/trash?kind=task')
    await post(`/v1/trash/${entry.id}/restore`)
    assert.deepEqual(await versionsOf(id), ['pur/b v1 current'])
    expectStatus(await wl.delete(`/v1/tasks/${id}`), 200)
    await purge()
    assert.deepEqual(await get('/v1/dependents?key=pur/b'), [])
  })
})
