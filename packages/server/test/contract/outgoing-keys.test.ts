import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { engines } from 'worklore-testing/engines'
import { expectError, expectStatus } from 'worklore-testing/expect'
import { createKey } from 'worklore-testing/factories'
import { startService, type TestService } from 'worklore-testing/harness'
import { describeService } from 'worklore-testing/service-suite'
import type { Call } from '../../src/operations/call.js'
import * as webhooks from '../../src/subscribers/webhooks/service.js'
import * as keys from '../../src/tenancy/keys/service.js'

/** A call as an interface makes it that learned of the key a moment ago. */
const callWith = async ({ service: { core } }: TestService, secret: string): Promise<Call> => ({
  db: core.db,
  clock: core.clock,
  actor: (await core.authenticator.authenticate(`Bearer ${secret}`, '127.0.0.1')).actor,
  origin: { requestId: 'req_stale', via: 'http', address: '127.0.0.1', operation: '' },
})

const newAdmin = { name: 'lasting', scopes: ['admin' as const] }
const newWebhook = { url: 'https://example.com/hook', events: ['task.*'] }

const isRefused = (reason: string) => (error: { code?: string; reason?: string }) =>
  error.code === 'UNAUTHORIZED' && error.reason === reason

const refusesAll = async (wl: TestService, call: Call, keyId: string, reason: string): Promise<void> => {
  const { core } = wl.service
  const changes: (() => Promise<unknown>)[] = [
    () => keys.createKey(call, newAdmin),
    () => keys.updateKey(call, core.hooks, keyId, { expiresAt: null, name: 'x' }),
    () => keys.rotateKey(call, keyId, {}),
    () => keys.revokeKey(call, core.hooks, keyId),
    () => webhooks.createWebhook(call, core, newWebhook),
    () => webhooks.updateWebhook(call, core, 'whk_none', { description: 'x' }),
    () => webhooks.deleteWebhook(call, 'whk_none'),
    () => webhooks.rotateSecret(call, core, 'whk_none', {}),
  ]
  for (const change of changes) await assert.rejects(change, isRefused(reason), String(change))
}

describeService('a key on its way out', (wl) => {
  it('makes no key that lasts longer than its rotated secret', async () => {
    const { id, key: old } = await createKey(wl, { scopes: ['admin'] })
    const { key: current } = expectStatus(await wl.post(`/v1/keys/${id}/rotate`, { overlapSeconds: 600 }), 200).body
      .data
    const short = new Date(Date.now() + 300_000).toISOString()
    const body = { name: 'minted', scopes: ['admin'] }
    expectError(await wl.post('/v1/keys', body, { key: old }), 'FORBIDDEN')
    expectError(await wl.post(`/v1/keys/${id}/rotate`, {}, { key: old }), 'FORBIDDEN')
    const minted = expectStatus(await wl.post('/v1/keys', { ...body, expiresAt: short }, { key: old }), 201).body.data
    expectError(await wl.patch(`/v1/keys/${minted.id}`, { expiresAt: null }, { key: old }), 'FORBIDDEN')
    expectError(
      await wl.patch(`/v1/keys/${id}`, { expiresAt: null, scopes: ['tasks:read'] }, { key: old }),
      'FORBIDDEN',
    )
    expectStatus(await wl.post('/v1/keys', body, { key: current }), 201)
  })

  it('changes no keys and webhooks once it was revoked, whatever an interface still believes', async () => {
    const { id, key } = await createKey(wl, { scopes: ['admin'] })
    const other = await createKey(wl)
    const call = await callWith(wl, key)
    expectStatus(await wl.delete(`/v1/keys/${id}`), 200)
    await refusesAll(wl, call, other.id, 'revoked')
    expectStatus(await wl.get('/v1/me', { key: other.key }), 200)
  })

  it('nor once its secret was rotated out, or the key has expired', async () => {
    const { id, key } = await createKey(wl, { scopes: ['admin'] })
    const other = await createKey(wl)
    const call = await callWith(wl, key)
    expectStatus(await wl.post(`/v1/keys/${id}/rotate`, {}), 200)
    await refusesAll(wl, call, other.id, 'expired')

    const ending = await createKey(wl, { scopes: ['admin'], expiresAt: new Date(Date.now() + 60_000).toISOString() })
    const endingCall = await callWith(wl, ending.key)
    await refusesAll(wl, { ...endingCall, clock: () => Date.now() + 60_000 }, other.id, 'expired')
  })

  it('nor once it lost its scope', async () => {
    const { id, key } = await createKey(wl, { scopes: ['admin'] })
    const call = await callWith(wl, key)
    expectStatus(await wl.patch(`/v1/keys/${id}`, { scopes: ['tasks:read'] }), 200)
    await assert.rejects(keys.createKey(call, newAdmin), { code: 'FORBIDDEN' })
  })
})

describe('a key revoked by another node', () => {
  let one: TestService
  let two: TestService
  before(async () => {
    const engine = engines.find(({ name }) => name === 'postgres')!
    one = await startService(engine)
    two = await startService(engine, { store: one.store })
  })
  after(async () => {
    await two?.stop()
    await one?.stop()
  })

  it('is not used in any change after its revocation', async () => {
    for (let round = 0; round < 10; round++) {
      const start = (await one.get('/v1/events?after=latest')).body.pagination.nextAfter
      const { id, key } = await createKey(one, { scopes: ['admin'] })
      const call = await callWith(two, key)
      const made = Array.from({ length: 10 }, () =>
        keys
          .createKey(call, newAdmin)
          .then(() => 1)
          .catch(() => 0),
      )
      const revoked = one.delete(`/v1/keys/${id}`)
      await Promise.all([...made, revoked])
      const { data } = (await one.get(`/v1/events?types=key.*&limit=100&after=${start}`)).body
      const types = data
        .filter(
          (event: { actor: { keyId: string }; data: { id: string } }) =>
            event.actor.keyId === id || event.data.id === id,
        )
        .map(({ type }: { type: string }) => type)
      const [born, ...rest] = types
      assert.equal(born, 'key.created')
      assert.equal(rest.at(-1), 'key.revoked', `round ${round}: ${types.join(', ')}`)
      await assert.rejects(keys.createKey(call, newAdmin), isRefused('revoked'))
    }
  })
})
