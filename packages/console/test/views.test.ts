import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import type { Page } from 'playwright-core'
import { engines } from 'worklore-testing/engines'
import { describeConsole } from './console-stage.js'
import { eventually } from './eventually.js'

describeConsole('views as links', engines.slice(0, 1), (stage) => {
  let adaKey = ''

  before(async () => {
    const { wl } = stage
    await wl.projects.create({ key: 'VIEW', name: 'Views' })
    const ada = await wl.users.create({ name: 'Ada', kind: 'human' })
    adaKey = (await wl.keys.create({ name: 'Ada’s key', scopes: ['tasks:write'], userId: ada.id })).key!
    await wl.tasks.create({ projectId: 'VIEW', title: 'Hers', assigneeId: ada.id, priority: 'high' })
    await wl.tasks.create({ projectId: 'VIEW', title: 'Nobody’s' })
    await stage.service.post('/v1/tasks', { projectId: 'VIEW', title: 'Made by her' }, { key: adaKey })
  })

  const card = (page: Page, id: string) => page.locator(`[data-card="${id}"]`)

  it('filters by who is signed in and by who created it', async () => {
    const page = await stage.open('p/VIEW/list', { key: adaKey })
    await card(page, 'VIEW-2').waitFor()
    await page.getByRole('button', { name: 'Assignee', exact: true }).click()
    await page.getByRole('option', { name: 'Me' }).click()
    await eventually(async () => page.url().includes('assignee=me'))
    await card(page, 'VIEW-2').waitFor({ state: 'detached' })
    await card(page, 'VIEW-1').waitFor()
    await stage.go(page, 'p/VIEW/list?createdBy=me')
    await card(page, 'VIEW-1').waitFor({ state: 'detached' })
    await card(page, 'VIEW-3').waitFor()
    await stage.service.post('/v1/tasks', { projectId: 'VIEW', title: 'Made by her too' }, { key: adaKey })
    await card(page, 'VIEW-4').waitFor()
    await stage.go(page, 'p/VIEW/board?createdBy=key_unknown')
    await page.getByText('No tasks match the filters').waitFor()
    assert.equal(await page.locator('[data-card]').count(), 0)
  })

  it('lets an admin choose among all keys that create tasks', async () => {
    const page = await stage.open('p/VIEW/board')
    await card(page, 'VIEW-1').waitFor()
    await page.getByRole('button', { name: 'Filter', exact: true }).click()
    await page.getByRole('option', { name: 'Created by' }).click()
    await page.getByRole('option', { name: 'Ada’s key' }).click()
    await card(page, 'VIEW-1').waitFor({ state: 'detached' })
    await card(page, 'VIEW-3').waitFor()
    assert.match(page.url(), /createdBy=key_/)
  })

  it('sorts as the address says', async () => {
    const page = await stage.open('p/VIEW/list?sort=createdAt&q=made')
    await card(page, 'VIEW-4').waitFor()
    const titles = await page.locator('.task-row-title').allTextContents()
    assert.deepEqual(titles, ['Made by her too', 'Made by her'])
    await stage.go(page, 'p/VIEW/list?sort=nonsense')
    await page.getByRole('button', { name: 'Sort: Priority' }).waitFor()
  })

  it('keeps favourites in the sidebar: added, opened, renamed and removed', async () => {
    const page = await stage.open('p/VIEW/list?sort=rank&priority=high&task=VIEW-1')
    const favourites = page.getByRole('region', { name: 'Favourites' })
    // The drawer is above it, and takes the focus when it opens.
    await page.locator('.drawer:focus').waitFor()
    await page.getByRole('button', { name: 'Add to favourites' }).press('Enter')
    const link = favourites.getByRole('link', { name: 'Views list, High' })
    await link.waitFor()
    assert.equal(await link.getAttribute('aria-current'), 'page')
    await page.getByRole('button', { name: 'Remove from favourites' }).waitFor()
    await stage.go(page, '')
    await link.click()
    await page.getByRole('button', { name: 'Sort: Manual order' }).waitFor()
    assert.match(page.url(), /\/p\/VIEW\/list\?priority=high&sort=rank$/)
    await favourites.getByRole('button', { name: 'Actions on Views list, High' }).click()
    await page.getByRole('option', { name: 'Rename' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('Hot')
    await page.keyboard.press('Enter')
    await favourites.getByRole('link', { name: 'Hot' }).waitFor()
    await page.reload()
    await favourites.getByRole('link', { name: 'Hot' }).waitFor()
    const other = await stage.tab(page, 'p/VIEW/board')
    await other.getByRole('region', { name: 'Favourites' }).getByRole('link', { name: 'Hot' }).waitFor()
    await page.getByRole('button', { name: 'Remove from favourites' }).click()
    await favourites.waitFor({ state: 'detached' })
    await other.getByRole('region', { name: 'Favourites' }).waitFor({ state: 'detached' })
  })

  it('keeps the favourites of each person apart, and no more than 50', async () => {
    const page = await stage.open('p/VIEW/board')
    await page.getByRole('button', { name: 'Add to favourites' }).click()
    await page.getByRole('region', { name: 'Favourites' }).waitFor()
    await page.evaluate(() => {
      const key = Object.keys(localStorage).find((name) => name.startsWith('worklore.favourites.'))!
      const many = Array.from({ length: 60 }, (_, index) => ({
        name: `View ${index}`,
        address: `/p/VIEW/list?q=${index}`,
      }))
      localStorage.setItem(key, JSON.stringify([{ name: 'Bad', address: 'javascript:alert(1)' }, null, ...many]))
    })
    await page.reload()
    await page.getByRole('link', { name: 'View 49' }).waitFor()
    assert.equal(await page.locator('.nav-favourite').count(), 50)
    await page.getByRole('button', { name: 'Add to favourites' }).click()
    await page.locator('.toast.error').getByText('Remove a favourite first').waitFor()
    const storage = await page.context().storageState()
    const hers = await stage.open('p/VIEW/board', {
      key: adaKey,
      storageState: {
        cookies: [],
        origins: storage.origins.map((origin) => ({
          ...origin,
          localStorage: origin.localStorage.filter(({ name }) => name.startsWith('worklore.favourites.')),
        })),
      },
    })
    await card(hers, 'VIEW-1').waitFor()
    assert.equal(await hers.locator('.nav-favourite').count(), 0)
  })
})
