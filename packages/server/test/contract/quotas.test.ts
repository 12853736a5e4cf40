import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { engines } from 'worklore-testing/engines'
import { openStream } from 'worklore-testing/event-stream'
import { expectError, expectInvalid, expectStatus } from 'worklore-testing/expect'
import { createKey, createProject, putItem } from 'worklore-testing/factories'
import { rowsOf, startService, type TestService } from 'worklore-testing/harness'
import { addTenant } from 'worklore-testing/operator'
import { until } from 'worklore-testing/until'
import { packVersions } from '../../src/recovery/history/retention/pack.js'
import { trimVersions } from '../../src/recovery/history/retention/trim.js'
import { setPlan } from '../../src/tenancy/tenants/service.js'

const limits = {
  requestsPerMinute: 1_000_000,
  requestsPerDay: 1_000_000,
  taskCreatesPerHour: 1_000_000,
  searchesPerMinute: 1_000_000,
  knowledgeWritesPerHour: 1_000_000,
}
const plans = {
  bytes: { ...limits, storedBytes: 10_000 },
  keys: { ...limits, keys: 5 },
  streams: { ...limits, openStreams: 3 },
  short: { ...limits, maxKeyDays: 30 },
}
const dayMs = 86_400_000

const folder = mkdtempSync(join(tmpdir(), 'worklore-plans-'))
const plansFile = join(folder, 'plans.json')
writeFileSync(plansFile, JSON.stringify(plans))
after(() => rmSync(folder, { recursive: true }))

interface QuotaUse {
  name: string
  limit: number
  used: number
}

const quotaOf = async (wl: TestService, key: string): Promise<QuotaUse> =>
  (await wl.get('/v1/me', { key })).body.data.quotas[0]

const bytesOf = (table: string, ...columns: string[]): string =>
  `coalesce((select sum(${columns.map((column) => `octet_length(${column})`).join(' + ')}) from ${table}
     where ${table}.tenant_id = tenants.tenant_id), 0)`

/** What the store holds in truth. */
const countedBytes = async (wl: TestService, tenant: string) => {
  const [row] = await rowsOf<{ stored: number; counted: number }>(
    wl,
    `select stored_bytes as counted, cast(${[
      bytesOf('knowledge', 'meta', 'content'),
      bytesOf('tasks', 'doc'),
      bytesOf('comments', 'doc'),
      bytesOf('questions', 'doc'),
      bytesOf('history', 'before'),
      bytesOf('history_packs', 'data'),
    ].join(' + ')} as bigint) as stored from tenants where tenant_id = '${tenant}'`,
  )
  return row!
}

for (const engine of engines) {
  describe(`quotas on ${engine.name}`, () => {
    let wl: TestService
    const tenantOf = async (key: string): Promise<string> => (await wl.get('/v1/me', { key })).body.data.tenant.id

    before(async () => {
      wl = await startService(engine, { config: { plansFile } })
    })
    after(() => wl.stop())

    it('are those of the plan, and none on self-hosted', async () => {
      assert.deepEqual((await wl.get('/v1/me')).body.data.quotas, [])
      const { quotas } = (await wl.get('/v1/me', { key: await addTenant(wl, 'free') })).body.data
      assert.deepEqual(quotas, [
        { name: 'stored bytes', limit: 1_000_000_000, used: 0 },
        { name: 'keys', limit: 100, used: 1 },
        { name: 'open streams', limit: 200, used: 0 },
      ])
      const pro = (await wl.get('/v1/me', { key: await addTenant(wl, 'pro') })).body.data.quotas
      assert.deepEqual(
        pro.map(({ limit }: QuotaUse) => limit),
        [50_000_000_000, 1_000, 200],
      )
    })

    it('refuse what would store too much, and never a deletion', async () => {
      const key = await addTenant(wl, 'bytes')
      const tenant = await tenantOf(key)
      await putItem(wl, 'a', 'ä'.repeat(2_000), {}, { key })
      await putItem(wl, 'b', 'x'.repeat(4_000), {}, { key })
      const { used } = await quotaOf(wl, key)
      assert.ok(used > 8_000 && used < 10_000, String(used))
      const refusal = expectError(await wl.put('/v1/knowledge/c', { content: 'x'.repeat(4_000) }, { key }), 'FORBIDDEN')
      assert.deepEqual(
        [refusal.reason, refusal.quota, refusal.limit, refusal.used],
        ['quota', 'stored bytes', 10_000, used],
      )
      assert.match(refusal.message, /Delete/)
      expectError(await wl.get('/v1/knowledge/c', { key }), 'NOT_FOUND')
      expectError(await wl.put('/v1/knowledge/a', { content: 'x'.repeat(9_000) }, { key }), 'FORBIDDEN')
      assert.equal((await quotaOf(wl, key)).used, used, 'a refused change counts nothing')
      expectStatus(await wl.delete('/v1/knowledge/b', { key }), 200)
      expectError(await wl.put('/v1/knowledge/c', { content: 'x'.repeat(3_000) }, { key }), 'FORBIDDEN')
      expectStatus(await wl.delete('/v1/trash', { key }), 200)
      expectStatus(await wl.put('/v1/knowledge/c', { content: 'x'.repeat(3_000) }, { key }), 201)
      const truth = await countedBytes(wl, tenant)
      assert.equal(truth.counted, truth.stored)
    })

    it('count the versions that are kept, also of a text that stays as long as it is', async () => {
      const key = await addTenant(wl, 'bytes')
      const tenant = await tenantOf(key)
      const put = (letter: string) => wl.put('/v1/knowledge/a', { content: letter.repeat(4_000) }, { key })
      expectStatus(await put('a'), 201)
      expectStatus(await put('b'), 200)
      const { used } = await quotaOf(wl, key)
      assert.ok(used > 8_000 && used < 10_000, String(used))
      const refusal = expectError(await put('c'), 'FORBIDDEN')
      assert.deepEqual([refusal.reason, refusal.used], ['quota', used])
      assert.match(refusal.message, /empty the trash/)
      assert.equal((await wl.get('/v1/knowledge/a', { key })).body.data.content, 'b'.repeat(4_000))
      expectStatus(await wl.delete('/v1/knowledge/a', { key }), 200)
      expectStatus(await wl.delete('/v1/trash', { key }), 200)
      assert.equal((await quotaOf(wl, key)).used, 0)
      assert.deepEqual(await countedBytes(wl, tenant), { counted: 0, stored: 0 })
    })

    it('count exactly through versions, trash, restores, purges and packs', async () => {
      const key = await addTenant(wl)
      const tenant = await tenantOf(key)
      const expectExact = async (after: string) => {
        const { counted, stored } = await countedBytes(wl, tenant)
        assert.equal(counted, stored, after)
      }
      const project = await createProject(wl, { key: 'EX' }, { key })
      const ids: string[] = []
      for (const title of ['Übung', 'two', 'three']) {
        const { body } = await wl.post('/v1/tasks', { projectId: 'EX', title, blockedBy: ids }, { key })
        ids.push(body.data.id)
      }
      for (const id of ids) {
        expectStatus(await wl.post(`/v1/tasks/${id}/comments`, { body: 'Größe' }, { key }), 201)
        expectStatus(await wl.patch(`/v1/tasks/${id}`, { description: `of ${id}` }, { key }), 200)
        const asked = [0, 1].map(() => wl.post(`/v1/tasks/${id}/questions`, { body: 'Größe?' }, { key }))
        const question = expectStatus((await Promise.all(asked))[0]!, 201).body.data
        expectStatus(await wl.post(`/v1/questions/${question.id}/answer`, { body: 'Groß' }, { key }), 200)
      }
      for (let at = 0; at < 40; at++) await putItem(wl, 'often', `${at} `.repeat(500), { projectId: 'EX' }, { key })
      await putItem(wl, 'mine', 'Größe', { projectId: 'EX' }, { key })
      await putItem(wl, 'ours', 'Größe', {}, { key })
      const moves = [
        { from: 'mine', projectId: 'EX', to: 'all/mine', toProjectId: null },
        { from: 'ours', to: 'ours', toProjectId: 'EX' },
        { from: 'all/mine', to: 'a', toProjectId: null },
      ]
      for (const move of moves) expectStatus(await wl.post('/v1/knowledge/move', move, { key }), 200)
      expectStatus(await wl.delete('/v1/knowledge/a', { key }), 200)
      await expectExact('writes')
      wl.passTime(120_000)
      const { db, clock, metrics } = wl.service.core
      await packVersions(db, clock, metrics)
      await expectExact('packing')
      for (let at = 0; at < 40; at++) await putItem(wl, 'often', `${at} `.repeat(600), { projectId: 'EX' }, { key })
      wl.passTime(120_000)
      await packVersions(db, clock, metrics)
      await expectExact('packing again')
      expectStatus(await wl.delete(`/v1/tasks/${ids[0]}`, { key }), 200)
      expectStatus(await wl.delete(`/v1/tasks/${ids[1]}`, { key }), 200)
      await expectExact('deletions')
      const [entry] = (await wl.get('/v1/trash', { key })).body.data
      expectStatus(await wl.post(`/v1/trash/${entry.id}/restore`, {}, { key }), 200)
      await expectExact('a restore')
      expectStatus(await wl.delete('/v1/trash', { key }), 200)
      await expectExact('a purge')
      expectStatus(await wl.delete(`/v1/projects/${project.id}?force=true`, { key }), 200)
      const [deleted] = (await wl.get('/v1/trash?kind=project', { key })).body.data
      await expectExact('the deletion of a project')
      expectStatus(await wl.post(`/v1/trash/${deleted.id}/restore`, {}, { key }), 200)
      await expectExact('the restore of a project')
      wl.passTime(400 * dayMs)
      for (let at = 0; at < 101; at++) await putItem(wl, 'often', `${at} `.repeat(50), { projectId: 'EX' }, { key })
      await trimVersions(db, clock, metrics, 365 * dayMs)
      await expectExact('trimming')
      expectStatus(await wl.delete(`/v1/projects/${project.id}?force=true`, { key }), 200)
      expectStatus(await wl.delete('/v1/trash', { key }), 200)
      await until(
        () => countedBytes(wl, tenant),
        ({ counted }) => counted === 0,
      )
      await expectExact('purging all')
    })

    it('let a tenant delete that is over them already', async () => {
      const key = await addTenant(wl)
      const tenant = await tenantOf(key)
      for (const name of ['a', 'b']) await putItem(wl, name, 'x'.repeat(8_000), {}, { key })
      await setPlan(wl.service.core.db, tenant, 'bytes')
      await until(
        () => wl.get('/v1/me', { key }),
        ({ body }) => body.data.plan === 'bytes',
      )
      expectError(await wl.put('/v1/knowledge/c', { content: '' }, { key }), 'FORBIDDEN')
      expectError(await wl.put('/v1/knowledge/a', { content: 'x'.repeat(7_000) }, { key }), 'FORBIDDEN')
      expectStatus(await wl.delete('/v1/knowledge/b', { key }), 200)
      expectStatus(await wl.delete('/v1/trash', { key }), 200)
      assert.equal((await wl.get('/v1/me', { key })).body.data.warnings[0]?.code, undefined)
      expectError(await wl.put('/v1/knowledge/c', { content: 'x'.repeat(3_000) }, { key }), 'FORBIDDEN')
      expectStatus(await wl.put('/v1/knowledge/c', { content: 'x' }, { key }), 201)
    })

    it('let a task be deleted that others wait for, and a user with tasks', async () => {
      const key = await addTenant(wl)
      const tenant = await tenantOf(key)
      await createProject(wl, { key: 'DEP' }, { key })
      const user = (await wl.post('/v1/users', { name: 'U' }, { key })).body.data
      for (const blockedBy of [[], ['DEP-1']]) {
        const body = { projectId: 'DEP', title: 'x', blockedBy, assigneeId: user.id }
        expectStatus(await wl.post('/v1/tasks', body, { key }), 201)
      }
      await putItem(wl, 'a', 'x'.repeat(20_000), {}, { key })
      await setPlan(wl.service.core.db, tenant, 'bytes')
      await until(
        () => wl.get('/v1/me', { key }),
        ({ body }) => body.data.plan === 'bytes',
      )
      expectError(await wl.patch('/v1/tasks/DEP-1', { title: 'y' }, { key }), 'FORBIDDEN')
      expectStatus(await wl.delete('/v1/tasks/DEP-1', { key }), 200)
      expectStatus(await wl.delete(`/v1/users/${user.id}`, { key }), 200)
      const { blockedBy, assignee } = (await wl.get('/v1/tasks/DEP-2', { key })).body.data
      assert.deepEqual([blockedBy, assignee], [[], null])
    })

    it('are freed by a project that is deleted with its knowledge and purged', async () => {
      const key = await addTenant(wl, 'bytes')
      const tenant = await tenantOf(key)
      const project = await createProject(wl, { key: 'GONE' }, { key })
      await putItem(wl, 'a', 'x'.repeat(8_000), { projectId: 'GONE' }, { key })
      const warnings = async () => (await wl.get('/v1/me', { key })).body.data.warnings
      await putItem(wl, 'b', 'x'.repeat(1_000), {}, { key })
      assert.deepEqual((await warnings())[0].code, 'quota_nearly_used')
      expectStatus(await wl.delete(`/v1/projects/${project.id}?force=true`, { key }), 200)
      expectStatus(await wl.delete('/v1/trash', { key }), 200)
      const truth = await countedBytes(wl, tenant)
      assert.equal(truth.counted, truth.stored)
      assert.deepEqual(await warnings(), [])
    })

    it('hold when many write at once', async () => {
      const key = await addTenant(wl, 'bytes')
      const tenant = await tenantOf(key)
      const answers = await Promise.all(
        Array.from({ length: 30 }, (_, at) => wl.put(`/v1/knowledge/k${at}`, { content: 'x'.repeat(1_000) }, { key })),
      )
      const made = answers.filter(({ status }) => status === 201).length
      assert.ok(made > 3 && made < 10, `${made} were made`)
      for (const answer of answers)
        if (answer.status !== 201) assert.equal(expectError(answer, 'FORBIDDEN').reason, 'quota')
      const truth = await countedBytes(wl, tenant)
      assert.equal(truth.counted, truth.stored)
      assert.ok(truth.counted <= 10_000)
    })

    it('bound the keys, revoked ones apart', async () => {
      const key = await addTenant(wl, 'keys')
      const answers = await Promise.all(
        Array.from({ length: 12 }, () => wl.post('/v1/keys', { name: 'x', scopes: ['tasks:read'] }, { key })),
      )
      const made = answers.filter(({ status }) => status === 201)
      assert.equal(made.length, 4, 'and the first admin key')
      const refused = expectError(answers.find(({ status }) => status !== 201)!, 'FORBIDDEN')
      assert.deepEqual([refused.reason, refused.quota, refused.limit, refused.used], ['quota', 'keys', 5, 5])
      assert.deepEqual(await quotaOf(wl, key), { name: 'keys', limit: 5, used: 5 })
      expectStatus(await wl.delete(`/v1/keys/${made[0]!.body.data.id}`, { key }), 200)
      await createKey(wl, {}, { key })
    })

    it('bound streams and waiting requests together', async () => {
      const key = await addTenant(wl, 'streams')
      const opened = await Promise.all([0, 1].map(() => openStream(`${wl.baseUrl}/v1/events/stream`, key)))
      for (const { status } of opened) assert.equal(status, 200)
      const waiting = wl.get('/v1/events?after=latest&wait=30', { key })
      await until(
        () => quotaOf(wl, key),
        ({ used }) => used === 3,
      )
      const refused = expectError(await wl.get('/v1/events?after=latest&wait=2', { key }), 'FORBIDDEN')
      assert.deepEqual([refused.reason, refused.quota, refused.limit, refused.used], ['quota', 'open streams', 3, 3])
      expectStatus(await wl.get('/v1/events?after=latest', { key }), 200)
      const another = await wl.get('/v1/events/stream', { key })
      assert.equal(expectError(another, 'RATE_LIMIT_EXCEEDED').limit, 'open streams')
      await putItem(wl, 'awaited', 'x', {}, { key })
      expectStatus(await waiting, 200)
      for (const stream of opened) stream.close()
      const left = await until(
        () => quotaOf(wl, key),
        ({ used }) => used === 0,
      )
      assert.equal(left.used, 0)
    })

    it('bound the life of a key', async () => {
      const key = await addTenant(wl, 'short')
      const body = { name: 'x', scopes: ['tasks:read'] }
      const inDays = (days: number): string => new Date(wl.service.core.clock() + days * dayMs).toISOString()
      expectInvalid(await wl.post('/v1/keys', body, { key }), 'expiresAt')
      expectInvalid(await wl.post('/v1/keys', { ...body, expiresAt: inDays(31) }, { key }), 'expiresAt')
      const { id } = expectStatus(await wl.post('/v1/keys', { ...body, expiresAt: inDays(29) }, { key }), 201).body.data
      expectInvalid(await wl.patch(`/v1/keys/${id}`, { expiresAt: null }, { key }), 'expiresAt')
      expectInvalid(await wl.patch(`/v1/keys/${id}`, { expiresAt: inDays(40) }, { key }), 'expiresAt')
      expectStatus(await wl.patch(`/v1/keys/${id}`, { name: 'y', expiresAt: inDays(3) }, { key }), 200)
    })

    it('come with a warning before a key ends', async () => {
      const inDays = (days: number): string => new Date(wl.service.core.clock() + days * dayMs).toISOString()
      const warningsOf = async (key: string) => (await wl.get('/v1/me', { key })).body.data.warnings
      const soon = await createKey(wl, { expiresAt: inDays(6) })
      const later = await createKey(wl, { expiresAt: inDays(8) })
      const [warning] = await warningsOf(soon.key)
      assert.equal(warning.code, 'key_expires_soon')
      assert.ok(warning.message.includes(soon.expiresAt))
      assert.deepEqual(await warningsOf(later.key), [])
      expectStatus(await wl.post(`/v1/keys/${later.id}/rotate`, { overlapSeconds: 60 }), 200)
      assert.equal((await warningsOf(later.key))[0].code, 'key_expires_soon')
    })
  })
}

describe('quotas on two nodes', () => {
  let one: TestService
  let two: TestService
  before(async () => {
    const engine = engines.find(({ name }) => name === 'postgres')!
    one = await startService(engine, { config: { plansFile } })
    two = await startService(engine, { store: one.store, config: { plansFile } })
  })
  after(async () => {
    await two?.stop()
    await one?.stop()
  })

  it('hold for both together', async () => {
    const bytes = await addTenant(one, 'bytes')
    const writes = await Promise.all(
      Array.from({ length: 30 }, (_, at) =>
        [one, two][at % 2]!.put(`/v1/knowledge/k${at}`, { content: 'x'.repeat(1_000) }, { key: bytes }),
      ),
    )
    const { used } = await quotaOf(two, bytes)
    assert.ok(used > 5_000 && used <= 10_000, String(used))
    assert.ok(writes.some(({ status }) => status === 403))
    const keys = await addTenant(one, 'keys')
    const made = await Promise.all(
      Array.from({ length: 12 }, (_, at) =>
        [one, two][at % 2]!.post('/v1/keys', { name: 'x', scopes: ['tasks:read'] }, { key: keys }),
      ),
    )
    assert.equal(made.filter(({ status }) => status === 201).length, 4)
  })

  it('count what the other node has open', async () => {
    const key = await addTenant(one, 'streams')
    const opened = await Promise.all([0, 1, 2].map(() => openStream(`${one.baseUrl}/v1/events/stream`, key)))
    for (const { status } of opened) assert.equal(status, 200)
    const known = await until(
      () => quotaOf(two, key),
      ({ used }) => used === 3,
    )
    assert.equal(known.used, 3)
    expectError(await two.get('/v1/events?after=latest&wait=1', { key }), 'FORBIDDEN')
    for (const stream of opened) stream.close()
    const freed = await until(
      () => quotaOf(two, key),
      ({ used }) => used === 0,
    )
    assert.equal(freed.used, 0)
    const rows = await until(
      () => rowsOf(one, 'select * from open_streams'),
      ({ length }) => length === 0,
    )
    assert.equal(rows.length, 0)
  })
})
