import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import type { Page } from 'playwright-core'
import { engines } from 'worklore-testing/engines'
import { describeConsole } from './console-stage.js'
import { eventually } from './eventually.js'

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }
const longName = `agent-${'with-a-long-name-'.repeat(4)}7`

/** What can be pressed, but only after scrolling sideways. */
const outOfReach = (page: Page, within: string): Promise<string[]> =>
  page.evaluate((selector) => {
    const controls = [...document.querySelectorAll(`${selector} :is(button, a)`)]
    const isOut = ({ left, right, width }: DOMRect): boolean => width > 0 && (left < 0 || right > innerWidth)
    return controls.filter((each) => isOut(each.getBoundingClientRect())).map((each) => each.outerHTML.slice(0, 120))
  }, within)

describeConsole('a phone', engines.slice(0, 1), (stage) => {
  let webhookId: string

  before(async () => {
    const { wl } = stage
    await wl.projects.create({ key: 'WORK', name: 'Work' })
    await wl.projects.create({ key: 'NONE', name: 'Nothing yet' })
    await wl.tasks.create({ projectId: 'WORK', title: 'Held by an agent with a long name' })
    const key = await wl.keys.create({ name: longName, scopes: ['tasks:write'] })
    await stage.service.post('/v1/tasks/WORK-1/claim', {}, { key: key.key! })
    webhookId = (await wl.webhooks.create({ url: 'https://worklore.invalid/hook', events: ['task.*'] })).id
    await wl.webhooks.ping(webhookId)
    await wl.knowledge.put('table', {
      content:
        '| Configuration | Internationalization | Characterization | Remarks |\n|---|---|---|---|\n| a | b | c | d |',
    })
  })

  it('has every action of every row within reach', async () => {
    const page = await stage.open('', phone)
    for (const [path, control] of [
      ['', `Actions on ${longName}`],
      ['agents', `Actions on ${longName}`],
      ['keys', `Actions on ${longName}`],
      [`webhooks/${webhookId}`, 'Resend webhook.ping'],
    ] as const) {
      await stage.go(page, path)
      await page.getByRole('button', { name: control }).first().waitFor()
      assert.deepEqual(await outOfReach(page, '.page-body'), [], path)
    }
    await stage.go(page, 'p/WORK/list')
    // Who holds a task and for how long, without a status that the group tells.
    const row = page.locator('[data-card="WORK-1"]')
    await row.getByText(/\d+[hm] left/).waitFor()
    assert.match(await row.innerText(), /agent-with-a-long-name/)
    assert.equal(await row.getByRole('button', { name: /Status/ }).count(), 0)
    await stage.go(page, 'agents')
    const held = (await page.locator('.held-task .card-id', { hasText: 'WORK-1' }).boundingBox())!
    assert.ok(held.width > 20 && held.x + held.width <= 390)
    await page.getByRole('button', { name: `Actions on ${longName}` }).tap()
    const label = page.getByRole('option', { name: 'Revoke its key' }).locator('.truncate')
    assert.equal(await label.evaluate((element) => getComputedStyle(element).textAlign), 'start')
  })

  it('says in the events what changed', async () => {
    await stage.wl.tasks.update('WORK-1', { priority: 'urgent' })
    const page = await stage.open('events', phone)
    const text = page.locator('.event-text', { hasText: 'priority medium → urgent' })
    await text.waitFor()
    const row = (await page.locator('li', { has: text }).boundingBox())!
    const box = (await text.boundingBox())!
    assert.ok(box.y >= row.y && box.y + box.height <= row.y + row.height)
  })

  it('fits a board without tasks, and the command next to what it is for', async () => {
    const page = await stage.open('p/NONE/board', phone)
    await page.getByText('No tasks yet').waitFor()
    assert.deepEqual(await outOfReach(page, '.empty'), [])
    const order = await page.locator('.empty').innerText()
    assert.match(order, /Create a task\s+Or let an agent create the first one:\s+curl/)
    for (const part of await page.locator('.empty, .empty *').all()) {
      const box = await part.boundingBox()
      assert.ok(!box || (box.x >= 0 && box.x + box.width <= 390), await part.evaluate((each) => each.outerHTML))
    }
  })

  it('scrolls wide tables in their own box, with whole words', async () => {
    const page = await stage.open('k/table', phone)
    const head = page.getByRole('columnheader', { name: 'Internationalization' })
    const { height } = (await head.boundingBox())!
    assert.ok(height < 50, `${height} pixels are several lines`)
    const scrolls = await page.locator('.table-scroll').evaluate((box) => box.scrollWidth > box.clientWidth)
    assert.ok(scrolls)
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390)
  })

  it('shows messages below an open task', async () => {
    const page = await stage.open('p/WORK/board?task=WORK-1', phone)
    await page.getByRole('button', { name: 'Release' }).tap()
    await page.locator('.toast').waitFor()
    // It moves a little as it appears.
    await eventually(async () => {
      const toast = (await page.locator('.toast').boundingBox())!
      const drawer = (await page.locator('.drawer').boundingBox())!
      return toast.y >= drawer.y + drawer.height
    })
  })
})
