import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { engines } from 'worklore-testing/engines'
import { expectError, expectInvalid, expectStatus } from 'worklore-testing/expect'
import { createKey } from 'worklore-testing/factories'
import { startService, type TestService } from 'worklore-testing/harness'
import { addTenant } from 'worklore-testing/operator'
import { describeService } from 'worklore-testing/service-suite'
import { until } from 'worklore-testing/until'
import { newSecret } from '../../src/base/secret.js'

const revoked = { data: { revoked: true } }

describeService('POST /v1/keys/revoke', (wl) => {
  it('ends a leaked key at once, for whoever has it', async () => {
    const { id, key } = await createKey(wl)
    expectStatus(await wl.get('/v1/me', { key }), 200)
    const answer = expectStatus(await wl.post('/v1/keys/revoke', { key }, { key: null }), 200)
    assert.deepEqual(answer.body, revoked)
    assert.equal(expectError(await wl.get('/v1/me', { key }), 'UNAUTHORIZED').reason, 'revoked')
    const { data: events } = (await wl.get('/v1/events?types=key.revoked')).body
    assert.deepEqual([events.at(-1).subject ?? events.at(-1).data.id, events.at(-1).actor.keyId], [id, id])
    const [entry] = (await wl.get('/v1/audit?action=key.revoked')).body.data
    assert.equal(entry.subject, id)
    assert.equal(entry.actor.keyId, id)
    assert.equal(entry.address, '127.0.0.1')
    assert.equal(entry.requestId, answer.headers['x-request-id'])
    assert.ok(!JSON.stringify(entry).includes(key))
  })

  it('answers the same for keys that are not there, and counts the address', async () => {
    const { key } = await createKey(wl)
    const answers = []
    for (const each of [key, key, newSecret(), 'nothing like a key', 'x'.repeat(512)]) {
      answers.push(await wl.post('/v1/keys/revoke', { key: each }, { key: null }))
    }
    for (const { status, body, headers } of answers) {
      assert.deepEqual([status, body], [200, revoked])
      assert.equal(headers['x-ratelimit-limit'], '60')
    }
    const left = answers.map(({ headers }) => Number(headers['x-ratelimit-remaining']))
    assert.deepEqual(
      left,
      left.map((_, at) => left[0]! - at),
    )
    expectInvalid(await wl.post('/v1/keys/revoke', {}, { key: null }), 'key')
    expectInvalid(await wl.post('/v1/keys/revoke', { key, id: 'x' }, { key: null }), 'id')
  })

  it('takes a valid key of any tenant, or one that is not, as well', async () => {
    const { key } = await createKey(wl)
    const other = await addTenant(wl)
    const answer = expectStatus(await wl.post('/v1/keys/revoke', { key }, { key: other }), 200)
    assert.notEqual(answer.headers['x-ratelimit-limit'], '60')
    expectError(await wl.get('/v1/me', { key }), 'UNAUTHORIZED')
    assert.deepEqual((await wl.get('/v1/audit?action=key.revoked', { key: other })).body.data, [])
    const next = await createKey(wl)
    const headers = { 'idempotency-key': 'as often as you like' }
    for (let round = 0; round < 2; round++) {
      const repeated = await wl.post('/v1/keys/revoke', { key: next.key }, { key: next.key, headers })
      assert.deepEqual(repeated.body, revoked)
    }
    expectError(await wl.get('/v1/me', { key: next.key }), 'UNAUTHORIZED')
  })

  it('ends a secret in its overlap alone', async () => {
    const { id, key: old } = await createKey(wl)
    const { key } = (await wl.post(`/v1/keys/${id}/rotate`, { overlapSeconds: 600 })).body.data
    expectStatus(await wl.get('/v1/me', { key: old }), 200)
    expectStatus(await wl.post('/v1/keys/revoke', { key: old }, { key: null }), 200)
    assert.equal(expectError(await wl.get('/v1/me', { key: old }), 'UNAUTHORIZED').reason, 'expired')
    expectStatus(await wl.get('/v1/me', { key }), 200)
    assert.equal((await wl.get('/v1/audit?action=key.secret_revoked')).body.data[0].subject, id)
  })

  it('is closed to an address that has used up its requests', async () => {
    const { key } = await createKey(wl)
    let answer = await wl.post('/v1/keys/revoke', { key: newSecret() }, { key: null })
    for (let sent = 0; sent < 70 && answer.status === 200; sent++) {
      answer = await wl.post('/v1/keys/revoke', { key: newSecret() }, { key: null })
    }
    expectError(answer, 'RATE_LIMIT_EXCEEDED')
    expectError(await wl.post('/v1/keys/revoke', { key }, { key: null }), 'RATE_LIMIT_EXCEEDED')
    expectStatus(await wl.get('/v1/me', { key }), 200)
  })
})

describe('a leaked key on two nodes', () => {
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

  it('ends on both', async () => {
    const { key } = await createKey(one)
    expectStatus(await two.get('/v1/me', { key }), 200)
    expectStatus(await one.post('/v1/keys/revoke', { key }, { key: null }), 200)
    expectError(await one.get('/v1/me', { key }), 'UNAUTHORIZED')
    const answer = await until(
      () => two.get('/v1/me', { key }),
      ({ status }) => status === 401,
    )
    expectError(answer, 'UNAUTHORIZED')
  })
})
