import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import type { Page } from 'playwright-core'
import { engines } from 'worklore-testing/engines'
import { describeConsole } from './console-stage.js'
import { eventually } from './eventually.js'

const focusIsIn = (page: Page, selector: string): Promise<boolean> =>
  page.evaluate((wanted) => document.activeElement?.closest(wanted) !== null, selector)

describeConsole('the keyboard', engines.slice(0, 1), (stage) => {
  before(async () => {
    const { wl } = stage
    await wl.projects.create({ key: 'KEYS', name: 'Keys', maxAttempts: 1 })
    for (const title of ['First lantern', 'Second lantern']) await wl.tasks.create({ projectId: 'KEYS', title })
    await wl.knowledge.put('guides/lantern', { content: 'How to light a lantern.' })
  })

  for (const view of ['board', 'list']) {
    it(`is in the drawer once a task is open, and back on the ${view} once it is closed`, async () => {
      const page = await stage.open(`p/KEYS/${view}`)
      // A board is ordered by hand, with the oldest at the top; in a list the newest is.
      const [first, second] = view === 'board' ? ['KEYS-1', 'KEYS-2'] : ['KEYS-2', 'KEYS-1']
      await page.locator(`[data-card="${first}"]`).waitFor()
      await page.keyboard.press('j')
      await eventually(() => focusIsIn(page, `[data-card="${first}"]`))
      await page.keyboard.press('Enter')
      await eventually(() => focusIsIn(page, '.drawer'))
      await page.keyboard.press('j')
      await page.getByRole('complementary', { name: `Task ${second}` }).waitFor()
      await eventually(() => focusIsIn(page, '.drawer'))
      // The drawer itself has the focus, and no button that a key would press.
      await page.keyboard.press(' ')
      await page.keyboard.press('Enter')
      await page.getByRole('complementary', { name: `Task ${second}` }).waitFor()
      await page.keyboard.press('Escape')
      await page.getByRole('complementary').waitFor({ state: 'detached' })
      await eventually(() => focusIsIn(page, `[data-card="${second}"]`))
      await page.goBack()
      await page.getByRole('heading', { name: 'Keys' }).waitFor()
      assert.equal(await page.getByRole('complementary').count(), 0)
    })
  }

  for (const view of ['board', 'list', 'tree']) {
    it(`acts on the task that a click has opened, on the ${view}`, async () => {
      const page = await stage.open(`p/KEYS/${view}`)
      const second = await stage.wl.tasks.create({ projectId: 'KEYS', title: `Clicked on the ${view}` })
      await page.locator('[data-card="KEYS-1"] a').click()
      await page.getByRole('complementary', { name: 'Task KEYS-1' }).waitFor()
      await page.locator(`[data-card="${second.id}"] a`).click({ position: { x: 10, y: 8 } })
      await page.getByRole('complementary', { name: `Task ${second.id}` }).waitFor()
      await page.keyboard.press('>')
      await eventually(async () => (await stage.wl.tasks.get(second.id)).status === 'in_progress')
      assert.equal((await stage.wl.tasks.get('KEYS-1')).status, 'todo')
      await page.keyboard.press('Escape')
      await page.getByRole('complementary').waitFor({ state: 'detached' })
      await page.keyboard.press('a')
      await page.getByRole('dialog', { name: `Assign ${second.id}` }).waitFor()
      await stage.wl.tasks.delete(second.id)
    })
  }

  it('edits the description of the open task', async () => {
    const page = await stage.open('p/KEYS/list')
    await page.locator('[data-card="KEYS-2"]').waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Add a description' }).waitFor()
    await page.keyboard.press('e')
    await page.getByRole('textbox', { name: 'Description of KEYS-2' }).waitFor()
    await eventually(() => focusIsIn(page, '.description-editor'))
    assert.doesNotMatch(page.url(), /edit=/)
    // Escape leaves a text that was changed as it is.
    await page.keyboard.type('x')
    await page.keyboard.press('Escape')
    await page.keyboard.press('Backspace')
    await page.getByText('Save').and(page.locator(':disabled')).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Add a description' }).waitFor()

    // Also where the task is still being loaded.
    let send = (): void => undefined
    const sent = new Promise<void>((resolve) => {
      send = resolve
    })
    await page.route('**/v1/tasks/KEYS-1', async (route) => {
      await sent
      await route.continue()
    })
    await page.keyboard.press('Escape')
    await stage.go(page, 'p/KEYS/list?task=KEYS-1')
    await page.getByRole('complementary', { name: 'Task KEYS-1' }).waitFor()
    await page.keyboard.press('e')
    await page.keyboard.type('u?')
    send()
    await page.getByRole('textbox', { name: 'Description of KEYS-1' }).waitFor()
    await eventually(() => focusIsIn(page, '.description-editor'))
    assert.equal(await page.getByRole('dialog').count(), 0)
  })

  /** The script of a part comes only once the function that is given back was called. */
  const hold = async (page: Page, part: string): Promise<() => void> => {
    let send = (): void => undefined
    const held = new Promise<void>((resolve) => {
      send = resolve
    })
    await page.route(new RegExp(`/assets/${part}`), async (route) => {
      await held
      await route.continue()
    })
    return send
  }

  it('runs no shortcuts by what is typed before the palette is open, and changes no field', async () => {
    const page = await stage.open('p/KEYS/board')
    await page.locator('[data-card="KEYS-1"]').waitFor()
    const send = await hold(page, 'palette')
    const filter = page.getByLabel('Filter by title or id')
    await filter.focus()
    await page.keyboard.press('Control+k')
    await page.keyboard.type('cart')
    await filter.blur()
    await page.keyboard.type('cart u?a')
    send()
    const palette = page.getByRole('combobox', { name: 'Search and commands' })
    await palette.waitFor()
    await eventually(() => focusIsIn(page, '.palette'))
    // Asked for once more, it still takes the keys.
    await page.keyboard.press('Control+k')
    await page.keyboard.type('lantern')
    assert.equal(await palette.inputValue(), 'lantern')
    assert.equal(await page.getByRole('dialog').count(), 1)
    assert.equal(await page.locator('.toast').count(), 0)
    assert.equal(await filter.inputValue(), '')
  })

  it('opens in the palette what was typed exactly, and nothing that an older text found', async () => {
    const { wl } = stage
    await wl.tasks.create({ projectId: 'KEYS', title: 'Write guides/lantern anew' })
    const page = await stage.open()
    await page.keyboard.press('Control+k')
    const palette = page.getByRole('combobox', { name: 'Search and commands' })
    const first = page.getByRole('option').first()
    await palette.fill('guides/lantern')
    await page.getByRole('option', { name: 'Write guides/lantern anew' }).waitFor()
    assert.match((await first.textContent())!, /^guides\/lanternShared/)
    await page.route('**/v1/**', () => undefined)
    await palette.fill('keyboard shortcuts')
    await eventually(async () => (await first.textContent()) === 'Keyboard shortcuts')
    await palette.press('Enter')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
    await page.unroute('**/v1/**')
  })

  it('is left to an input method while that composes', async () => {
    const { id } = await stage.wl.tasks.create({ projectId: 'KEYS', title: 'Lamp' })
    const page = await stage.open(`p/KEYS/board?task=${id}`)
    const input = await page.context().newCDPSession(page)
    const compose = async (text: string): Promise<void> => {
      const end = text.length
      await input.send('Input.imeSetComposition', { text, selectionStart: end, selectionEnd: end })
      await input.send('Input.dispatchKeyEvent', { type: 'keyDown', key: 'Enter', windowsVirtualKeyCode: 229 })
    }
    // The drawer takes the focus when it opens.
    await page.locator('.drawer:focus').waitFor()
    await page.getByRole('textbox', { name: 'Title' }).click()
    await page.keyboard.press('End')
    await compose('とうろう')
    assert.ok(await focusIsIn(page, '.drawer-title'))
    await input.send('Input.insertText', { text: '灯籠' })
    await page.keyboard.press('Enter')
    await eventually(async () => (await stage.wl.tasks.get(id)).title === 'Lamp灯籠')
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Search and commands' }).waitFor()
    await eventually(() => focusIsIn(page, '.palette'))
    await compose('とうろう')
    assert.equal(await page.getByRole('dialog').count(), 1)
  })

  for (const opened of ['board', 'board?task=KEYS-1']) {
    it(`runs no shortcuts by what is typed before the editor is ready, on ${opened}`, async () => {
      const page = await stage.open(`p/KEYS/${opened}`)
      await page.locator('[data-card="KEYS-1"]').waitFor()
      if (opened === 'board') await page.keyboard.press('j')
      else await page.getByRole('button', { name: 'Add a description' }).waitFor()
      const send = await hold(page, 'markdown-editor')
      await page.keyboard.press('e')
      await page.keyboard.type('cache u?a')
      send()
      await page.getByRole('textbox', { name: 'Description of KEYS-1' }).waitFor()
      await eventually(() => focusIsIn(page, '.description-editor'))
      await page.keyboard.type('Written')
      assert.equal(await page.getByRole('textbox', { name: 'Description of KEYS-1' }).innerText(), 'Written')
      assert.equal(await page.getByRole('dialog').count(), 0)
      assert.equal(await page.locator('.toast').count(), 0)
      await page.getByRole('button', { name: 'Cancel' }).click()
    })
  }

  it('makes an item on the page of the knowledge, and a task elsewhere', async () => {
    const page = await stage.open('k/guides/lantern')
    await page.getByText('How to light a lantern.').waitFor()
    await page.keyboard.press('c')
    await page.getByRole('dialog', { name: 'New item' }).waitFor()
    assert.equal(await page.getByRole('dialog').count(), 1)
    await page.keyboard.press('Escape')
    await stage.go(page, 'events')
    await page.getByRole('heading', { name: 'Events' }).waitFor()
    await page.keyboard.press('c')
    await page.getByRole('dialog', { name: 'New task' }).waitFor()
  })

  it('goes from the search field through the results and back', async () => {
    const page = await stage.open('search?q=lantern')
    await page.locator('.hit').nth(2).waitFor()
    const focused = (): Promise<string> => page.evaluate(() => document.activeElement?.textContent ?? '')
    await page.keyboard.press('ArrowDown')
    const first = await focused()
    assert.match(first, /KEYS-\d/)
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    assert.match(await focused(), /guides\/lantern/)
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('ArrowUp')
    assert.equal(await focused(), first)
    await page.keyboard.press('ArrowUp')
    assert.ok(await focusIsIn(page, '.big-search'))
  })
})
