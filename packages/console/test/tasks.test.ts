import assert from 'node:assert/strict'
import { before } from 'node:test'
import type { Page } from 'playwright-core'
import { enginesBehindService } from 'worklore-testing/engines'
import { describeConsole } from './console-stage.js'
import { eventually } from './eventually.js'
import { it, journey } from './journeys.js'

const column = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
const card = (page: Page, id: string) => page.locator(`[data-card="${id}"]`)

/** The pointer need not move first, or the first drag would be lost. */
const waitUntilDraggable = (page: Page): Promise<void> =>
  page.locator('[data-card="ACME-2"][draggable="true"]').waitFor()

describeConsole('tasks in the console', enginesBehindService, (stage) => {
  before(async () => {
    await stage.wl.projects.create({ key: 'ACME', name: 'Acme' })
    for (const title of ['Write the guide', 'Fix the login', 'Ship it'])
      await stage.wl.tasks.create({ projectId: 'ACME', title })
  })

  journey('are created, moved, assigned and undone by the keyboard alone', async () => {
    await stage.wl.users.create({ name: 'Ada' })
    const page = await stage.open('p/ACME/board')
    await card(page, 'ACME-1').waitFor()
    await page.keyboard.press('c')
    await page.getByRole('dialog').waitFor()
    await page.keyboard.type('Made by keys')
    await page.keyboard.press('Control+Enter')
    await card(page, 'ACME-4').waitFor()
    // The newest is at the bottom.
    for (const _ of ['ACME-1', 'ACME-2']) await page.keyboard.press('j')
    await page.keyboard.press('k')
    await page.keyboard.press('>')
    await column(page, 'In progress').locator('[data-card="ACME-1"]').waitFor()
    await eventually(async () => (await stage.wl.tasks.get('ACME-1')).status === 'in_progress')
    await page.keyboard.press('a')
    await page.getByRole('dialog', { name: 'Assign ACME-1' }).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await eventually(async () => (await stage.wl.tasks.get('ACME-1')).assignee?.name === 'Ada')
    await page.keyboard.press('u')
    await eventually(async () => (await stage.wl.tasks.get('ACME-1')).assignee === null)
    await page.keyboard.press('<')
    await column(page, 'To do').locator('[data-card="ACME-1"]').waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('complementary', { name: 'Task ACME-1' }).waitFor()
    assert.match(page.url(), /task=ACME-1/)
    await page.keyboard.press('Escape')
    await eventually(async () => !page.url().includes('task='))
  })

  it('are dragged to another column', async () => {
    const page = await stage.open('p/ACME/board')
    await waitUntilDraggable(page)
    const from = await card(page, 'ACME-2').boundingBox()
    const to = await column(page, 'In review').boundingBox()
    await page.mouse.move(from!.x + 60, from!.y + 50)
    await page.mouse.down()
    await page.mouse.move(from!.x + 90, from!.y + 60, { steps: 4 })
    await page.mouse.move(to!.x + 80, to!.y + 120, { steps: 8 })
    await page.mouse.up()
    await column(page, 'In review').locator('[data-card="ACME-2"]').waitFor()
    await eventually(async () => (await stage.wl.tasks.get('ACME-2')).status === 'in_review')
  })

  it('are dragged and opened as soon as the connection is back, though it was lost before', async () => {
    const page = await stage.open('p/ACME/board')
    await card(page, 'ACME-2').waitFor()
    await page.context().setOffline(true)
    await card(page, 'ACME-2').locator('.card-title').click()
    await page.waitForTimeout(300)
    await page.context().setOffline(false)
    await waitUntilDraggable(page)
    await page.getByRole('complementary', { name: 'Task ACME-2' }).getByRole('textbox', { name: 'Title' }).waitFor()
  })

  it('are dragged though a part of the console could not be loaded at first', async () => {
    const page = await stage.open('p/ACME/list')
    let failed = 0
    await page.route(/adapter.*\.js$/, (route) => (failed++ === 0 ? route.abort() : route.continue()))
    await page.goto(page.url().replace('/list', '/board'))
    await waitUntilDraggable(page)
    assert.equal(failed, 2)
  })

  it('go back with a message when the service refuses', async () => {
    const holder = await stage.wl.keys.create({ name: 'holder', scopes: ['tasks:write'] })
    const writer = await stage.wl.keys.create({ name: 'writer', scopes: ['tasks:write'] })
    await stage.service.post('/v1/tasks/ACME-3/claim', {}, { key: holder.key! })
    const page = await stage.open('p/ACME/board', { key: writer.key! })
    const claimed = column(page, 'In progress').locator('[data-card="ACME-3"]')
    await claimed.hover()
    await claimed.getByRole('button', { name: /Status/ }).click()
    await page.getByRole('option', { name: 'Done' }).click()
    await page
      .locator('.toast.error')
      .getByText(/ACME-3 was not changed/)
      .waitFor()
    await claimed.waitFor()
    assert.equal((await stage.wl.tasks.get('ACME-3')).status, 'in_progress')
  })

  it('are filtered, and the filter is in the address', async () => {
    const page = await stage.open('p/ACME/list?q=guide')
    await card(page, 'ACME-1').waitFor()
    assert.equal(await card(page, 'ACME-2').count(), 0)
    await page.keyboard.press('/')
    await page.keyboard.press('Control+a')
    await page.keyboard.type('login')
    await card(page, 'ACME-2').waitFor()
    await eventually(async () => page.url().includes('q=login'))
  })

  journey('are edited, commented and linked in the drawer, with all their text', async () => {
    await stage.wl.tasks.update('ACME-2', { description: 'See **ACME-1**.\n\n- [x] done\n\n```\ncode\n```' })
    const page = await stage.open('p/ACME/board?task=ACME-2')
    const drawer = page.getByRole('complementary', { name: 'Task ACME-2' })
    await drawer.getByRole('link', { name: 'ACME-1' }).waitFor()
    assert.equal(await drawer.locator('.prose input[type=checkbox]:checked').count(), 1)
    await drawer.getByRole('textbox', { name: 'Title' }).fill('Fix the login for good')
    await page.keyboard.press('Enter')
    await eventually(async () => (await stage.wl.tasks.get('ACME-2')).title === 'Fix the login for good')
    await drawer.getByLabel('Write a comment').fill('On it')
    await page.keyboard.press('Control+Enter')
    await drawer.locator('.comment').getByText('On it').waitFor()
    await drawer.getByRole('button', { name: 'Add a blocker' }).click()
    await drawer.getByLabel('Find the blocking task by id or title').fill('acme-1')
    await page.keyboard.press('Enter')
    await drawer.getByRole('region', { name: 'Blocked by' }).getByText('Write the guide').waitFor()
    await drawer.getByRole('button', { name: 'Add a subtask' }).click()
    await page.getByRole('dialog').getByLabel('Title').fill('A part of it')
    await page.keyboard.press('Control+Enter')
    await drawer.getByRole('region', { name: 'Subtasks' }).getByText('A part of it').waitFor()
    assert.equal((await stage.wl.tasks.get('ACME-2')).children.total, 1)
    assert.deepEqual((await stage.wl.tasks.get('ACME-2')).blockedBy, ['ACME-1'])
  })

  it('show the subtasks in the tree, and what was deleted while it was open as gone', async () => {
    const page = await stage.open('p/ACME/tree?task=ACME-5')
    const row = card(page, 'ACME-5')
    await row.waitFor()
    await page.getByRole('button', { name: 'Hide the subtasks of ACME-2' }).click()
    await row.waitFor({ state: 'detached' })
    await page.getByRole('complementary', { name: 'Task ACME-5' }).getByRole('textbox', { name: 'Title' }).waitFor()
    await stage.wl.tasks.delete('ACME-5')
    await page.getByText('ACME-5 was deleted').waitFor()
    await page.goto(stage.url('p/ACME/board?task=ACME-999'))
    await page.getByText('This does not exist, or your key may not see it').waitFor()
  })

  it('keep a conflicting edit of the description apart until it is decided', async () => {
    await stage.wl.tasks.update('ACME-4', { description: 'First' })
    const page = await stage.open('p/ACME/board?task=ACME-4')
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    const editor = page.getByRole('textbox', { name: 'Description of ACME-4' })
    await editor.click()
    await page.keyboard.press('Control+End')
    await page.keyboard.type(' and mine')
    await stage.wl.tasks.update('ACME-4', { description: 'Theirs' })
    await page.getByText(/saved version 3 while you were editing version 2/).waitFor()
    await page.getByText('Theirs', { exact: true }).waitFor()
    assert.equal((await stage.wl.tasks.get('ACME-4')).description, 'Theirs')
    await page.getByRole('button', { name: 'Keep mine' }).click()
    await eventually(async () => (await stage.wl.tasks.get('ACME-4')).description === 'First and mine')
  })
})
