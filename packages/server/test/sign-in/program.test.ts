import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { engines } from 'worklore-testing/engines'
import { expectStatus } from 'worklore-testing/expect'
import { send } from 'worklore-testing/harness'
import { freePort, startProvider } from 'worklore-testing/oidc-provider'
import { environmentOf, serveProgram } from 'worklore-testing/program'
import { attempt, createBrowser, openWith } from './stage.js'

const adminKey = 'operator-of-sign-in-0123456789-abcdef'

describe('signing in to the program as it is installed', () => {
  it('works by its settings, and logs no code, token or secret', async (test) => {
    const store = await engines[0]!.createStore()
    test.after(() => store.remove())
    const port = await freePort()
    const serviceUrl = `http://127.0.0.1:${port}`
    const provider = await startProvider({ serviceUrl })
    test.after(() => provider.stop())
    provider.accounts.set('ada', { email: 'ada@example.com', email_verified: true, name: 'Ada' })
    const serving = await serveProgram(test, {
      ...environmentOf(store),
      PORT: String(port),
      LOG_LEVEL: 'trace',
      WORKLORE_ADMIN_KEY: adminKey,
      WORKLORE_URL: serviceUrl,
      WORKLORE_OIDC_ISSUER: provider.issuer,
      WORKLORE_OIDC_CLIENT_ID: provider.clientId,
      WORKLORE_OIDC_CLIENT_SECRET: provider.clientSecret,
      WORKLORE_OIDC_DOMAINS: 'example.com',
    })
    const stage = { wl: { baseUrl: serving.baseUrl } as never, provider }
    const { link, browser, callback, answer } = await attempt(stage, 'ada')
    assert.ok(link, answer.text)
    expectStatus(await openWith(stage, link, browser), 201)
    await createBrowser().get(callback)
    const token = `eyJhbGciOiJSUzI1NiJ9.${Buffer.from('{"iss":"x"}').toString('base64url')}.c2lnbmF0dXJl`
    await send(serving.baseUrl, 'GET', `/v1/nowhere/${token}`, { key: token })
    serving.signal('SIGTERM')
    const { stdout, stderr } = await serving.ended
    assert.match(stderr, /"\/console\/oidc\/callback"/)
    assert.match(stderr, /sign-in refused/)
    const { searchParams } = new URL(callback)
    const secrets = [searchParams.get('code')!, searchParams.get('state')!, link, token, provider.clientSecret]
    for (const secret of secrets) assert.ok(!(stdout + stderr).includes(secret))
  })
})
