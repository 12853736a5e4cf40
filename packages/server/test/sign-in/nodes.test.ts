import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { engines } from 'worklore-testing/engines'
import { expectError, expectStatus } from 'worklore-testing/expect'
import { startService } from 'worklore-testing/harness'
import { freePort, startProvider } from 'worklore-testing/oidc-provider'
import { issuerOf } from '../../src/base/oidc-settings.js'
import { attempt, openWith, signInAt, startStage } from './stage.js'

const ada = { email: 'ada@example.com', email_verified: true, name: 'Ada' }

describe('signing in across nodes and outages', () => {
  for (const engine of engines.filter(({ name }) => name === 'postgres')) {
    it('begins at one node and ends at another', async () => {
      const stage = await startStage(engine)
      const { wl, provider } = stage
      const { config } = wl.service.core
      const other = await startService(engine, {
        store: wl.store,
        config: { publicUrl: config.publicUrl, oidcIssuers: config.oidcIssuers },
      })
      provider.accounts.set('ada', ada)
      const { callback, browser } = await signInAt(stage, 'ada')
      // As a balancer would: the same address for the browser, another node behind it.
      const url = new URL(callback)
      const answer = await other.get(url.pathname + url.search, {
        key: null,
        headers: { cookie: browser.cookieHeader(wl.baseUrl) },
      })
      assert.equal(answer.status, 302)
      const host = new URL(wl.baseUrl).host
      for (const line of answer.headers['set-cookie'] ?? []) {
        const [name, value] = line.split(';', 1)[0]!.split('=') as [string, string]
        browser.cookies.set(`${host} ${name}`, value)
      }
      const link = /#link=(\w+)/.exec(String(answer.headers.location))![1]!
      expectStatus(await openWith(stage, link, browser), 201)
      await other.stop()
      await wl.stop()
      await provider.stop()
    })
  }

  it('starts and works with keys while the issuer is down, and signs in when it is back', async () => {
    const [port, providerPort] = [await freePort(), await freePort()]
    const serviceUrl = `http://127.0.0.1:${port}`
    const issuer = `http://127.0.0.1:${providerPort}`
    const client = { clientId: 'worklore-test', clientSecret: 'client-secret-0123456789-0123456789' }
    const oidcIssuers = [issuerOf({ issuer, ...client, domains: ['example.com'] })]
    const wl = await startService(engines[0]!, { config: { port, publicUrl: serviceUrl, oidcIssuers } })
    expectStatus(await wl.get('/v1/me'), 200)
    const down = await wl.get('/console/oidc/login', { key: null })
    assert.equal(down.status, 503)
    assert.match(down.text, /does not answer/)
    const claims = Buffer.from(JSON.stringify({ iss: issuer })).toString('base64url')
    expectError(await wl.get('/v1/me', { key: `eyJhbGciOiJSUzI1NiJ9.${claims}.x` }), 'SERVICE_UNAVAILABLE')
    const provider = await startProvider({ serviceUrl, port: providerPort })
    provider.accounts.set('ada', ada)
    const { link, browser, answer } = await attempt({ wl, provider }, 'ada')
    assert.ok(link, answer.text)
    expectStatus(await openWith({ wl, provider }, link, browser), 201)
    await wl.stop()
    await provider.stop()
  })

  for (const offMs of [-50_000, 50_000]) {
    it(`works with a clock that is off by ${offMs / 1_000} s`, async () => {
      const stage = await startStage(engines[0]!)
      stage.provider.accounts.set('ada', ada)
      stage.wl.passTime(offMs)
      const { link, browser, answer } = await attempt(stage, 'ada')
      assert.ok(link, answer.text)
      expectStatus(await openWith(stage, link, browser), 201)
      await stage.wl.stop()
      await stage.provider.stop()
    })
  }

  it('is refused where the tenant does not exist', async () => {
    const stage = await startStage(engines[0]!, { issuer: { tenant: 'missing' } })
    stage.provider.accounts.set('ada', ada)
    const { answer } = await attempt(stage, 'ada')
    assert.equal(answer.status, 403)
    assert.match(answer.text, /tenant of this sign-in does not exist/)
    await stage.wl.stop()
    await stage.provider.stop()
  })
})
