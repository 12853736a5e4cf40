import assert from 'node:assert/strict'
import { it } from 'node:test'
import { expectError } from 'worklore-testing/expect'
import { send, type TestService } from 'worklore-testing/harness'
import { describeService } from 'worklore-testing/service-suite'
import { newSecret } from '../../src/base/secret.js'

const unknownKeys = 1_500
const atOnce = 25

const statementCount = async (wl: TestService): Promise<number> => {
  const { text } = await wl.get('/metrics', { key: null })
  return Number(/^worklore_storage_statement_duration_seconds_count(?:\{\})? (\d+)$/m.exec(text)![1])
}

/** What the service's own rounds ask of the store, however long the flood lasts on a busy machine. */
const backgroundStatementsPerMs = async (wl: TestService): Promise<number> => {
  const [before, startedAtMs] = [await statementCount(wl), performance.now()]
  await new Promise((resolve) => setTimeout(resolve, 2_000))
  return ((await statementCount(wl)) - before) / (performance.now() - startedAtMs)
}

const flood = async (wl: TestService): Promise<Map<number, number>> => {
  const statuses = new Map<number, number>()
  let left = unknownKeys
  const one = async (): Promise<void> => {
    for (; left > 0; left--) {
      const { status } = await send(wl.baseUrl, 'GET', '/v1/me', { key: newSecret() })
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, one))
  return statuses
}

describeService('a flood of unknown keys from one address', (wl) => {
  it('costs a bounded number of look-ups, and keys in use still get in', async () => {
    assert.equal((await wl.get('/v1/me')).status, 200)
    const made = await wl.post('/v1/keys', { name: 'agent', scopes: ['tasks:read'] })
    const background = await backgroundStatementsPerMs(wl)
    const before = await statementCount(wl)
    const startedAtMs = performance.now()
    const statuses = await flood(wl)
    const lastedMs = performance.now() - startedAtMs
    assert.equal(statuses.get(401), 60)
    assert.ok(statuses.get(429)! >= unknownKeys - 60)
    const statements = (await statementCount(wl)) - before - background * lastedMs
    assert.ok(statements < 500, `${statements} statements for ${unknownKeys} unknown keys`)

    // The look-up of a key in use is fresh for three seconds.
    await new Promise((resolve) => setTimeout(resolve, 3_200))
    assert.equal((await wl.get('/v1/me')).status, 200)
    const stranger = await send(wl.baseUrl, 'GET', '/v1/me', { key: newSecret() })
    expectError(stranger, 'RATE_LIMIT_EXCEEDED')

    // The next minute.
    wl.passTime(61_000)
    assert.equal((await wl.get('/v1/me', { key: made.body.data.key })).status, 200)
  })
})

describeService('an address over its limit', (wl) => {
  it('still gets in with a key that was never used before', async () => {
    const made = await wl.post('/v1/keys', { name: 'agent', scopes: ['tasks:read'] })
    for (let at = 0; at < 100; at++) await send(wl.baseUrl, 'GET', '/v1/me', { key: newSecret() })
    expectError(await send(wl.baseUrl, 'GET', '/v1/me', { key: newSecret() }), 'RATE_LIMIT_EXCEEDED')
    assert.equal((await wl.get('/v1/me', { key: made.body.data.key })).status, 200)
  })
})
