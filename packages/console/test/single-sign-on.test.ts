import assert from 'node:assert/strict'
import { it } from 'node:test'
import { engines } from 'worklore-testing/engines'
import { startService, type TestService } from 'worklore-testing/harness'
import { freePort, startProvider, type TestProvider } from 'worklore-testing/oidc-provider'
import { describeConsoleOf } from './console-stage.js'

interface Served extends TestService {
  provider: TestProvider
}

const start = async (): Promise<Served> => {
  const port = await freePort()
  const publicUrl = `http://127.0.0.1:${port}`
  const provider = await startProvider({ serviceUrl: publicUrl, asks: true })
  const { issuer, clientId, clientSecret } = provider
  const issuerOfTest = { issuer, clientId, clientSecret, name: 'Acme', tenant: 'default', audience: undefined }
  const oidcIssuers = [{ ...issuerOfTest, domains: ['example.com'], roles: [], scope: 'openid profile email' }]
  const service = await startService(engines[0]!, { config: { port, publicUrl, oidcIssuers } })
  const stop = async (): Promise<void> => {
    await service.stop()
    await provider.stop()
  }
  return { ...service, provider, stop }
}

describeConsoleOf('single sign-on in a browser', engines.slice(0, 1), start, (stage) => {
  const open = async (path = '') => {
    const page = await (await stage.window()).newPage()
    await page.goto(stage.url(path))
    await page.getByRole('link', { name: 'Sign in with Acme' }).click()
    await page.getByRole('heading', { name: 'Choose an account' }).waitFor()
    return page
  }
  /** The issuer's pages are elsewhere, which no page of the console may be. */
  const forgetIssuer = () => {
    const own = stage.problems.filter((text) => !text.startsWith(`outside request: ${stage.service.provider.issuer}/`))
    stage.problems.splice(0, stage.problems.length, ...own)
  }

  it('signs a person in, and out again', async () => {
    stage.service.provider.accounts.set('ada', { email: 'ada@example.com', email_verified: true, name: 'Ada' })
    const page = await open()
    await page.getByRole('link', { name: 'ada' }).click()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    assert.doesNotMatch(page.url(), /link|code|state/)
    await page.getByRole('button', { name: /Ada/ }).click()
    await page.getByRole('option', { name: 'Sign out' }).click()
    await page.getByRole('link', { name: 'Sign in with Acme' }).waitFor()
    forgetIssuer()
  })

  it('leads back to the page that was asked for', async () => {
    stage.service.provider.accounts.set('ada', { email: 'ada@example.com', email_verified: true, name: 'Ada' })
    const page = await open('k?state=stale')
    const asked = stage.url('k?state=stale')
    await page.getByRole('link', { name: 'ada' }).click()
    await page.getByRole('button', { name: /Ada/ }).waitFor()
    assert.equal(page.url(), asked)
    forgetIssuer()
  })

  it('says what to do where a person has no access or cancels, and leads back', async () => {
    stage.service.provider.accounts.set('eve', { email: 'eve@elsewhere.org', email_verified: true })
    const page = await open()
    await page.getByRole('link', { name: 'eve' }).click()
    await page.getByText('Ask an admin to add a user with your e-mail address.').waitFor()
    // The page's own style is the only one it has.
    assert.notEqual(await page.locator('main').evaluate((main) => getComputedStyle(main).borderRadius), '0px')
    await page.getByRole('link', { name: 'Other ways to sign in' }).click()
    await page.getByLabel('API key').waitFor()

    const again = await open()
    await again.getByRole('link', { name: 'Cancel' }).click()
    await again.getByText(/cancelled or refused/).waitFor()
    forgetIssuer()
  })
})
