import assert from 'node:assert/strict'
import { it } from 'node:test'
import { engines } from 'worklore/dist/test/engines.js'
import { describeConsole } from './console-stage.js'

describeConsole('signing in to the console', engines.slice(0, 1), (stage) => {
  it('works once with a link, which does not stay in the address', async () => {
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

  it('ends with the session, wherever it was ended, and comes back to the same page', async () => {
    const page = await stage.open('usage')
    const { data } = await stage.wl.sessions.list()
    for (const { id } of data) await stage.wl.sessions.end(id)
    await page.getByText('Your session has ended').waitFor({ timeout: 15_000 })
    await page.getByLabel('API key').fill(stage.service.adminKey)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Usage' }).waitFor()
    await page.getByRole('button', { name: /admin/ }).click()
    await page.getByRole('option', { name: 'Sign out' }).click()
    await page.getByLabel('API key').waitFor()
    assert.equal(await page.evaluate(() => localStorage.getItem('worklore.session')), null)
  })

  it('is where a browser lands', async () => {
    const page = await (await stage.window()).newPage()
    await page.goto(stage.service.baseUrl)
    assert.equal(new URL(page.url()).pathname, '/console/')
  })
})
