import assert from 'node:assert/strict'
import { it } from 'node:test'
import { engines } from 'worklore-testing/engines'
import { createKey, createProject, createTask, createUser } from 'worklore-testing/factories'
import { checkLooks, violationsIn } from './axe.js'
import { describeConsole } from './console-stage.js'
import { eventually } from './eventually.js'

describeConsole('pausing', engines.slice(0, 1), (stage) => {
  it('is asked for with a reason, shown live, and ended, by keyboard too', async () => {
    const { service, wl } = stage
    const project = await createProject(service, { key: 'STOP', name: 'Shop' })
    await createTask(service, 'STOP')
    const user = await createUser(service, { name: 'agent-7', kind: 'agent' })
    const agent = await createKey(service, { name: 'agent-7', userId: user.id, scopes: ['tasks:write'] })
    assert.equal((await service.post('/v1/tasks/next', {}, { key: agent.key })).status, 200)
    const page = await stage.open()
    const dialog = page.getByRole('dialog')
    const banner = page.locator('.pause-banner')

    await page.getByRole('button', { name: 'Pause everything' }).focus()
    await page.keyboard.press('Enter')
    await dialog.getByLabel('Reason').waitFor()
    await checkLooks(page)
    assert.ok(await dialog.getByRole('button', { name: 'Pause', exact: true }).isDisabled())
    await page.keyboard.type('Deploy freeze')
    await page.keyboard.press('Enter')
    await banner.getByText('Everything is paused by admin').waitFor()
    await dialog.waitFor({ state: 'detached' })
    assert.match(await banner.innerText(), /: Deploy freeze/)
    await checkLooks(page)
    assert.equal((await wl.tenant.get()).paused?.reason, 'Deploy freeze')
    assert.deepEqual(await violationsIn(page), [])
    assert.equal(await page.getByRole('button', { name: 'Pause everything' }).count(), 0)
    await banner.getByRole('button', { name: 'Resume Everything' }).press('Enter')
    await banner.waitFor({ state: 'detached' })
    assert.equal((await wl.tenant.get()).paused, null)

    const choose = async (menu: string, action: string): Promise<void> => {
      await page.getByRole('button', { name: menu }).press('Enter')
      await page.getByRole('option', { name: action }).click()
    }
    await choose('Actions on agent-7', 'Pause…')
    await dialog.getByLabel('Reason').fill('It loops')
    await page.keyboard.press('Enter')
    await page
      .getByRole('row', { name: /agent-7/ })
      .getByText('paused')
      .waitFor()
    await stage.go(page, `agents/${agent.id}`)
    await page.getByText('It loops').waitFor()
    assert.deepEqual(await violationsIn(page), [])
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.getByText('It loops').waitFor({ state: 'detached' })
    assert.equal((await wl.keys.get(agent.id)).paused, null)

    await stage.go(page, 'projects')
    await choose('Actions on STOP', 'Pause…')
    await dialog.getByLabel('Reason').fill('Moving house')
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'Shop paused' }).waitFor()
    assert.equal(await banner.count(), 0)
    assert.deepEqual(await violationsIn(page), [])
    await stage.go(page, 'p/STOP/board')
    await banner.getByText('Shop is paused by admin').waitFor()
    assert.deepEqual(await violationsIn(page), [])

    // What others do comes by itself.
    await wl.projects.update(project.id, { paused: null })
    await banner.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Pause the project' }).waitFor()
    await wl.tenant.update({ paused: { reason: 'From elsewhere' } })
    await banner.getByText('From elsewhere').waitFor()

    const member = await createKey(service, { scopes: ['tasks:write'] })
    const other = await stage.open('', { key: member.key, viewport: { width: 390, height: 800 } })
    await other.locator('.pause-banner').getByText('From elsewhere').waitFor()
    assert.equal(await other.getByRole('button', { name: /Pause|Resume/ }).count(), 0)
    assert.deepEqual(await violationsIn(other), [])
    const width = await other.evaluate(() => document.documentElement.scrollWidth)
    assert.equal(width, 390)
    await wl.tenant.update({ paused: null })
    await eventually(async () => (await other.locator('.pause-banner').count()) === 0)
  })
})
