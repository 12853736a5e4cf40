import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { expectError, expectInvalid, expectStatus } from 'worklore-testing/expect'
import { createKey } from 'worklore-testing/factories'
import { rowsOf } from 'worklore-testing/harness'
import { addTenant, operatorCallOf } from 'worklore-testing/operator'
import { runCommand } from 'worklore-testing/program'
import { describeService } from 'worklore-testing/service-suite'
import { agedAuditEntries } from '../../src/changelog/audit/maintenance.js'
import { deleteAgedRows } from '../../src/db/aged-rows.js'
import { listTenantIds, setPlan } from '../../src/tenancy/tenants/service.js'

interface Entry {
  id: string
  at: string
  action: string
  actor: { keyId: string; keyName: string; userId: string | null } | null
  address: string | null
  requestId: string | null
  via: string
  subject: string | null
  details: Record<string, unknown>
  count: number
  lastAt: string
}

const hourMs = 3_600_000
const dayMs = 86_400_000

describeService('the audit log', (wl) => {
  // Refusals share an entry for an hour of the clock: none of them ends while a test counts.
  before(() => wl.passTime(hourMs - (wl.service.core.clock() % hourMs)))

  const entries = async (query = '', key?: string): Promise<Entry[]> => {
    await wl.service.core.refusals.flush()
    return expectStatus(await wl.get(`/v1/audit?limit=100${query}`, key ? { key } : {}), 200).body.data
  }

  it('tells of every change of a key and a webhook, who made it and from where', async () => {
    const headers = { 'x-request-id': 'audited-request' }
    const { id } = await createKey(wl, { name: 'audited' }, { headers })
    await wl.patch(`/v1/keys/${id}`, { name: 'renamed' })
    await wl.post(`/v1/keys/${id}/rotate`, {})
    await wl.delete(`/v1/keys/${id}`)
    const ofKey = (await entries()).filter(({ subject }) => subject === id)
    assert.deepEqual(
      ofKey.map(({ action }) => action),
      ['key.revoked', 'key.rotated', 'key.updated', 'key.created'],
    )
    const born = ofKey.at(-1)!
    const me = (await wl.get('/v1/me')).body.data.key
    assert.deepEqual(born.actor, { keyId: me.id, keyName: me.name, userId: null })
    assert.deepEqual([born.address, born.requestId, born.via, born.count], ['127.0.0.1', 'audited-request', 'http', 1])
    assert.equal(born.details.name, 'audited')
    assert.deepEqual(ofKey[2]!.details.previous, { name: 'audited' })

    const hook = (await wl.post('/v1/webhooks', { url: 'https://192.0.2.1/x', events: ['task.*'] })).body
    const webhook =
      hook.data ?? (await wl.post('/v1/webhooks', { url: 'https://example.com/x', events: ['task.*'] })).body.data
    await wl.patch(`/v1/webhooks/${webhook.id}`, { active: false })
    await wl.post(`/v1/webhooks/${webhook.id}/rotate-secret`, {})
    await wl.delete(`/v1/webhooks/${webhook.id}`)
    const ofWebhook = (await entries('&action=webhook.*')).filter(({ subject }) => subject === webhook.id)
    assert.deepEqual(
      ofWebhook.map(({ action }) => action),
      ['webhook.deleted', 'webhook.rotated', 'webhook.updated', 'webhook.created'],
    )
  })

  it('has nothing of a change that was not made, and no secret', async () => {
    const before = (await entries('&action=key.*')).length
    expectError(await wl.post('/v1/keys', { name: 'x', scopes: ['admin'], projectIds: ['NONE'] }), 'VALIDATION_ERROR')
    const { key } = await createKey(wl)
    const after = await entries('&action=key.*')
    assert.equal(after.length, before + 1)
    assert.ok(!JSON.stringify(await rowsOf(wl, 'select * from audit_entries')).includes(key.slice(12)))
  })

  it('counts refusals by address and hour instead of listing each', async () => {
    const weak = await createKey(wl, { scopes: ['tasks:read'] })
    for (let sent = 0; sent < 5; sent++) expectError(await wl.get('/v1/keys', { key: weak.key }), 'FORBIDDEN')
    await entries()
    for (let sent = 0; sent < 5; sent++) expectError(await wl.get('/v1/keys', { key: weak.key }), 'FORBIDDEN')
    const refused = await entries(`&action=scope.refused&keyId=${weak.id}`)
    assert.equal(refused.length, 1)
    assert.equal(refused[0]!.count, 10)
    assert.deepEqual(refused[0]!.details, { requiredScope: 'admin' })
    assert.equal(refused[0]!.address, '127.0.0.1')
    assert.ok(refused[0]!.lastAt >= refused[0]!.at)

    await wl.delete(`/v1/keys/${weak.id}`)
    for (let sent = 0; sent < 7; sent++) await wl.get('/v1/me', { key: weak.key })
    const [failed, ...more] = await entries(`&action=auth.failed&keyId=${weak.id}`)
    assert.deepEqual([failed!.count, failed!.details, more.length], [7, { reason: 'revoked' }, 0])

    wl.passTime(3_600_000)
    await wl.get('/v1/me', { key: weak.key })
    assert.equal((await entries(`&action=auth.failed&keyId=${weak.id}`)).length, 2)
  })

  it('stays small in a flood from many addresses', async () => {
    const { refusals } = wl.service.core
    const { actor } = operatorCallOf(wl)
    const note = (at: number) => {
      const address = `10.0.${at >> 8}.${at & 255}`
      const origin = { requestId: `req_${at}`, via: 'http', address } as const
      refusals.note({
        action: 'auth.failed',
        actor: { ...actor, keyId: 'key_flooded' },
        origin,
        details: { reason: 'revoked' },
      })
    }
    wl.passTime(3_600_000)
    const floodStart = new Date(wl.service.core.clock()).toISOString()
    for (let at = 0; at < 10_000; at++) note(at)
    const flood = await entries(`&action=auth.failed&since=${floodStart}`)
    assert.ok(flood.length <= 51, `${flood.length} entries`)
    assert.equal(
      flood.reduce((sum, { count }) => sum + count, 0),
      10_000,
    )
    assert.ok(flood.some(({ address, details }) => address === null && details.more === true))
  })

  it('keeps unknown keys for the operator, away from every tenant', async () => {
    wl.passTime(3_600_000)
    await wl.get('/v1/me', { key: null })
    await wl.get('/v1/me', { key: 'unknown-key-0123456789-abcdefghijklmn' })
    assert.deepEqual(
      await entries(`&action=auth.failed&since=${new Date(wl.service.core.clock() - 1_000).toISOString()}`),
      [],
    )
    const print = async (...words: string[]): Promise<Entry[]> =>
      JSON.parse(await runCommand(wl.store, 'audit', ...words))
    const shown = await print('--action', 'auth.failed', '--limit', '2')
    assert.deepEqual(shown.map(({ details }) => details.reason).sort(), ['invalid', 'missing'])
    for (const { actor, address } of shown) assert.deepEqual([actor, address], [null, '127.0.0.1'])
    const ofTenant = await print('--tenant', 'default')
    assert.deepEqual(
      ofTenant.slice(0, 20).map(({ id }) => id),
      (await entries()).slice(0, 20).map(({ id }) => id),
    )
  })

  it('tells of plans, and of no other tenant', async () => {
    const other = await addTenant(wl)
    const { tenant } = (await wl.get('/v1/me', { key: other })).body.data
    const { db, clock } = wl.service.core
    await setPlan(db, tenant.id, 'pro', clock)
    await setPlan(db, tenant.id, 'self-hosted', clock)
    const shown = await entries('', other)
    assert.deepEqual(shown.map(({ action }) => action).sort(), [
      'key.created',
      'plan.changed',
      'plan.changed',
      'tenant.created',
      'user.role_changed',
    ])
    const changed = shown.find(({ action }) => action === 'plan.changed')!
    assert.equal(changed.via, 'cli')
    assert.equal(changed.actor?.keyId, 'operator')
    assert.deepEqual(
      (await entries()).filter(({ subject }) => subject === tenant.id),
      [],
    )
  })

  it('is paged newest first and filtered', async () => {
    const all = await entries()
    const seen: string[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { body } = expectStatus(await wl.get(`/v1/audit?limit=7${cursor && `&cursor=${cursor}`}`), 200)
      seen.push(...body.data.map(({ id }: Entry) => id))
      cursor = body.pagination.nextCursor
    }
    assert.deepEqual(
      seen.slice(0, all.length),
      all.map(({ id }) => id),
    )
    assert.equal(new Set(seen).size, seen.length)
    assert.deepEqual(
      all.map(({ at }) => at),
      all
        .map(({ at }) => at)
        .sort()
        .reverse(),
    )
    const { at } = all[Math.floor(all.length / 2)]!
    assert.ok((await entries(`&since=${at}`)).every((entry) => entry.at >= at))
    assert.ok((await entries(`&until=${at}`)).every((entry) => entry.at < at))
    const isRefusal = ({ action }: Entry): boolean => action === 'auth.failed' || action === 'scope.refused'
    const [refused, done] = [await entries('&result=refused'), await entries('&result=done')]
    assert.ok(refused.length > 0 && refused.every(isRefusal))
    assert.ok(done.length > 0 && !done.some(isRefusal))
    expectInvalid(await wl.get('/v1/audit?result=maybe'), 'result')
    expectInvalid(await wl.get('/v1/audit?action=dance'), 'action')
    expectInvalid(await wl.get('/v1/audit?action=dance.*'), 'action')
    expectInvalid(await wl.get('/v1/audit?since=yesterday'), 'since')
    expectInvalid(await wl.get('/v1/audit?cursor=x'), 'cursor')
    const { key } = await createKey(wl, { scopes: ['tasks:write'] })
    expectError(await wl.get('/v1/audit', { key }), 'FORBIDDEN')
  })

  it('is kept for a year, whatever becomes of the events', async () => {
    const { db, clock } = wl.service.core
    const ids = async () => (await rowsOf<{ id: string }>(wl, 'select id from audit_entries')).map(({ id }) => id)
    const before = await ids()
    assert.ok(before.length > 10)
    /** Others may be written meanwhile. */
    const left = async () => {
      const now = new Set(await ids())
      return before.filter((id) => now.has(id)).length
    }
    const trimAt = async (nowMs: number) => {
      for (const tenantId of ['', ...(await listTenantIds(db))])
        await deleteAgedRows(db, agedAuditEntries, tenantId, nowMs)
    }
    await trimAt(clock() + 364 * dayMs)
    assert.equal(await left(), before.length)
    await trimAt(clock() + 367 * dayMs)
    assert.equal(await left(), 0)
  })
})
