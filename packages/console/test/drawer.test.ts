import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { engines } from 'worklore-testing/engines'
import { describeConsole } from './console-stage.js'
import { eventually } from './eventually.js'

describeConsole('the drawer of a task', engines.slice(0, 1), (stage) => {
  before(async () => {
    const { wl } = stage
    await wl.projects.create({ key: 'TREE', name: 'Tree' })
    for (const title of ['Grow a branch', 'Plant the garden', 'Water the roots'])
      await wl.tasks.create({ projectId: 'TREE', title })
  })

  it('sets, changes and removes the parent, found by words or id', async () => {
    const page = await stage.open('p/TREE/board?task=TREE-1')
    const drawer = page.getByRole('complementary', { name: 'Task TREE-1' })
    const parentOf = async () => (await stage.wl.tasks.get('TREE-1')).parentId
    await drawer.getByRole('button', { name: 'Set a parent' }).click()
    await page.keyboard.type('garden')
    await drawer.getByRole('option', { name: /Plant the garden/ }).click()
    await eventually(async () => (await parentOf()) === 'TREE-2')
    await drawer.getByRole('link', { name: /Plant the garden/ }).waitFor()
    await drawer.getByRole('button', { name: 'Change the parent' }).click()
    await page.keyboard.type('tree-3')
    await page.keyboard.press('Enter')
    await eventually(async () => (await parentOf()) === 'TREE-3')
    await drawer.getByRole('button', { name: 'Remove the parent' }).click()
    await eventually(async () => (await parentOf()) === null)
    await drawer.getByRole('button', { name: 'Set a parent' }).waitFor()
  })

  it('finds a blocker by words, and says where nothing matches', async () => {
    const page = await stage.open('p/TREE/board?task=TREE-1')
    const drawer = page.getByRole('complementary', { name: 'Task TREE-1' })
    await drawer.getByRole('button', { name: 'Add a blocker' }).click()
    await page.keyboard.type('zzzz')
    await drawer.getByText('No task matches.').waitFor()
    await page.keyboard.press('Control+a')
    await page.keyboard.type('roots')
    await drawer.getByRole('option', { name: /Water the roots/ }).waitFor()
    await page.keyboard.press('Enter')
    await drawer.getByRole('region', { name: 'Blocked by' }).getByText('Water the roots').waitFor()
    assert.deepEqual((await stage.wl.tasks.get('TREE-1')).blockedBy, ['TREE-3'])
  })

  it('shows what an agent that claims the task is told about it', async () => {
    const { wl } = stage
    const { id: parentId } = await wl.tasks.create({ projectId: 'TREE', title: 'Orchard', description: 'Apples only.' })
    const { id } = await wl.tasks.create({ projectId: 'TREE', title: 'Prune the apple trees', parentId })
    await wl.knowledge.put('guides/pruning', { content: '# Pruning\n\nPrune apple trees in winter.' })
    const page = await stage.open(`p/TREE/board?task=${id}`)
    const drawer = page.getByRole('complementary', { name: `Task ${id}` })
    await drawer.getByRole('tab', { name: 'What the agent sees' }).click()
    await drawer.getByRole('region', { name: 'Part of' }).getByText('Apples only.').waitFor()
    const notes = drawer.getByRole('region', { name: 'Notes' })
    await notes.getByText('Prune apple trees in winter.').waitFor()
    await drawer.getByText(/^About \d+ tokens/).waitFor()
    await notes.getByRole('link', { name: 'guides/pruning' }).click()
    await page.getByRole('heading', { name: 'Pruning' }).first().waitFor()
  })

  it('names what the task needs for itself, and the overview shows who holds it', async () => {
    const { id } = await stage.wl.tasks.create({ projectId: 'TREE', title: 'Fell the oak' })
    const page = await stage.open(`p/TREE/board?task=${id}`)
    const resources = page.getByRole('complementary', { name: `Task ${id}` }).getByRole('region', { name: 'Resources' })
    for (const resource of ['tool:saw', 'wood/north/']) {
      await resources.getByRole('button', { name: 'Add a resource' }).click()
      await page.keyboard.type(resource)
      await page.keyboard.press('Enter')
      await resources.getByText(resource).waitFor()
    }
    await resources.getByRole('button', { name: 'Remove wood/north/' }).click()
    await eventually(async () => (await stage.wl.tasks.get(id)).resources.join() === 'tool:saw')
    await stage.wl.tasks.claim(id, { worker: 'woodcutter' })
    await resources.getByText('reserved').waitFor()
    const overview = await stage.open('')
    const row = overview.getByRole('region', { name: 'Reserved' }).getByRole('row', { name: /tool:saw/ })
    await row.getByText('woodcutter').waitFor()
    await stage.wl.tasks.update(id, { status: 'todo' })
    await row.waitFor({ state: 'detached' })
  })

  it('says in one sentence what the service refused', async () => {
    const page = await stage.open('p/TREE/board?task=TREE-3')
    const drawer = page.getByRole('complementary', { name: 'Task TREE-3' })
    await drawer.getByRole('button', { name: 'Add a blocker' }).click()
    await page.keyboard.type('TREE-99')
    await page.keyboard.press('Enter')
    const text = await page.locator('.toast.error .toast-text').innerText()
    assert.match(text, /^TREE-3 was not changed\. Blocked by .*TREE-99.* not found/)
    assert.equal(text.split('not found').length, 2)
  })

  it('shows and changes from when on the task may be taken, and what programs noted', async () => {
    await stage.wl.tasks.update('TREE-2', {
      notBefore: '2030-01-02T10:00:00.000Z',
      metadata: { build: { id: 7, branch: 'main' } },
    })
    const page = await stage.open('p/TREE/board?task=TREE-2', { timezoneId: 'Europe/Berlin' })
    const drawer = page.getByRole('complementary', { name: 'Task TREE-2' })
    assert.match(await drawer.getByRole('region', { name: 'Metadata' }).innerText(), /"branch": "main"/)
    const field = drawer.getByLabel('Not before')
    assert.equal(await field.inputValue(), '2030-01-02T11:00')
    await field.fill('2030-01-03T12:30')
    await field.blur()
    await eventually(async () => (await stage.wl.tasks.get('TREE-2')).notBefore === '2030-01-03T11:30:00.000Z')
    await drawer.getByRole('button', { name: 'Remove the start' }).click()
    await eventually(async () => (await stage.wl.tasks.get('TREE-2')).notBefore === null)
    await field.waitFor({ state: 'detached' })
  })

  it('shows nothing before what is above it, which would push it away', async () => {
    await stage.wl.tasks.update('TREE-3', { description: '# Roots\n\nThey go deep.\n\nThey need water.' })
    await stage.wl.questions.create('TREE-3', { body: 'How *deep*?' })
    const page = await stage.open('')
    await page.route('**/v1/questions?*', async (route) => {
      await page.locator('.drawer-foot').waitFor({ state: 'attached' })
      await route.continue()
    })
    await page.addInitScript(() => {
      const places = new Set<number>()
      const look = (): void => {
        const edit = document.querySelector('.description > .button')
        if (edit?.checkVisibility({ visibilityProperty: true })) places.add(edit.getBoundingClientRect().top)
        requestAnimationFrame(look)
      }
      look()
      Object.assign(window, { places })
    })
    await page.goto(stage.url('p/TREE/board?task=TREE-3'))
    await page.locator('.description').getByText('They need water.').waitFor()
    await page.locator('.description > .button').waitFor()
    const places = await page.evaluate(async () => {
      await new Promise(requestAnimationFrame)
      return [...(window as unknown as { places: Set<number> }).places]
    })
    assert.equal(places.length, 1, `the button was at ${places.join(', then at ')}`)
  })

  it('is not covered by messages', async () => {
    const page = await stage.open('p/TREE/board?task=TREE-1')
    await page.locator('.drawer').waitFor()
    for (const width of [1400, 1024]) {
      await page.setViewportSize({ width, height: 800 })
      // The message before it may be gone.
      await page.keyboard.press('u')
      const toast = (await page.locator('.toast').last().boundingBox())!
      const drawer = (await page.locator('.drawer').boundingBox())!
      assert.ok(toast.x + toast.width <= drawer.x, `${width} pixels`)
    }
  })
})
