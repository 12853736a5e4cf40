import assert from 'node:assert/strict'
import { before } from 'node:test'
import type { Page } from 'playwright-core'
import { Worklore } from 'worklore-client'
import { engines } from 'worklore-testing/engines'
import { checkLooks, violationsIn } from './axe.js'
import { describeConsole } from './console-stage.js'
import { eventually } from './eventually.js'
import { it, journey } from './journeys.js'

describeConsole('many tasks at once', engines.slice(0, 1), (stage) => {
  const count = 120

  before(async () => {
    const { wl } = stage
    await wl.projects.create({ key: 'BULK', name: 'Bulk' })
    await wl.projects.create({ key: 'DEST', name: 'Destination' })
    for (const from of [0, 60]) {
      await wl.batch((batch) =>
        Array.from({ length: 60 }, (_, index) =>
          batch.tasks.create({ projectId: 'BULK', title: `Task ${from + index + 1}`, labels: ['old'] }),
        ),
      )
    }
  })

  const bar = (page: Page) => page.getByRole('toolbar', { name: 'Selected tasks' })
  const choose = async (page: Page, button: string, option: string): Promise<void> => {
    await bar(page).getByRole('button', { name: button }).click()
    await page.getByRole('option', { name: option, exact: true }).click()
  }
  const undo = (page: Page) => page.locator('.toast').getByRole('button', { name: 'Undo' }).last().click()
  const countOf = async (filter: object): Promise<number> =>
    (await stage.wl.tasks.cards({ limit: 1_000, ...filter })).data.length

  journey('selects by keys and clicks, changes all of it, and undoes it as one', async () => {
    const page = await stage.open('p/BULK/list?sort=rank')
    const row = (number: number) => page.locator(`[data-card="BULK-${number}"]`)
    const selected = (text: string) => bar(page).getByText(text, { exact: true }).waitFor()
    await row(1).waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('x')
    await selected('1 selected')
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await page.keyboard.press('Shift+X')
    await selected('3 selected')
    await row(6)
      .locator('.task-row-title')
      .click({ modifiers: ['Shift'] })
    await selected('6 selected')
    await row(2).getByRole('checkbox').uncheck()
    await selected('5 selected')
    // The checkbox has the focus: its own key presses it, and all others act on the list.
    await page.keyboard.press('Space')
    await selected('6 selected')
    await page.keyboard.press('Space')
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
    await page.keyboard.press('Escape')
    await selected('5 selected')
    assert.deepEqual(await violationsIn(page), [])
    await choose(page, 'Priority', 'Urgent')
    await eventually(async () => (await countOf({ priority: 'urgent' })) === 5)
    await page.locator('.toast').getByText('5 tasks: urgent priority').waitFor()
    await undo(page)
    await eventually(async () => (await countOf({ priority: 'urgent' })) === 0)

    // More than one batch holds, and the key `u` takes all of it back.
    await page.keyboard.press('Shift+A')
    await selected(`${count} selected`)
    await bar(page).getByRole('button', { name: 'Add label' }).click()
    await page.getByRole('combobox', { name: 'Add label' }).fill('fresh')
    await page.keyboard.press('Enter')
    await eventually(async () => (await countOf({ label: 'fresh' })) === count)
    await page.locator('.toast').getByText(`${count} tasks: labelled fresh`).waitFor()
    await page.keyboard.press('u')
    await eventually(async () => (await countOf({ label: 'fresh' })) === 0)
    // What was undone cannot be undone again.
    assert.equal(await page.locator('.toast').getByRole('button', { name: 'Undo' }).count(), 0)
    assert.equal(await countOf({ label: 'old' }), count)

    await page.keyboard.press('Escape')
    await bar(page).waitFor({ state: 'detached' })
  })

  it('selects all that match, loaded or not and folded away or not, up to a bound', async () => {
    const { wl } = stage
    await wl.projects.create({ key: 'MANY', name: 'Many' })
    const parent = await wl.tasks.create({ projectId: 'MANY', title: 'Few, and a parent', priority: 'urgent' })
    for (let made = 0; made < 1_100; made += 100) {
      await wl.batch((batch) =>
        Array.from({ length: 100 }, (_, index) =>
          batch.tasks.create({
            projectId: 'MANY',
            title: `${index % 4 === 0 ? 'Few' : 'Many'} ${made + index}`,
            ...(made === 0 && { parentId: parent.id }),
          }),
        ),
      )
    }
    const page = await stage.open('usage')
    // Most tasks come once the selection is made.
    let release = (): void => undefined
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    await page.route(/\/v1\/tasks\/cards\?.*limit=1000/, async (route) => {
      await held
      await route.continue()
    })
    await stage.go(page, 'p/MANY/list?q=Few')
    await page.locator('[data-card]').first().waitFor()
    await page.keyboard.press('Shift+A')
    await bar(page).getByText('Loading more…').waitFor()
    release()
    await bar(page).getByText('276 selected').waitFor()
    await stage.go(page, 'p/MANY/board')
    await page.getByRole('button', { name: 'Select', exact: true }).click()
    await bar(page).getByRole('button', { name: 'Select 1,000 of 1,101' }).click()
    await bar(page).getByText('of 1,101 that match, the most at once').waitFor()
    await stage.go(page, 'p/MANY/tree?q=Few')
    await page.getByRole('button', { name: `Hide the subtasks of ${parent.id}` }).click()
    await page.keyboard.press('Escape')
    await bar(page).waitFor({ state: 'detached' })
    await page.keyboard.press('Shift+A')
    await bar(page).getByText('276 selected').waitFor()
    // Nothing is left to select.
    await stage.go(page, 'p/MANY/tree?label=none')
    await page.getByText('No tasks match the filters').waitFor()
    await bar(page).waitFor({ state: 'detached' })
    assert.deepEqual(await violationsIn(page), [])
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await page.locator('[data-card]').first().waitFor()
  })

  it('asks before it ends the work of others, and tells what was refused', async () => {
    const { wl } = stage
    const key = await wl.keys.create({ name: 'atlas', scopes: ['tasks:write'] })
    const agent = new Worklore({ baseUrl: stage.service.baseUrl, apiKey: key.key! })
    await agent.tasks.claim('BULK-10')
    await wl.tasks.update('BULK-11', { checks: [{ text: 'Tried by hand' }] })
    await wl.tasks.update('BULK-13', { parentId: 'BULK-12' })
    const page = await stage.open('p/BULK/board')
    const card = (number: number) => page.locator(`[data-card="BULK-${number}"]`)
    await page.getByRole('button', { name: 'Select', exact: true }).click()
    const pick = async (...numbers: number[]): Promise<void> => {
      for (const number of numbers) {
        await page.getByLabel('Filter by title or id').fill(`BULK-${number}`)
        await card(number).getByRole('checkbox').check()
      }
    }
    // What a filter hides is not changed.
    await pick(10, 11)
    await bar(page).getByText('1 selected').waitFor()
    await page.getByLabel('Filter by title or id').fill('BULK-1')
    await eventually(async () => (await page.locator('.card').count()) > 3)
    for (const number of [10, 12]) await card(number).getByRole('checkbox').check()
    await choose(page, 'Status', 'Done')
    const dialog = page.getByRole('dialog')
    await dialog.getByText('BULK-10, held by atlas').waitFor()
    await checkLooks(page)
    assert.equal(await dialog.getByRole('heading').innerText(), 'Set 3 tasks to Done?')
    await page.clock.install()
    await dialog.getByRole('button', { name: 'Change' }).click()
    const refused = page.getByRole('dialog', { name: '1 task not changed' })
    await refused.getByText('BULK-11', { exact: true }).waitFor()
    await refused.getByText(/Tried by hand/).waitFor()
    await checkLooks(page)
    // It is covered, so that nobody could use it.
    const covered = page.locator('.toast').filter({ hasText: '2 tasks: set to Done' })
    await covered.waitFor()
    await page.clock.runFor(20_000)
    assert.equal(await covered.count(), 1)
    await refused.getByRole('button', { name: 'OK' }).click()
    await bar(page).getByText('1 selected').waitFor()
    assert.equal((await wl.tasks.get('BULK-10')).status, 'done')
    await page.clock.runFor(10_000)
    await covered.waitFor({ state: 'detached' })
    await page.keyboard.press('u')
    await eventually(async () => (await wl.tasks.get('BULK-12')).status === 'todo')
    await page.getByText('Undone: 2 tasks: set to Done. To go on, atlas must claim it again').waitFor()

    // In To do, a task that was held is where an undo would put it.
    await agent.tasks.claim('BULK-10')
    await card(11).getByRole('checkbox').uncheck()
    await card(10).getByRole('checkbox').check()
    await choose(page, 'Status', 'To do')
    await dialog.getByRole('button', { name: 'Change' }).click()
    const told = page.locator('.toast').filter({ hasText: /^1 task: set to To do/ })
    await told.waitFor()
    assert.equal(await told.getByRole('button', { name: 'Undo' }).count(), 0)
    await page.keyboard.press('u')
    await page.getByText('Nothing to undo').waitFor()
    await card(10).getByRole('checkbox').uncheck()

    // Subtasks go along with their parent, and stay below it.
    for (const number of [12, 13]) await card(number).getByRole('checkbox').check()
    await choose(page, 'Project', 'Destination DEST')
    await eventually(async () => (await countOf({ projectId: 'DEST' })) === 2)
    assert.equal((await wl.tasks.get('BULK-13')).parentId, 'BULK-12')
    await undo(page)
    await eventually(async () => (await countOf({ projectId: 'DEST' })) === 0)
    await page.keyboard.press('Escape')
  })

  it('ticks what a range by checkbox selects, and finds a choice by what is typed', async () => {
    const page = await stage.open('p/BULK/list?sort=rank')
    const box = (number: number) => page.locator(`[data-card="BULK-${number}"]`).getByRole('checkbox')
    const selected = (text: string) => bar(page).getByText(text, { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Select', exact: true }).click()
    await box(1).check()
    await box(4).click({ modifiers: ['Shift'] })
    await selected('4 selected')
    for (const number of [1, 2, 3, 4]) assert.ok(await box(number).isChecked(), `BULK-${number}`)
    await box(2).uncheck()
    await selected('3 selected')
    await box(4).click({ modifiers: ['Shift'] })
    await selected('4 selected')
    assert.ok(await box(4).isChecked())

    await bar(page).getByRole('button', { name: 'Status' }).click()
    const active = page.locator('.option[data-active=true]')
    for (const [typed, found] of [
      ['in review', 'In review'],
      ['cancelled', 'Cancelled'],
      ['in p', 'In progress'],
    ] as const) {
      await page.keyboard.type(typed)
      await active.getByText(found, { exact: true }).waitFor()
    }
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
  })

  it('deletes many and restores many from the trash', async () => {
    const page = await stage.open('p/BULK/list?q=Task 10')
    await page.locator('[data-card="BULK-100"]').waitFor()
    await page.getByRole('button', { name: 'Select', exact: true }).click()
    await page.keyboard.press('Shift+A')
    const before = await countOf({ projectId: 'BULK' })
    await bar(page).getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog', { name: 'Delete 11 tasks?' }).getByRole('button', { name: 'Delete' }).click()
    await eventually(async () => (await countOf({ projectId: 'BULK' })) === before - 11)
    await stage.go(page, 'trash')
    const boxes = page.locator('.rows').getByRole('checkbox')
    await boxes.nth(0).check()
    await boxes.nth(2).click({ modifiers: ['Shift'] })
    await page.getByRole('button', { name: 'Restore 3' }).waitFor()
    assert.deepEqual(await Promise.all([0, 1, 2, 3].map((at) => boxes.nth(at).isChecked())), [true, true, true, false])
    await page.keyboard.press('x')
    await page.getByRole('button', { name: 'Restore 2' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Restore selected' }).waitFor()
    await page.getByLabel('Select all shown').check()
    assert.deepEqual(await violationsIn(page), [])
    await page.getByRole('button', { name: 'Restore 11' }).click()
    await page.locator('.toast').getByText('11 records: restored').waitFor()
    assert.equal(await countOf({ projectId: 'BULK' }), before)
    await undo(page)
    await eventually(async () => (await countOf({ projectId: 'BULK' })) === before - 11)
  })

  it('lets someone who is no admin undo a change of many, except what others changed since', async () => {
    const { key } = await stage.wl.keys.create({ name: 'member', scopes: ['tasks:write'] })
    const page = await stage.open('p/BULK/list?q=Task 2', { key: key! })
    await page.locator('[data-card="BULK-2"]').waitFor()
    await page.keyboard.press('Shift+A')
    await choose(page, 'Status', 'In review')
    await eventually(async () => (await countOf({ status: 'in_review' })) === 11)
    await stage.wl.tasks.update('BULK-2', { title: 'Task 2, theirs' })
    await undo(page)
    await eventually(async () => (await countOf({ status: 'in_review' })) === 1)
    const refused = page.getByRole('dialog', { name: '1 task not put back' })
    await refused.getByText('BULK-2', { exact: true }).waitFor()
    await refused.getByText(/has changed it since\.$/).waitFor()
  })
})
