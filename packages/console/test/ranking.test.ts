import assert from 'node:assert/strict'
import { beforeEach } from 'node:test'
import type { Page } from 'playwright-core'
import { enginesBehindService } from 'worklore-testing/engines'
import { describeConsole } from './console-stage.js'
import { eventually } from './eventually.js'
import { it, journey } from './journeys.js'

const column = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
const titlesIn = (page: Page, name: string): Promise<string[]> =>
  column(page, name).locator('.card-title').allTextContents()

describeConsole('ordering by hand in the console', enginesBehindService, (stage) => {
  let projects = 0
  let key = ''

  beforeEach(async () => {
    key = `ORD${++projects}`
    await stage.wl.projects.create({ key, name: `Order ${projects}` })
    for (const title of ['A', 'B', 'C', 'D']) await stage.wl.tasks.create({ projectId: key, title })
  })

  const id = (title: string): string => `${key}-${'ABCD'.indexOf(title) + 1}`
  const shows = (page: Page, order: string, name = 'To do'): Promise<void> =>
    eventually(async () => (await titlesIn(page, name)).join('') === order)
  const isStored = (order: string): Promise<void> =>
    eventually(async () => {
      const { data } = await stage.wl.tasks.list({ projectId: key, sort: 'rank' })
      return data.map(({ title }) => title).join('') === order
    })
  const open = async (path = `p/${key}/board`): Promise<Page> => {
    const page = await stage.open(path)
    await page.locator(`[data-card="${id('D')}"]`).waitFor()
    return page
  }

  /** Drags a card to the upper or lower part of another one. */
  const drag = async (page: Page, from: string, to: string, part: number): Promise<void> => {
    const source = (await page.locator(`[data-card="${id(from)}"]`).boundingBox())!
    await page.mouse.move(source.x + 60, source.y + source.height - 4)
    await page.locator(`[data-card="${id(from)}"][draggable="true"]`).waitFor()
    const target = (await page.locator(`[data-card="${id(to)}"]`).boundingBox())!
    await page.mouse.down()
    await page.mouse.move(source.x + 70, source.y + source.height - 2, { steps: 4 })
    await page.mouse.move(target.x + 60, target.y + target.height * part, { steps: 8 })
    await page.locator('[data-drop]').waitFor()
    await page.mouse.up()
  }

  it('moves a card up, down, to the top and to the bottom by keys, and back', async () => {
    const page = await open()
    await shows(page, 'ABCD')
    await page.keyboard.press('j')
    await page.keyboard.press('Shift+J')
    await page.keyboard.press('Shift+J')
    await shows(page, 'BCAD')
    await isStored('BCAD')
    await page.keyboard.press('Shift+K')
    await shows(page, 'BACD')
    await page.keyboard.press('Shift+B')
    await shows(page, 'BCDA')
    await page.keyboard.press('Shift+T')
    await shows(page, 'ABCD')
    await isStored('ABCD')
    for (const order of ['BCDA', 'BACD', 'BCAD']) {
      await page.keyboard.press('u')
      await shows(page, order)
    }
    await isStored('BCAD')
  })

  it('drags a card within its column, and undoes it', async () => {
    const page = await open()
    await drag(page, 'D', 'B', 0.2)
    await shows(page, 'ADBC')
    await isStored('ADBC')
    await drag(page, 'A', 'C', 0.8)
    await shows(page, 'DBCA')
    await isStored('DBCA')
    await page.keyboard.press('u')
    await shows(page, 'ADBC')
    await isStored('ADBC')
  })

  journey('drags a card to a place in another column: both its status and its rank, and undoes both', async () => {
    for (const title of ['C', 'D']) await stage.wl.tasks.update(id(title), { status: 'in_progress' })
    const page = await open()
    await shows(page, 'CD', 'In progress')
    await drag(page, 'A', 'D', 0.2)
    await shows(page, 'CAD', 'In progress')
    await isStored('BCAD')
    assert.equal((await stage.wl.tasks.get(id('A'))).status, 'in_progress')
    await page.keyboard.press('u')
    await shows(page, 'CD', 'In progress')
    await shows(page, 'AB')
    await isStored('ABCD')
    assert.equal((await stage.wl.tasks.get(id('A'))).status, 'todo')
  })

  it('shows the order that others make, as it happens', async () => {
    const page = await open()
    await stage.wl.tasks.rank(id('D'), { before: id('B') })
    await shows(page, 'ADBC')
    await stage.wl.tasks.rank(id('A'), { to: 'bottom' })
    await shows(page, 'DBCA')
  })

  it('follows the ranks that others get where there is no room left', async () => {
    const page = await open()
    const respaced: unknown[] = []
    for (let turn = 0; turn < 40; turn++) {
      await stage.wl.tasks.rank(id(turn % 2 === 0 ? 'C' : 'D'), { after: id('A') })
    }
    for await (const { type, data } of stage.wl.events.list({ types: ['task.ranked'] }))
      if (type === 'task.ranked' && 'respaced' in data) respaced.push(data)
    assert.ok(respaced.length > 0)
    await isStored('ADCB')
    await shows(page, 'ADCB')
    await page.keyboard.press('j')
    await page.keyboard.press('Shift+J')
    await shows(page, 'DACB')
    await isStored('DACB')
  })

  it('orders a task from its menu, as on a phone', async () => {
    const page = await open(`p/${key}/board?task=${id('C')}`)
    await page.getByRole('button', { name: `Actions on ${id('C')}` }).click()
    await page.getByRole('option', { name: 'Move to the top' }).click()
    await shows(page, 'CABD')
    await isStored('CABD')
  })

  it('puts a card back and says why where the service refuses', async () => {
    const page = await open()
    await page.route('**/rank', (route) =>
      route.fulfill({
        status: 409,
        contentType: 'application/json',
        body: JSON.stringify({ error: { code: 'CONFLICT', message: 'It cannot be ordered now.' }, meta: {} }),
      }),
    )
    await page.keyboard.press('j')
    await page.keyboard.press('Shift+B')
    await page
      .locator('.toast.error')
      .getByText(`${id('A')} was not reordered. It cannot be ordered now.`)
      .waitFor()
    await shows(page, 'ABCD')
  })

  it('keeps the status and rank together where the status is refused', async () => {
    const holder = await stage.wl.keys.create({ name: 'holder', scopes: ['tasks:write'] })
    const writer = await stage.wl.keys.create({ name: 'writer', scopes: ['tasks:write'] })
    await stage.wl.tasks.update(id('D'), { status: 'in_review' })
    await stage.service.post(`/v1/tasks/${id('A')}/claim`, {}, { key: holder.key! })
    const page = await stage.open(`p/${key}/board`, { key: writer.key! })
    await shows(page, 'A', 'In progress')
    await drag(page, 'A', 'D', 0.8)
    await page
      .locator('.toast.error')
      .getByText(`${id('A')} was not changed.`)
      .waitFor()
    await shows(page, 'A', 'In progress')
    await shows(page, 'D', 'In review')
    await isStored('ABCD')
  })

  it('shows a list in manual order, and orders it by the same keys', async () => {
    const page = await open(`p/${key}/list`)
    const rows = (): Promise<string[]> => page.locator('.task-row-title').allTextContents()
    assert.equal((await rows()).join(''), 'DCBA')
    await page.getByRole('button', { name: 'Sort: Priority' }).click()
    await page.getByRole('option', { name: 'Manual order' }).click()
    await eventually(async () => (await rows()).join('') === 'ABCD')
    assert.match(page.url(), /sort=rank/)
    await page.keyboard.press('Escape')
    await page.keyboard.press('j')
    await page.keyboard.press('Shift+J')
    await eventually(async () => (await rows()).join('') === 'BACD')
    await isStored('BACD')
  })
})
