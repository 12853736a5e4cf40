import assert from 'node:assert/strict'
import { engines } from 'worklore-testing/engines'
import { describeConsole } from './console-stage.js'
import { eventually } from './eventually.js'
import { it, journey } from './journeys.js'

describeConsole('signing in to the console', engines.slice(0, 1), (stage) => {
  journey('works once with a link, which does not stay in the address', async () => {
    const { data } = await stage.wl.keys.list()
    const { path } = await stage.wl.keys.consoleLink(data[0]!.id)
    const page = await (await stage.window()).newPage()
    await page.goto(stage.service.baseUrl + path)
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    assert.doesNotMatch(page.url(), /link/)

    const second = await (await stage.window()).newPage()
    await second.goto(stage.service.baseUrl + path)
    await second.getByRole('alert').waitFor()
    assert.equal(await second.getByLabel('API key').count(), 1)
  })

  it('works with a link that is pasted into the address of the sign-in page, which says where one is used up', async () => {
    const { data } = await stage.wl.keys.list()
    const used = await stage.wl.keys.consoleLink(data[0]!.id)
    const first = await (await stage.window()).newPage()
    await first.goto(stage.service.baseUrl + used.path)
    await first.getByRole('heading', { name: 'Overview' }).waitFor()
    const page = await (await stage.window()).newPage()
    await page.goto(stage.url('usage'))
    await page.getByLabel('API key').waitFor()
    const paste = (path: string | null) =>
      page.evaluate(
        (hash) => {
          location.hash = hash
        },
        path!.slice(path!.indexOf('#')),
      )
    await paste(used.path)
    await page.getByRole('alert').getByText(/link/).waitFor()
    await paste((await stage.wl.keys.consoleLink(data[0]!.id, { expiresInSeconds: 86_400 })).path)
    await page.getByRole('heading', { name: 'Usage' }).waitFor()
    assert.doesNotMatch(page.url(), /link/)
  })

  it('asks before a link replaces the session of someone else', async () => {
    const { wl, service } = stage
    const user = await wl.users.create({ name: 'Mallory' })
    const other = await wl.keys.create({ name: 'of Mallory', scopes: ['tasks:read'], userId: user.id })
    const { path } = await wl.keys.consoleLink(other.id)
    const page = await stage.open('usage')
    const own = await page.evaluate(() => localStorage.getItem('worklore.session'))
    const dialog = page.getByRole('dialog', { name: 'Sign in as someone else?' })

    await page.goto(service.baseUrl + path)
    await dialog.getByText(/signed in as "admin".*signs you in as "of Mallory"/).waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: /admin/ }).waitFor()
    assert.equal(await page.evaluate(() => localStorage.getItem('worklore.session')), own)

    // Pasted into the open page, it only changes the part after the number sign.
    await page.evaluate((hash) => {
      location.hash = hash
    }, new URL(path!, service.baseUrl).hash)
    await dialog.getByRole('button', { name: 'Sign in with the link' }).click()
    await page.getByRole('button', { name: /Mallory/ }).waitFor()
    await dialog.waitFor({ state: 'detached' })
    assert.doesNotMatch(page.url(), /link/)
  })

  it('does not ask where a link is for the same person, also in a page that is open', async () => {
    const { data } = await stage.wl.keys.list()
    const admin = data.find(({ name }) => name === 'admin')!
    const { path } = await stage.wl.keys.consoleLink(admin.id)
    const page = await stage.open('usage')
    const own = await page.evaluate(() => localStorage.getItem('worklore.session'))
    await page.evaluate((hash) => {
      location.hash = hash
    }, new URL(path!, stage.service.baseUrl).hash)
    await eventually(() => page.evaluate((secret) => localStorage.getItem('worklore.session') !== secret, own))
    await page.getByRole('heading', { name: 'Usage' }).waitFor()
    assert.equal(await page.getByRole('dialog').count(), 0)
  })

  it('says what is wrong with a key, and keeps no key in the browser', async () => {
    const page = await (await stage.window()).newPage()
    await page.goto(stage.url(''))
    await page.getByLabel('API key').fill('wl_live_nonsense')
    await page.getByRole('button', { name: 'Sign in' }).click()
    assert.match((await page.getByRole('alert').textContent())!, /key/i)
    await page.getByLabel('API key').fill(stage.service.adminKey)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    assert.ok(!JSON.stringify(await page.evaluate(() => ({ ...localStorage }))).includes(stage.service.adminKey))
  })

  journey('ends with the session, wherever it was ended, and comes back to the same page', async () => {
    const page = await stage.open('usage')
    const { data } = await stage.wl.sessions.list()
    for (const { id } of data) await stage.wl.sessions.end(id)
    await page.getByText('Your session has ended').waitFor()
    await page.getByLabel('API key').fill(stage.service.adminKey)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Usage' }).waitFor()
    await page.getByRole('button', { name: /admin/ }).click()
    await page.getByRole('option', { name: 'Sign out' }).click()
    await page.getByLabel('API key').waitFor()
    assert.equal(await page.evaluate(() => localStorage.getItem('worklore.session')), null)
  })

  it('shows the frame of the page while the service is slow', async () => {
    const page = await stage.open('usage')
    await page.route('**/v1/me', () => undefined)
    await page.reload()
    await page.locator('.splash > div').first().waitFor()
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    // And before the script runs.
    await page.route('**/assets/*.js', () => undefined)
    await page.reload({ waitUntil: 'commit' })
    await page.waitForFunction(
      () => (document.querySelector('.splash > div')?.getBoundingClientRect().width ?? 0) > 200,
    )
    await page.unrouteAll({ behavior: 'ignoreErrors' })
  })

  it('is where a browser lands', async () => {
    const page = await (await stage.window()).newPage()
    await page.goto(stage.service.baseUrl)
    assert.equal(new URL(page.url()).pathname, '/console/')
  })
})
