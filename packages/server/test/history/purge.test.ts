import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { DatabaseSync } from '@photostructure/sqlite'
import { engines, type TestStore } from 'worklore-testing/engines'
import { expectError, expectStatus } from 'worklore-testing/expect'
import { createProject, createTask, putItem } from 'worklore-testing/factories'
import { startService, type TestService } from 'worklore-testing/harness'
import { addTenant } from 'worklore-testing/operator'
import { startReceiver } from 'worklore-testing/receiver'
import { tenantTables } from 'worklore-testing/tenant-wall'
import { until } from 'worklore-testing/until'
import { openDb, sqlitePath } from '../../src/db/open.js'
import { packVersions } from '../../src/recovery/history/retention/pack.js'
import { deleteTenant } from '../../src/tenancy/tenants/service.js'

const canary = 'xylophonecanary'

/** Where the canary still is: in which tables of PostgreSQL, or in which files of the embedded database. */
const findCanary = async (store: TestStore): Promise<string[]> => {
  if (store.databaseUrl === undefined) {
    return readdirSync(store.dataDir, { recursive: true, withFileTypes: true })
      .filter((file) => file.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
      .filter((path) => readFileSync(path).toString('latin1').toLowerCase().includes(canary))
  }
  const db = await openDb(store)
  try {
    const found: string[] = []
    for (const table of [...tenantTables].filter((name) => !name.endsWith('_rebuilt'))) {
      const row = await db.get(`select 1 as one from ${table} x where cast(x as text) ilike ? limit 1`, [`%${canary}%`])
      if (row) found.push(table)
    }
    return found
  } finally {
    await db.close()
  }
}

/** Lets go of the pages of the embedded database that are free. */
const vacuum = (store: TestStore): void => {
  if (store.databaseUrl !== undefined) return
  const connection = new DatabaseSync(sqlitePath(store))
  connection.exec('vacuum')
  connection.exec('pragma wal_checkpoint(truncate)')
  connection.close()
}

/** Lets every place that keeps texts have the canary. */
const leaveTraces = async (wl: TestService, key: string, url: string): Promise<void> => {
  const options = { key }
  await createProject(wl, { key: 'GONE', name: canary, description: canary }, options)
  expectStatus(await wl.post('/v1/webhooks', { url, events: ['*'] }, options), 201)
  const blocker = await createTask(wl, 'GONE', { title: canary }, { key, headers: { 'idempotency-key': 'first' } })
  const task = await createTask(wl, 'GONE', { description: canary, blockedBy: [blocker.id] }, options)
  await wl.patch(`/v1/tasks/${blocker.id}`, { status: 'done', description: canary.repeat(2_000) }, options)
  await wl.patch(`/v1/tasks/${task.id}`, { labels: [canary], metadata: { canary } }, options)
  const comments = `/v1/tasks/${task.id}/comments`
  await wl.post(comments, { body: canary }, { key, headers: { 'idempotency-key': 'second' } })
  const { id } = (await wl.post(comments, { body: canary }, options)).body.data
  await wl.patch(`${comments}/${id}`, { body: `${canary} once more` }, options)
  await wl.delete(`${comments}/${id}`, options)
  for (const id of [blocker.id, task.id]) {
    await wl.patch(`/v1/tasks/${id}`, { status: 'todo' }, options)
    const asked = { body: canary, options: [canary, 'Other'] }
    const question = expectStatus(
      await wl.post(`/v1/tasks/${id}/questions`, asked, { key, headers: { 'idempotency-key': `asked ${id}` } }),
      201,
    ).body.data
    const answer = { option: canary, body: canary }
    expectStatus(await wl.post(`/v1/questions/${question.id}/answer`, answer, options), 200)
    expectStatus(await wl.post(`/v1/tasks/${id}/questions`, asked, options), 201)
  }
  for (const content of [canary, canary.repeat(3_000), 'short']) await putItem(wl, 'gone/item', content, {}, options)
  await wl.post('/v1/knowledge/move', { from: 'gone/item', to: 'gone/moved' }, options)
  await putItem(wl, 'gone/item', 'Another item', {}, options)
  expectStatus(await wl.post('/v1/undo', { requestId: 'none' }, { key, headers: { 'idempotency-key': 'third' } }), 200)
  expectStatus(await wl.get(`/v1/tasks/search?q=${canary}`, options), 200)
}

for (const engine of engines) {
  describe(`purging on ${engine.name}`, () => {
    it('removes the text of deleted records everywhere', async () => {
      const store = await engine.createPreparedStore()
      const receiver = await startReceiver()
      receiver.behave((response, { text }) => response.end(text))
      const wl = await startService(engine, { store, config: { webhookAllow: ['127.0.0.0/8'] } })
      let isStopped = false
      try {
        await leaveTraces(wl, wl.adminKey, receiver.url)
        await receiver.until(10)
        wl.passTime(120_000)
        const { db, clock, metrics } = wl.service.core
        await packVersions(db, clock, metrics)
        assert.match(await metrics.text(), /worklore_history_packed_total [1-9]/)
        assert.ok((await findCanary(store)).length > 0)
        expectStatus(await wl.delete('/v1/knowledge/gone/moved'), 200)
        expectStatus(await wl.delete('/v1/tasks/GONE-2'), 200)
        expectStatus(await wl.delete('/v1/projects/GONE?force=true'), 200)
        const entries = (await wl.get('/v1/trash')).body.data
        assert.deepEqual(
          entries.map(({ kind }: { kind: string }) => kind),
          ['project', 'task', 'knowledge', 'comment'],
        )
        const one = await wl.delete(`/v1/trash/${entries[2].id}`)
        assert.deepEqual(one.body.data, { id: entries[2].id, deleted: true })
        expectError(await wl.post(`/v1/trash/${entries[2].id}/restore`, undefined), 'NOT_FOUND')
        const all = await wl.delete('/v1/trash')
        assert.equal(all.body.data.purged, 3)
        // A slow machine needs several requests.
        if (all.body.data.pending > 0)
          await until(
            () => wl.delete('/v1/trash'),
            ({ body }) => body.data.pending === 0,
          )
        assert.deepEqual((await wl.get('/v1/trash')).body.data, [])
        expectError(await wl.get('/v1/history?task=GONE-1'), 'NOT_FOUND')
        assert.equal((await wl.get('/v1/knowledge/gone/item')).body.data.content, 'Another item')
        assert.equal((await wl.get('/v1/history?knowledge=gone/item')).body.data.length, 1)
        assert.match(await metrics.text(), /worklore_trash_purged_total [34]/)
        const actions = (await wl.get('/v1/audit?action=trash.*')).body.data
        assert.equal(actions.length, 2)
        isStopped = true
        await wl.stop()
        vacuum(store)
        assert.deepEqual(await findCanary(store), [])
      } finally {
        if (!isStopped) await wl.stop()
        await receiver.close()
        await store.remove()
      }
    })

    it('removes the text of an item from events that are older than the history', async () => {
      const store = await engine.createPreparedStore()
      const wl = await startService(engine, { store })
      let isStopped = false
      try {
        for (const content of [canary, `${canary} again`, 'short']) await putItem(wl, 'old/item', content)
        const { db } = wl.service.core
        const { tenant_id } = (await db.get<{ tenant_id: string }>('select tenant_id from tenants'))!
        // As if the service had kept no history then.
        await db.transaction(async (tx) => tx.run('delete from history where tenant_id = ?', [tenant_id]), tenant_id)
        await putItem(wl, 'old/other', 'Another item')
        expectStatus(await wl.delete('/v1/knowledge/old/item'), 200)
        expectStatus(await wl.delete('/v1/trash'), 200)
        const { data } = (await wl.get('/v1/events')).body
        assert.deepEqual(
          data.slice(-5).map(({ data }: { data: { content?: string } }) => data.content),
          [undefined, undefined, undefined, 'Another item', undefined],
        )
        isStopped = true
        await wl.stop()
        vacuum(store)
        const left = await findCanary(store)
        assert.deepEqual(
          left.filter((place) => place.includes('events') || store.databaseUrl === undefined),
          [],
        )
      } finally {
        if (!isStopped) await wl.stop()
        await store.remove()
      }
    })

    it('is part of deleting a tenant', async () => {
      const store = await engine.createPreparedStore()
      const receiver = await startReceiver()
      const wl = await startService(engine, { store, config: { webhookAllow: ['127.0.0.0/8'] } })
      let isStopped = false
      try {
        const key = await addTenant(wl)
        await leaveTraces(wl, key, receiver.url)
        const { id } = (await wl.get('/v1/me', { key })).body.data.tenant
        expectStatus(await wl.delete('/v1/projects/GONE?force=true', { key }), 200)
        await deleteTenant(wl.service.core.db, id)
        isStopped = true
        await wl.stop()
        vacuum(store)
        assert.deepEqual(await findCanary(store), [])
      } finally {
        if (!isStopped) await wl.stop()
        await receiver.close()
        await store.remove()
      }
    })
  })
}
