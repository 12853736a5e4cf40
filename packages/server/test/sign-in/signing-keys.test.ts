import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { it } from 'node:test'
import { expectError, expectStatus } from 'worklore-testing/expect'
import { attempt, describeSignIn, type SignedChange, signToken } from './stage.js'

describeSignIn('the signing keys of an issuer', (stage) => {
  const me = async (...change: SignedChange) => stage.wl.get('/v1/me', { key: await signToken(stage, ...change) })
  const stranger = generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey
  const claims = { email: 'ada@example.com', email_verified: true }

  it('that cannot be looked up are no fault of the token', async () => {
    const { provider } = stage
    expectStatus(await me(claims), 200)
    provider.failingPath = '/jwks'
    try {
      for (let at = 0; at < 8; at++) {
        expectError(await me({}, { kid: `unknown-${at}` }, stranger), 'SERVICE_UNAVAILABLE')
      }
      expectStatus(await me(claims), 200)
    } finally {
      provider.failingPath = undefined
    }
  })

  it('are looked up for a sign-in, however many tokens with made-up keys there were', async () => {
    const { provider } = stage
    for (let at = 0; at < 8; at++) await me({}, { kid: `made-up-${at}` }, stranger)
    provider.accounts.set('ada', claims)
    provider.rotateKeys()
    const { link, answer } = await attempt(stage, 'ada')
    assert.ok(link, answer.text)
    // The look-ups of tokens are used up.
    expectError(await me(claims), 'SERVICE_UNAVAILABLE')
  })
})
