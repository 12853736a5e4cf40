import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import type { Page } from 'playwright-core'
import { engines } from 'worklore-testing/engines'
import { describeConsole } from './console-stage.js'
import { eventually } from './eventually.js'

const composer = (page: Page) => page.getByRole('complementary').getByLabel('Write a comment')
const draftsOf = (page: Page) =>
  page.evaluate(() => Object.keys(localStorage).filter((name) => name.includes('draft')).length)

describeConsole('drafts in the console', engines.slice(0, 1), (stage) => {
  before(async () => {
    await stage.wl.projects.create({ key: 'ACME', name: 'Acme' })
    for (const title of ['Write the guide', 'Fix the login']) await stage.wl.tasks.create({ projectId: 'ACME', title })
  })

  it('keep a half-written comment through closing, navigation and reloading, until it is sent', async () => {
    const page = await stage.open('p/ACME/board?task=ACME-1')
    await composer(page).fill('Half a')
    await page.getByRole('button', { name: 'Close', exact: true }).click()
    await composer(page).waitFor({ state: 'detached' })
    await page.locator('[data-card="ACME-2"]').click()
    await page.getByRole('complementary', { name: 'Task ACME-2' }).waitFor()
    assert.equal(await composer(page).inputValue(), '')
    await stage.go(page, 'usage')
    await stage.go(page, 'p/ACME/board?task=ACME-1')
    await eventually(async () => (await composer(page).inputValue()) === 'Half a')
    await composer(page).press('End')
    await page.keyboard.type(' thought')
    await page.reload()
    await eventually(async () => (await composer(page).inputValue()) === 'Half a thought')
    await composer(page).press('Control+Enter')
    await page.locator('.comment').getByText('Half a thought').waitFor()
    // Its event may be here before the answer.
    await eventually(async () => (await composer(page).inputValue()) === '')
    await eventually(async () => (await draftsOf(page)) === 0)
    await page.reload()
    await composer(page).waitFor()
    assert.equal(await composer(page).inputValue(), '')
  })

  it('are sent while the earlier comments are still loading, and shown with them', async () => {
    const page = await stage.open('p/ACME/board')
    let release = (): void => {}
    const released = new Promise<void>((done) => {
      release = done
    })
    await page.route('**/v1/tasks/ACME-1/comments?*', async (route) => {
      await released
      await route.continue()
    })
    await page.locator('[data-card="ACME-1"]').click()
    await composer(page).fill('Sent early')
    await composer(page).press('Control+Enter')
    await eventually(async () => (await composer(page).inputValue()) === '')
    release()
    await page.locator('.comment').getByText('Sent early').waitFor()
  })

  it('keep a comment when the key is revoked, for the next key of the same person', async () => {
    const { id: userId } = await stage.wl.users.create({ name: 'Ada' })
    const [revoked, next] = [
      await stage.wl.keys.create({ name: 'lost', scopes: ['tasks:write'], userId }),
      await stage.wl.keys.create({ name: 'next', scopes: ['tasks:write'], userId }),
    ]
    const page = await stage.open('p/ACME/board?task=ACME-2', { key: revoked.key! })
    await composer(page).fill('Not lost')
    await stage.wl.keys.delete(revoked.id)
    await page.getByText('Your session has ended').waitFor()
    const signIn = async (key: string): Promise<void> => {
      await page.getByLabel('API key').fill(key)
      await page.getByRole('button', { name: 'Sign in' }).click()
    }
    await signIn(next.key!)
    await eventually(async () => (await composer(page).inputValue()) === 'Not lost')
    await page.getByTitle('Account').click()
    await page.getByRole('option', { name: 'Sign out' }).click()
    await page.getByText('1 unsent draft in this browser will be deleted.').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('API key').waitFor()
    assert.equal(await draftsOf(page), 0)
    await signIn(stage.service.adminKey)
    await composer(page).waitFor()
    assert.equal(await composer(page).inputValue(), '')
  })

  it('keep an edit of a comment', async () => {
    await stage.wl.tasks.comments('ACME-2').create({ body: 'Base' })
    const page = await stage.open('p/ACME/board?task=ACME-2')
    await page.getByRole('button', { name: 'Actions on this comment' }).click()
    await page.getByRole('option', { name: 'Edit' }).click()
    await page.keyboard.type(' and more')
    await page.getByRole('button', { name: 'Close', exact: true }).click()
    await page.locator('[data-card="ACME-2"]').click()
    await eventually(async () => (await page.getByLabel('Edit the comment').inputValue()) === 'Base and more')
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.locator('.comment').getByText('Base', { exact: true }).waitFor()
    assert.equal(await draftsOf(page), 0)
  })

  it('keep a new task that was not created, until it is cleared or created', async () => {
    const page = await stage.open('p/ACME/board')
    const dialog = page.getByRole('dialog', { name: 'New task' })
    const reopen = async (): Promise<void> => {
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })
      await page.keyboard.press('c')
      await dialog.waitFor()
    }
    await page.locator('[data-card="ACME-1"]').waitFor()
    await page.keyboard.press('c')
    await dialog.getByLabel('Title').fill('An idea')
    await dialog.getByLabel('Description').fill('In two lines')
    await dialog.getByRole('button', { name: 'Medium' }).click()
    await page.getByRole('option', { name: 'Urgent' }).click()
    await reopen()
    assert.equal(await dialog.getByLabel('Title').inputValue(), 'An idea')
    assert.equal(await dialog.getByLabel('Description').inputValue(), 'In two lines')
    await dialog.getByRole('button', { name: 'Urgent' }).waitFor()
    await dialog.getByRole('button', { name: 'Clear' }).click()
    assert.equal(await dialog.getByLabel('Title').inputValue(), '')
    await reopen()
    assert.equal(await dialog.getByLabel('Title').inputValue(), '')
    await dialog.getByLabel('Title').fill('Another idea')
    await reopen()
    // Typed without leaving the field: it must be part of the task all the same.
    await dialog.getByLabel('Due date', { exact: true }).focus()
    await page.keyboard.type('05172031')
    await page.keyboard.press('Control+Enter')
    await dialog.waitFor({ state: 'detached' })
    const { data } = await stage.wl.tasks.list({ projectId: 'ACME' })
    const task = data.find(({ title }) => title === 'Another idea')
    assert.equal(task?.dueDate?.slice(0, 10), '2031-05-17')
    await page.keyboard.press('c')
    await dialog.waitFor()
    assert.equal(await dialog.getByLabel('Title').inputValue(), '')
    assert.equal(await draftsOf(page), 0)
  })

  it('are stored under the person who wrote them', async () => {
    const page = await stage.open('p/ACME/board?task=ACME-1')
    await composer(page).fill('By this person')
    const { tenant, user, key } = await stage.wl.me()
    const names = await page.evaluate(() => Object.keys(localStorage).filter((name) => name.includes('draft')))
    assert.ok(names.length > 0 && names.every((name) => name.includes(`${tenant.id}.${user?.id ?? key.id}.`)))
  })

  it('of another tab survive when a comment on the same task is sent', async () => {
    const page = await stage.open('p/ACME/board?task=ACME-1')
    const other = await page.context().newPage()
    await other.goto(page.url())
    await composer(page).fill('Sent here')
    await composer(other).fill('Written there')
    await composer(page).press('Control+Enter')
    await page.locator('.comment').getByText('Sent here').waitFor()
    await eventually(async () => (await composer(page).inputValue()) === '')
    await other.reload()
    await eventually(async () => (await composer(other).inputValue()) === 'Written there')
  })
})
