import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { enginesBehindService } from 'worklore-testing/engines'
import { describeConsole } from './console-stage.js'
import { eventually } from './eventually.js'

describeConsole('moving tasks in the console', enginesBehindService, (stage) => {
  before(async () => {
    await stage.wl.projects.create({ key: 'ACME', name: 'Acme' })
    await stage.wl.projects.create({ key: 'SHOP', name: 'Web shop' })
    await stage.wl.tasks.create({ projectId: 'ACME', title: 'Checkout lantern' })
    await stage.wl.tasks.create({ projectId: 'ACME', title: 'Its part', parentId: 'ACME-1' })
    await stage.wl.tasks.create({ projectId: 'ACME', title: 'Stays', externalId: 'x-1' })
    await stage.wl.tasks.create({ projectId: 'SHOP', title: 'Taken', externalId: 'x-1' })
  })

  it('moves a task with its subtasks, shows it under its project, and moves it back', async () => {
    const shop = await stage.wl.projects.get('SHOP')
    const acme = await stage.wl.projects.get('ACME')
    const page = await stage.open('p/ACME/board?task=ACME-1')
    const drawer = page.getByRole('complementary', { name: 'Task ACME-1' })
    await drawer.getByRole('link', { name: 'Acme', exact: true }).waitFor()
    await drawer.getByRole('button', { name: 'Actions on ACME-1' }).click()
    await page.getByRole('option', { name: 'Move to project…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Move ACME-1 to project' })
    await dialog.getByText('Its 1 subtask and all below go along.').waitFor()
    await dialog.getByText('The id stays ACME-1').waitFor()
    await dialog.getByRole('option', { name: 'Web shop' }).click()
    await drawer.getByRole('link', { name: 'Web shop' }).waitFor()
    for (const id of ['ACME-1', 'ACME-2']) assert.equal((await stage.wl.tasks.get(id)).projectId, shop.id)
    for (const id of ['ACME-1', 'ACME-2'])
      await page.locator(`.board [data-card="${id}"]`).waitFor({ state: 'detached' })
    await drawer.getByRole('link', { name: 'Web shop' }).click()
    for (const id of ['ACME-1', 'ACME-2', 'SHOP-1']) await page.locator(`.board [data-card="${id}"]`).waitFor()
    await stage.go(page, 'search?q=lantern')
    await page.locator('.hit', { hasText: 'ACME-1' }).getByText('Web shop').waitFor()
    await page.keyboard.press('Escape')
    await page.locator('h1').click()
    await page.keyboard.press('u')
    await eventually(async () => (await stage.wl.tasks.get('ACME-2')).projectId === acme.id)
  })

  it('says in words why it is refused', async () => {
    const page = await stage.open('p/ACME/board?task=ACME-3')
    await page.getByRole('complementary', { name: 'Task ACME-3' }).getByRole('textbox', { name: 'Title' }).waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Search and commands' }).fill('move')
    await page.getByRole('option', { name: 'Move ACME-3 to project…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Move ACME-3 to project' })
    await dialog.getByRole('option', { name: 'Web shop' }).click()
    await dialog.getByRole('alert').getByText('SHOP-1 in that project has the same external id.').waitFor()
    assert.equal((await stage.wl.tasks.get('ACME-3')).projectId, (await stage.wl.projects.get('ACME')).id)
  })

  it('shows what others move, as it happens', async () => {
    const { id } = await stage.wl.tasks.create({ projectId: 'ACME', title: 'Wanders' })
    const page = await stage.open('p/ACME/board')
    const shop = await stage.tab(page, 'p/SHOP/board')
    await page.locator(`[data-card="${id}"]`).waitFor()
    await stage.wl.tasks.move(id, 'SHOP')
    await page.locator(`[data-card="${id}"]`).waitFor({ state: 'detached' })
    await shop.locator(`[data-card="${id}"]`).waitFor()
  })
})
