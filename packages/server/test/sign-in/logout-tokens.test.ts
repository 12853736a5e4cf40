import assert from 'node:assert/strict'
import { it } from 'node:test'
import { expectError, expectStatus } from 'worklore-testing/expect'
import { rowsOf, send, startService, type TestService } from 'worklore-testing/harness'
import { describeSignIn, nowSeconds, signedIn, signToken } from './stage.js'

describeSignIn('logout tokens of an issuer', (stage, engine) => {
  it('are accepted once, on every node, and only with an id', async () => {
    const { wl, provider } = stage
    const { config } = wl.service.core
    const other = await startService(engine, {
      store: wl.store,
      config: { publicUrl: config.publicUrl, oidcIssuers: config.oidcIssuers },
    })
    provider.accounts.set('ada', { email: 'ada@example.com', email_verified: true, name: 'Ada' })
    const event = 'http://schemas.openid.net/event/backchannel-logout'
    const logoutToken = (jti: unknown, iat = nowSeconds()) =>
      signToken(stage, { aud: provider.clientId, jti, iat, exp: iat + 120, events: { [event]: {} } })
    const post = ({ baseUrl }: TestService, token: string) =>
      send(baseUrl, 'POST', '/console/oidc/logout', {
        rawBody: `logout_token=${token}`,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      })
    let aheadMs = 0
    try {
      const token = await logoutToken('once')
      assert.equal((await post(wl, token)).status, 200)
      const ada = await signedIn(stage, 'ada')
      for (const node of [wl, other]) {
        const answer = await post(node, token)
        assert.deepEqual([answer.status, answer.body.error], [400, 'invalid_request'])
      }
      expectStatus(await ada.get('/v1/me'), 200)
      for (const jti of [undefined, 7]) assert.equal((await post(wl, await logoutToken(jti))).status, 400)
      // A used token is deleted once it is too old to be accepted anyway.
      aheadMs = 400_000
      wl.passTime(aheadMs)
      assert.equal((await post(wl, token)).status, 400)
      assert.equal((await post(wl, await logoutToken('later', nowSeconds() + 400))).status, 200)
      assert.equal((await rowsOf(wl, 'select * from logout_tokens')).length, 1)
      expectError(await ada.get('/v1/me'), 'UNAUTHORIZED')
    } finally {
      wl.passTime(-aheadMs)
      await other.stop()
    }
  })
})
