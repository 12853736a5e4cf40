import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import type { Page } from 'playwright-core'
import { enginesBehindService } from 'worklore-testing/engines'
import { describeConsole } from './console-stage.js'
import { eventually } from './eventually.js'

const column = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

describeConsole('statuses of a project in the console', enginesBehindService, (stage) => {
  before(async () => {
    await stage.wl.projects.create({
      key: 'OWN',
      name: 'Own',
      statuses: [
        { status: 'backlog', name: 'Backlog', category: 'todo' },
        { status: 'done', name: 'Done', category: 'done' },
        { status: 'selected', name: 'Selected', category: 'todo' },
        { status: 'dev', name: 'In development', category: 'in_progress' },
        { status: 'qa', name: 'In QA', category: 'in_review' },
        { status: 'dropped', name: 'Dropped', category: 'cancelled' },
      ],
    })
    for (const title of ['One', 'Two']) await stage.wl.tasks.create({ projectId: 'OWN', title })
  })

  it('are the columns of the board, those of a category together', async () => {
    const page = await stage.open('p/OWN/board')
    await column(page, 'Backlog').locator('[data-card="OWN-1"]').waitFor()
    const names = await page.locator('.column-head h2').allTextContents()
    assert.deepEqual(names, ['Backlog', 'Selected', 'In development', 'In QA', 'Done'])
    await page.keyboard.press('j')
    for (const _ of ['Selected', 'In development', 'In QA']) await page.keyboard.press('>')
    await column(page, 'In QA').locator('[data-card="OWN-1"]').waitFor()
    await eventually(async () => (await stage.wl.tasks.get('OWN-1')).status === 'qa')
    await stage.wl.tasks.update('OWN-2', { status: 'dropped' })
    await column(page, 'Dropped').locator('[data-card="OWN-2"]').waitFor()
    await stage.wl.tasks.update('OWN-2', { status: 'todo' })
    await column(page, 'Backlog').locator('[data-card="OWN-2"]').waitFor()
  })

  it('are offered in lists, menus and filters', async () => {
    const page = await stage.open('p/OWN/list')
    await page.getByRole('heading', { name: 'In QA' }).waitFor()
    // Under the name of its status, a row offers others once the pointer is over it.
    await page.locator('[data-card="OWN-1"]').hover()
    await page.getByRole('button', { name: 'Status: In QA' }).click()
    await page.getByRole('option', { name: 'Selected' }).click()
    await eventually(async () => (await stage.wl.tasks.get('OWN-1')).status === 'selected')
    await page.getByRole('heading', { name: 'Selected' }).waitFor()
    await stage.open('p/OWN/tree?status=backlog').then(async (tree) => {
      await tree.getByText('Two').waitFor()
      assert.equal(await tree.getByText('One', { exact: true }).count(), 0)
    })
  })

  it('are edited in the settings of the project, unless tasks have them', async () => {
    const page = await stage.open('projects')
    await page.getByRole('button', { name: 'Actions on OWN' }).click()
    await page.getByRole('option', { name: 'Settings' }).click()
    await page.getByRole('button', { name: 'Remove Selected' }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('"selected" (1)').waitFor()
    await stage.wl.tasks.update('OWN-1', { status: 'backlog' })
    await page.getByRole('button', { name: 'Add a status' }).click()
    await page.getByRole('textbox', { name: 'Name of status 6' }).fill('Waiting')
    await page.getByRole('combobox', { name: 'Category of status 6' }).selectOption('in_progress')
    await page.getByRole('button', { name: 'Save' }).click()
    await eventually(async () => {
      const { statuses } = await stage.wl.projects.get('OWN')
      return statuses?.some(({ status, category }) => status === 'waiting' && category === 'in_progress') ?? false
    })
    assert.ok(!(await stage.wl.projects.get('OWN')).statuses!.some(({ status }) => status === 'selected'))
  })

  it('that no project has are ignored in a filter', async () => {
    const page = await stage.open('p/OWN/list?status=nonsense,done')
    await page.getByText('No tasks match the filters').waitFor()
    await stage.go(page, 'p/OWN/list?status=nonsense')
    await page.getByText('Two').waitFor()
    assert.equal(await page.getByRole('button', { name: 'Status', exact: true }).textContent(), 'Status')
    await stage.go(page, 'tasks?status=nonsense,dropped')
    await page.getByText('No tasks match the filters').waitFor()
    await stage.go(page, 'tasks?status=nonsense')
    await page.getByText('Two').waitFor()
  })

  it('that are there no more are told in the history, and named by a favourite as they are', async () => {
    const { wl } = stage
    await wl.projects.create({ key: 'PLAIN', name: 'Plain' })
    const { id } = await wl.tasks.create({ projectId: 'OWN', title: 'Moved' })
    for (const status of ['dev', 'qa', 'backlog']) await wl.tasks.update(id, { status })
    await wl.tasks.delete(id)
    const [entry] = (await wl.trash.list({ kind: 'task' })).data
    await wl.trash.restore(entry!.id)
    await wl.tasks.move(id, 'PLAIN')
    await wl.tasks.update(id, { status: 'in_progress' })
    const { version } = await wl.tasks.update(id, { status: 'done' })
    const page = await stage.open(`p/PLAIN/board?task=${id}`)
    await page.getByRole('tab', { name: 'History' }).click()
    await page.getByRole('button', { name: `Undo the change of version ${version}` }).waitFor()
    assert.equal(await page.getByRole('button', { name: 'Undo the change of version 2' }).count(), 0)
    await stage.go(page, 'p/PLAIN/list?status=qa')
    await page.getByRole('button', { name: 'Add to favourites' }).click()
    await page.getByRole('link', { name: 'Plain list, qa' }).waitFor()
  })
})
