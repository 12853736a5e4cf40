import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import type { Page } from 'playwright-core'
import { engines } from 'worklore-testing/engines'
import { describeConsole } from './console-stage.js'
import { eventually } from './eventually.js'

const drawer = (page: Page) => page.getByRole('complementary')

/** Lets someone else come between: `change` is made after the page has sent its change, and before it arrives. */
const comeBetween = async (page: Page, id: string, change: () => Promise<unknown>): Promise<void> => {
  let isDone = false
  await page.route(`**/v1/tasks/${id}`, async (route) => {
    if (route.request().method() === 'PATCH' && !isDone) {
      isDone = true
      await change()
    }
    await route.continue()
  })
}

const patchesOf = (page: Page): unknown[] => {
  const patches: unknown[] = []
  page.on('request', (request) => {
    if (request.method() === 'PATCH') patches.push(request.postDataJSON())
  })
  return patches
}

describeConsole('editing a task in the console', engines.slice(0, 1), (stage) => {
  let agent: Awaited<ReturnType<typeof stage.wl.keys.create>>
  const asAgent = (id: string, body: object) => stage.service.patch(`/v1/tasks/${id}`, body, { key: agent.key! })
  const create = async (more: object = {}): Promise<string> =>
    (await stage.wl.tasks.create({ projectId: 'ACME', title: 'Write the guide', ...more })).id

  before(async () => {
    await stage.wl.projects.create({ key: 'ACME', name: 'Acme' })
    agent = await stage.wl.keys.create({ name: 'atlas', scopes: ['tasks:write'] })
  })

  it('puts the caret at the end of a comment to edit, and brings a deleted one back', async () => {
    const id = await create()
    const comments = stage.wl.tasks.comments(id)
    await comments.create({ body: 'First' })
    const page = await stage.open(`p/ACME/board?task=${id}`)
    const menu = drawer(page).getByRole('button', { name: 'Actions on this comment' })
    await menu.focus()
    await page.keyboard.press('Control+Enter')
    assert.equal(await page.getByRole('listbox').count(), 0)
    await page.keyboard.press('Enter')
    await page.getByRole('listbox').waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Control+Enter')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Enter')
    await drawer(page).getByLabel('Edit the comment').waitFor()
    await page.keyboard.type(' and last')
    await page.keyboard.press('Control+Enter')
    await drawer(page).locator('.comment').getByText('First and last').waitFor()

    await menu.click()
    await page.getByRole('option', { name: 'Delete' }).click()
    await drawer(page).locator('.comment').waitFor({ state: 'detached' })
    await page.locator('.toast').getByRole('button', { name: 'Restore' }).click()
    await drawer(page).locator('.comment').getByText('First and last').waitFor()
    assert.equal((await comments.list()).data.length, 1)
  })

  it('asks before it saves a comment over another version of it', async () => {
    const id = await create()
    const comments = stage.wl.tasks.comments(id)
    const comment = await comments.create({ body: 'Base' })
    const page = await stage.open(`p/ACME/board?task=${id}`)
    await drawer(page).getByRole('button', { name: 'Actions on this comment' }).click()
    await page.getByRole('option', { name: 'Edit' }).click()
    await page.keyboard.type(' mine')
    await comments.update(comment.id, { body: 'Theirs' })
    await drawer(page).getByRole('region', { name: 'Conflict' }).waitFor()
    await drawer(page).getByRole('button', { name: 'Keep mine' }).click()
    await eventually(async () => (await comments.get(comment.id)).body === 'Base mine')
  })

  it('saves a due date once it is typed, and not before', async () => {
    const id = await create({ dueDate: '2030-01-31' })
    const page = await stage.open(`p/ACME/board?task=${id}`)
    const patches = patchesOf(page)
    const field = drawer(page).getByLabel('Due date', { exact: true })
    await field.focus()
    await page.keyboard.type('05172031')
    await page.waitForTimeout(300)
    assert.deepEqual(patches, [])
    await page.keyboard.press('Enter')
    await eventually(async () => (await stage.wl.tasks.get(id)).dueDate?.slice(0, 10) === '2031-05-17')
    assert.deepEqual(patches, [{ dueDate: '2031-05-17' }])

    await page.keyboard.type('0618')
    await page.keyboard.press('Escape')
    assert.equal(await field.inputValue(), '2031-05-17')
    await field.focus()
    await page.keyboard.type('06180020')
    await field.blur()
    assert.equal(await field.inputValue(), '2031-05-17')
    await field.focus()
    await page.keyboard.type('06182032')
    await field.blur()
    await eventually(async () => (await stage.wl.tasks.get(id)).dueDate?.slice(0, 10) === '2032-06-18')
    assert.equal(patches.length, 2)

    // A choice in the browser's own calendar arrives without a key pressed in the field.
    await field.focus()
    await field.fill('2033-07-19')
    await eventually(async () => (await stage.wl.tasks.get(id)).dueDate?.slice(0, 10) === '2033-07-19')
  })

  it('opens the calendar by its button only', async () => {
    const id = await create()
    const page = await stage.open(`p/ACME/board?task=${id}`)
    await page.evaluate(() => {
      HTMLInputElement.prototype.showPicker = () => document.body.setAttribute('data-picker', 'shown')
    })
    const shown = () => page.evaluate(() => document.body.dataset.picker === 'shown')
    await drawer(page).getByLabel('Due date', { exact: true }).click()
    assert.equal(await shown(), false)
    await drawer(page).getByRole('button', { name: 'Open the calendar' }).click()
    assert.equal(await shown(), true)
  })

  it('keeps both titles when someone else came between, until it is decided', async () => {
    for (const [choice, title] of [
      ['Keep mine', 'My title'],
      ['Take theirs', 'Their title'],
    ] as const) {
      const id = await create()
      const page = await stage.open(`p/ACME/board?task=${id}`)
      await comeBetween(page, id, () => asAgent(id, { title: 'Their title' }))
      const field = drawer(page).getByRole('textbox', { name: 'Title' })
      await field.fill('My title')
      await page.keyboard.press('Enter')
      await drawer(page)
        .getByText(/atlas saved version 2 while you were editing version 1/)
        .waitFor()
      assert.equal((await stage.wl.tasks.get(id)).title, 'Their title')
      assert.equal(await field.inputValue(), 'My title')
      assert.equal(await page.locator('.toast').count(), 0)
      await drawer(page).getByRole('button', { name: choice }).click()
      await drawer(page).getByRole('region', { name: 'Conflict' }).waitFor({ state: 'detached' })
      await eventually(async () => (await field.inputValue()) === title)
      await eventually(async () => (await stage.wl.tasks.get(id)).title === title)
    }
  })

  it('saves a title without asking when only other fields were changed meanwhile', async () => {
    const id = await create()
    const page = await stage.open(`p/ACME/board?task=${id}`)
    await comeBetween(page, id, () => asAgent(id, { priority: 'high' }))
    await drawer(page).getByRole('textbox', { name: 'Title' }).fill('My title')
    await page.keyboard.press('Enter')
    await eventually(async () => (await stage.wl.tasks.get(id)).title === 'My title')
    assert.equal((await stage.wl.tasks.get(id)).priority, 'high')
    assert.equal(await page.getByRole('region', { name: 'Conflict' }).count(), 0)
  })

  it('adds and removes labels and blockers without undoing those of others', async () => {
    const [first, second] = [await create(), await create()]
    const id = await create({ labels: ['old', 'kept'] })
    const page = await stage.open(`p/ACME/board?task=${id}`)
    await comeBetween(page, id, () => asAgent(id, { labels: ['old', 'kept', 'theirs'], blockedBy: [first] }))
    await drawer(page).getByRole('button', { name: 'Labels' }).click()
    await page.getByRole('combobox', { name: 'Labels' }).fill('old')
    await page.keyboard.press('Enter')
    await eventually(async () => (await stage.wl.tasks.get(id)).labels.join() === 'kept,theirs')
    await page.keyboard.press('Escape')
    await drawer(page).getByRole('button', { name: 'Add a blocker' }).click()
    await page.unroute(`**/v1/tasks/${id}`)
    await comeBetween(page, id, () => asAgent(id, { blockedBy: [] }))
    await drawer(page).getByLabel('Find the blocking task by id or title').fill(second)
    await drawer(page).getByRole('option', { name: second }).waitFor()
    await page.keyboard.press('Enter')
    await eventually(async () => (await stage.wl.tasks.get(id)).blockedBy.join() === second)
  })

  it('does not undo over what others changed since, and says so', async () => {
    const id = await create({ labels: ['kept'] })
    const page = await stage.open(`p/ACME/board?task=${id}`)
    await drawer(page).getByRole('button', { name: 'Labels' }).click()
    await page.getByRole('combobox', { name: 'Labels' }).fill('mine')
    await page.keyboard.press('Enter')
    await eventually(async () => (await stage.wl.tasks.get(id)).labels.join() === 'kept,mine')
    await page.keyboard.press('Escape')
    await asAgent(id, { labels: ['kept', 'mine', 'theirs'] })
    await page.keyboard.press('u')
    await page
      .locator('.toast')
      .getByText(/^Could not undo .* has changed it since\.$/)
      .waitFor()
    assert.equal((await stage.wl.tasks.get(id)).labels.join(), 'kept,mine,theirs')
  })

  it('takes back texts, links and comments, the last first', async () => {
    const id = await create({ description: 'One.' })
    const blocker = await create()
    const page = await stage.open(`p/ACME/board?task=${id}`)
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    await page.getByRole('textbox', { name: `Description of ${id}` }).click()
    await page.keyboard.press('Control+End')
    await page.keyboard.type(' Two.')
    await page.keyboard.press('Control+s')
    await page.locator('.description').getByText('One. Two.').waitFor()
    await drawer(page).getByRole('button', { name: 'Add a blocker' }).click()
    await page.keyboard.type(blocker)
    await page.keyboard.press('Enter')
    await drawer(page)
      .getByRole('button', { name: `Remove ${blocker}` })
      .waitFor()
    await page.getByRole('textbox', { name: 'Write a comment' }).fill('Too soon.')
    await page.keyboard.press('Control+Enter')
    const comment = page.locator('.comment').getByText('Too soon.')
    await comment.waitFor()
    await page.locator('.comment-menu button').click()
    await page.getByRole('option', { name: 'Delete' }).click()
    await comment.waitFor({ state: 'detached' })

    const takeBack = async (said: string): Promise<void> => {
      await page.locator('.drawer').focus()
      await page.keyboard.press('u')
      await page.locator('.toast').getByText(`Undone: ${said}`).waitFor()
    }
    await takeBack('The comment deleted')
    await comment.waitFor()
    await takeBack(`Comment on ${id}`)
    await comment.waitFor({ state: 'detached' })
    await takeBack(`${blocker} added to ${id}`)
    assert.deepEqual((await stage.wl.tasks.get(id)).blockedBy, [])
    await takeBack(`Description of ${id}`)
    assert.equal((await stage.wl.tasks.get(id)).description, 'One.')
  })
})
