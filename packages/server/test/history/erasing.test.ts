import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { engines, type TestStore } from 'worklore-testing/engines'
import { expectError, expectStatus } from 'worklore-testing/expect'
import { createKey, createProject, createTask, createUser, putItem } from 'worklore-testing/factories'
import { rowsOf, startService, type TestService } from 'worklore-testing/harness'
import { type Receiver, startReceiver } from 'worklore-testing/receiver'
import { until } from 'worklore-testing/until'
import { unpacked } from '../../src/changelog/versions/pack-format.js'
import { restoreStore } from '../../src/cli/restore/restore.js'
import { openDb, sqlitePath } from '../../src/db/open.js'
import { copyStore } from '../../src/db/sqlite/copy.js'
import { packVersions } from '../../src/recovery/history/retention/pack.js'
import { tablesOfTenant } from '../../src/tenancy/tenants/store.js'

const name = 'Zebedee Quartz'
const formerName = 'Zebedee Basalt'
const email = 'zebedee.quartz@example.com'

/** The rows of the store that tell of the person, packed versions as they read. */
const tracesIn = async (store: TestStore): Promise<string[]> => {
  const db = await openDb(store)
  try {
    const parts: string[] = []
    for (const table of tablesOfTenant) {
      for (const row of await db.all<Record<string, unknown>>(`select * from ${table}`)) {
        const { data, ...rest } = row
        const isPack = table === 'history_packs'
        parts.push(JSON.stringify(isPack ? rest : row))
        if (isPack) parts.push(...(await unpacked(Number(row.format), data as Uint8Array)))
      }
    }
    return parts.filter((part) => /zebedee/i.test(part)).map((part) => part.slice(0, 2_000))
  } finally {
    await db.close()
  }
}

for (const engine of engines) {
  describe(`erasing a person on ${engine.name}`, () => {
    let wl: TestService
    let receiver: Receiver
    before(async () => {
      receiver = await startReceiver()
      wl = await startService(engine, {
        config: { webhookAllow: ['127.0.0.0/8'] },
        webhooks: { pollIntervalMs: 50 },
      })
    })
    after(async () => {
      await wl.stop()
      await receiver.close()
    })

    const erasedEntries = async () => (await wl.get('/v1/audit?action=user.erased')).body.data

    it('takes name and e-mail out of all that tells of the past, and says when it is done', async () => {
      const project = await createProject(wl, { key: 'PAST' })
      await wl.post('/v1/webhooks', { url: receiver.url, events: ['*'] })
      const once = { headers: { 'idempotency-key': 'person' } }
      const user = await createUser(wl, { name: formerName, email, role: 'admin' }, once)
      expectStatus(await wl.patch(`/v1/users/${user.id}`, { name }), 200)
      const other = await createUser(wl, { name: 'Grace' })
      const own = await createKey(wl, { name: `${name}, laptop`, userId: user.id, scopes: ['admin'] })
      const large = 'lorem ipsum '.repeat(2_000)
      const task = await createTask(wl, project.id, { assigneeId: user.id, description: large })
      for (let at = 0; at < 4; at++) await wl.patch(`/v1/tasks/${task.id}`, { title: `Title ${at}` }, { key: own.key })
      const entries = () => rowsOf<{ doc: string }>(wl, 'select doc from inbox_entries')
      expectStatus(await wl.patch(`/v1/tasks/${task.id}`, { assigneeId: other.id }, { key: own.key }), 200)
      assert.ok((await entries()).some(({ doc }) => doc.includes(name)))
      const { db, clock, metrics } = wl.service.core
      wl.passTime(61_000)
      await packVersions(db, clock, metrics)
      assert.ok((await rowsOf(wl, 'select id from history_packs')).length > 0)
      const many = Array.from({ length: 100 }, (_, at) => ({
        method: 'POST',
        path: '/v1/tasks',
        body: { projectId: 'PAST', title: `Task ${at}`, assigneeId: user.id },
      }))
      for (let at = 0; at < 2; at++) expectStatus(await wl.post('/v1/batch', { operations: many }), 200)
      for (const path of [`/v1/projects/${project.id}`, `/v1/keys/${own.id}`, '/v1/tenant'])
        expectStatus(await wl.patch(path, { paused: { reason: 'Over' } }, { key: own.key }), 200)
      // Keys keep the names they were given; this one is the admin's to change.
      expectStatus(await wl.patch(`/v1/keys/${own.id}`, { name: 'laptop' }), 200)
      await receiver.until(10)
      assert.notDeepEqual(await tracesIn(wl.store), [])

      expectStatus(await wl.delete(`/v1/users/${user.id}?erase=true`), 200)
      expectError(await wl.get(`/v1/users/${user.id}`), 'NOT_FOUND')
      const [entry] = await until(erasedEntries, (entries) => entries.length > 0)
      assert.equal(entry.subject, user.id)
      assert.deepEqual(await tracesIn(wl.store), [])
      assert.deepEqual(
        (await entries()).map(({ doc }) => JSON.parse(doc).by.keyName),
        ['deleted user'],
      )

      const history = (await wl.get(`/v1/tasks/${task.id}/history?full=true`)).body.data
      const reassigned = history.find(({ changes }: { changes: { assignee?: unknown } }) => changes.assignee)
      assert.deepEqual(reassigned.changes.assignee.from, { id: user.id, name: 'deleted user' })
      assert.equal(reassigned.changes.assignee.to.name, 'Grace')
      const first = (await wl.get(`/v1/tasks/${task.id}?version=1`)).body.data
      assert.deepEqual(first.assignee, { id: user.id, name: 'deleted user' })
      assert.equal(first.description, large)
      const events = (await wl.get(`/v1/events?order=desc&subject=${user.id}`)).body.data
      for (const { data } of events) assert.deepEqual([data.name, data.email], ['deleted user', null])
      const replayed = await wl.post('/v1/users', { name: formerName, email, role: 'admin' }, once)
      assert.equal(expectStatus(replayed, 201).body.data.name, 'deleted user')
    })

    it('is done once, also for those who were deleted before, and by admins', async () => {
      const user = await createUser(wl, { name, email })
      const { key } = await createKey(wl, { scopes: ['tasks:write', 'knowledge:write'] })
      expectError(await wl.delete(`/v1/users/${user.id}?erase=true`, { key }), 'FORBIDDEN')
      expectStatus(await wl.delete(`/v1/users/${user.id}`), 200)
      assert.notDeepEqual(await tracesIn(wl.store), [])
      const count = (await erasedEntries()).length
      expectStatus(await wl.delete(`/v1/users/${user.id}?erase=true`), 200)
      expectError(await wl.delete(`/v1/users/${user.id}?erase=true`), 'NOT_FOUND')
      expectError(await wl.delete('/v1/users/usr_nobody?erase=true'), 'NOT_FOUND')
      await until(erasedEntries, (entries) => entries.length > count)
      assert.deepEqual(await tracesIn(wl.store), [])
    })

    it('takes the names of their keys out of the logs', async () => {
      const user = await createUser(wl, { name, email })
      const { id } = await createKey(wl, { name: `key of ${name}`, userId: user.id })
      const count = (await erasedEntries()).length
      expectStatus(await wl.delete(`/v1/users/${user.id}?erase=true`), 200)
      await until(erasedEntries, (entries) => entries.length > count)
      const audited = (await wl.get('/v1/audit?action=key.*&limit=100')).body.data
      const ofKey = audited.filter(({ subject }: { subject: string }) => subject === id)
      assert.deepEqual(
        ofKey.map(({ action, details }: { action: string; details: { name: string } }) => [action, details.name]),
        [
          ['key.revoked', 'deleted user'],
          ['key.created', 'deleted user'],
        ],
      )
      const events = (await wl.get(`/v1/events?order=desc&subject=${id}`)).body.data
      assert.deepEqual(
        events.map(({ data }: { data: { name: string } }) => data.name),
        ['deleted user', 'deleted user'],
      )
    })

    it('knows the names that the person had before, wherever their keys or memberships have them', async () => {
      const project = await createProject(wl, { key: 'MANY' })
      const audited = async () => JSON.stringify((await wl.get('/v1/audit?limit=100')).body.data)
      for (const isDeletedBefore of [false, true]) {
        const user = await createUser(wl, { name: formerName, email })
        const { key } = await createKey(wl, { name: `${formerName}, laptop`, userId: user.id })
        expectStatus(await wl.put(`/v1/projects/${project.id}/members/${user.id}`, { role: 'viewer' }), 200)
        expectStatus(await wl.patch(`/v1/users/${user.id}`, { name }), 200)
        if (isDeletedBefore) expectStatus(await wl.delete(`/v1/users/${user.id}`), 200)
        const count = (await erasedEntries()).length
        expectStatus(await wl.delete(`/v1/users/${user.id}?erase=true`), 200)
        await until(erasedEntries, (entries) => entries.length > count)
        assert.deepEqual(await tracesIn(wl.store), [])

        expectError(await wl.get('/v1/me', { key }), 'UNAUTHORIZED')
        await wl.service.core.refusals.flush()
        assert.match(await audited(), new RegExp(`"auth.failed","actor":{[^}]*"deleted user","userId":"${user.id}"`))
        assert.deepEqual(await tracesIn(wl.store), [])
      }
    })

    it('goes on after a restart', async () => {
      const store = await engine.createPreparedStore()
      const first = await startService(engine, { store })
      await createProject(first, { key: 'GOES' })
      const user = await createUser(first, { name, email })
      const operations = Array.from({ length: 100 }, () => ({
        method: 'POST',
        path: '/v1/tasks',
        body: { projectId: 'GOES', title: 'x', assigneeId: user.id },
      }))
      for (let at = 0; at < 4; at++) expectStatus(await first.post('/v1/batch', { operations }), 200)
      expectStatus(await first.delete(`/v1/users/${user.id}?erase=true`), 200)
      await first.stop()
      const second = await startService(engine, { store })
      const entries = () => second.get('/v1/audit?action=user.erased')
      await until(entries, ({ body }) => body.data.length > 0)
      assert.deepEqual(await tracesIn(store), [])
      await second.stop()
      await store.remove()
    })
  })
}

describe('a backup from before a person was erased', () => {
  it('is restored without them', async () => {
    const engine = engines[0]!
    const store = await engine.createStore()
    const backup = join(store.dataDir, 'before.backup')
    const erased = (wl: TestService) =>
      until(
        () => wl.get('/v1/audit?action=user.erased'),
        ({ body }) => body.data.length > 1,
      )
    const first = await startService(engine, { store })
    await createProject(first, { key: 'BACK' })
    const user = await createUser(first, { name, email })
    const task = await createTask(first, 'BACK', { assigneeId: user.id })
    expectStatus(await first.patch(`/v1/tasks/${task.id}`, { title: 'Changed' }), 200)
    const deletedBefore = await createUser(first, { name, email })
    await createKey(first, { name: `key of ${name}`, userId: deletedBefore.id })
    expectStatus(await first.delete(`/v1/users/${deletedBefore.id}`), 200)
    await copyStore(sqlitePath(store), backup)
    for (const { id } of [user, deletedBefore]) expectStatus(await first.delete(`/v1/users/${id}?erase=true`), 200)
    await erased(first)
    await first.stop()
    await restoreStore(store, backup)
    assert.notDeepEqual(await tracesIn(store), [])

    const second = await startService(engine, { store })
    await erased(second)
    assert.deepEqual(await tracesIn(store), [])
    expectError(await second.get(`/v1/users/${user.id}`), 'NOT_FOUND')
    assert.equal((await second.get(`/v1/tasks/${task.id}`)).body.data.assignee, null)
    await second.stop()
    await store.remove()
  })
})

describe('the file of the embedded store', () => {
  it('has nothing of a text that was purged, large or small', async () => {
    const engine = engines[0]!
    const store = await engine.createStore()
    const wl = await startService(engine, { store })
    const word = 'chrysoberyl'
    for (const [key, times] of [
      ['small', 1],
      ['large', 20_000],
    ] as const) {
      await putItem(wl, key, `${word} `.repeat(times))
      await putItem(wl, key, 'Replaced')
      expectStatus(await wl.delete(`/v1/knowledge/${key}`), 200)
    }
    const hasWord = (): boolean => readFileSync(sqlitePath(store)).includes(word)
    await wl.service.core.db.ping()
    expectStatus(await wl.delete('/v1/trash'), 200)
    await wl.stop()
    assert.ok(!hasWord())
    await store.remove()
  })
})
