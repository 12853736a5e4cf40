import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { engines } from 'worklore-testing/engines'
import { rowsOf, startService, type TestService } from 'worklore-testing/harness'
import { freePort } from 'worklore-testing/oidc-provider'
import { issuerOf } from '../../src/base/oidc-settings.js'
import { type HostileIssuer, startHostileIssuer } from './hostile-issuer.js'
import { createBrowser } from './stage.js'

const clientId = 'worklore'

describe('an issuer that answers wrongly', () => {
  let wl: TestService
  let issuer: HostileIssuer
  before(async () => {
    issuer = await startHostileIssuer(clientId)
    const port = await freePort()
    const oidcIssuers = [
      issuerOf({ issuer: issuer.issuer, clientId, clientSecret: 'secret', domains: ['example.com'] }),
    ]
    const config = { port, publicUrl: `http://127.0.0.1:${port}`, oidcIssuers }
    wl = await startService(engines[0]!, { config })
  })
  after(async () => {
    await wl.stop()
    await issuer.stop()
  })

  const attemptWith = async (wrong: Partial<Pick<HostileIssuer, 'claims' | 'userInfo' | 'callback' | 'signer'>>) => {
    Object.assign(issuer, { claims: {}, userInfo: {}, callback: {}, signer: undefined }, wrong)
    const browser = createBrowser()
    return browser.follow(`${wl.baseUrl}/console/oidc/login`, /#link=/)
  }

  const nowSeconds = Math.floor(Date.now() / 1_000)
  const wrong: Record<string, Parameters<typeof attemptWith>[0]> = {
    'another issuer in the token': { claims: { iss: 'https://issuer.example' } },
    'another audience': { claims: { aud: 'another-client' } },
    'several audiences, and another party': { claims: { aud: [clientId, 'another'], azp: 'another' } },
    'no nonce': { claims: { nonce: undefined } },
    'another nonce': { claims: { nonce: 'x'.repeat(43) } },
    'no subject': { claims: { sub: undefined } },
    'an endless subject': { claims: { sub: 'x'.repeat(300) } },
    'an address that userinfo verifies for another': {
      claims: { email: 'ada@example.com', email_verified: undefined },
      userInfo: { email: 'eve@evil.example', email_verified: true },
    },
    'an address of userinfo that the token verifies': {
      claims: { email: undefined, email_verified: true, xms_edov: true },
      userInfo: { email: 'ada@example.com' },
    },
    'an address that is not verified, of an owned domain': { claims: { email_verified: false, xms_edov: true } },
    'a token that has ended': { claims: { exp: nowSeconds - 120, iat: nowSeconds - 400 } },
    'a token of the future': { claims: { nbf: nowSeconds + 86_400 } },
    'a foreign signature': { signer: generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey },
    'another issuer in the response': { callback: { iss: 'https://issuer.example' } },
    'no issuer in the response': { callback: { iss: undefined } },
    'another state': { callback: { state: 'x'.repeat(43) } },
    'no state': { callback: { state: undefined } },
    'no code': { callback: { code: undefined } },
    'an error': { callback: { code: undefined, error: 'access_denied' } },
    'an error with markup': {
      callback: { code: undefined, error: 'x', error_description: '<script>alert(1)</script>' },
    },
  }
  for (const [what, how] of Object.entries(wrong)) {
    it(`signs nobody in: ${what}`, async () => {
      const answer = await attemptWith(how)
      assert.equal(answer.status, 403, answer.text)
      assert.match(answer.text, /You are not signed in/)
      assert.ok(!answer.text.includes('<script>'))
      assert.deepEqual(await rowsOf(wl, 'select * from user_identities'), [])
    })
  }

  it('may have a clock that is off by less than a minute', async () => {
    const inSeconds = (seconds: number): number => Math.floor(wl.service.core.clock() / 1_000) + seconds
    const times = { iat: inSeconds(50), nbf: inSeconds(50), exp: inSeconds(400) }
    assert.match((await attemptWith({ claims: times })).location, /#link=/)
    // Read when the token is signed.
    const ended = {
      iat: inSeconds(-300),
      get exp() {
        return inSeconds(-50)
      },
    }
    assert.match((await attemptWith({ claims: ended })).location, /#link=/)
  })
})
