import assert from 'node:assert/strict'
import { before } from 'node:test'
import type { Page } from 'playwright-core'
import { Worklore } from 'worklore-client'
import { engines } from 'worklore-testing/engines'
import { checkLooks } from './axe.js'
import { describeConsole } from './console-stage.js'
import { eventually } from './eventually.js'
import { it, journey } from './journeys.js'

const column = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
/** It is there once the pointer is over the task. */
const openStatus = async (page: Page, id: string): Promise<void> => {
  await card(page, id).hover()
  await card(page, id)
    .getByRole('button', { name: /^Status/ })
    .click()
}

const card = (page: Page, id: string) => page.locator(`[data-card="${id}"]`)

const paragraphs = ['# Setup', 'Install the program.', 'Start it.', 'Open the console.', 'Invite the others.']
const textWith = (changes: Record<number, string>): string =>
  paragraphs.map((line, index) => changes[index] ?? line).join('\n\n')

describeConsole('people’s work in the console', engines.slice(0, 1), (stage) => {
  let atlas: Worklore
  let atlasId: string
  before(async () => {
    const { wl, service } = stage
    await wl.projects.create({ key: 'CARE', name: 'Care' })
    for (const title of ['Write the guide', 'Fix the login', 'Ship it'])
      await wl.tasks.create({ projectId: 'CARE', title })
    const key = await wl.keys.create({ name: 'atlas', scopes: ['tasks:write', 'knowledge:write'] })
    atlasId = key.id
    atlas = new Worklore({ baseUrl: service.baseUrl, apiKey: key.key! })
  })

  journey(
    'is merged with what others save meanwhile, and shown side by side where both changed the same lines',
    async () => {
      await stage.wl.knowledge.put('setup', { content: textWith({}) })
      const page = await stage.open('k/setup?edit=1')
      const editor = page.getByRole('textbox', { name: 'Text of setup' })
      await editor.click()
      await page.keyboard.press('Control+Home')
      await page.keyboard.press('End')
      await page.keyboard.type(' by hand')

      // A change of other lines is merged, and the caret stays in place.
      await atlas.knowledge.put('setup', { content: textWith({ 4: 'Invite everyone.' }) })
      await page.getByText(/atlas saved version 2 while you were editing\. It is merged/).waitFor()
      await page.keyboard.type(', twice')
      await page.getByText('Show what came in').click()
      await page.locator('.diff-line.added').getByText('Invite everyone.').waitFor()
      await checkLooks(page)
      assert.deepEqual((await editor.innerText()).split(/\n+/).at(-1), 'Invite everyone.')
      assert.equal((await editor.innerText()).split(/\n+/)[0], '# Setup by hand, twice')
      // Undo reverts what was typed, but keeps the merged change.
      await editor.focus()
      await eventually(async () => {
        await page.keyboard.press('Control+z')
        return (await editor.innerText()).startsWith('# Setup\n')
      })
      assert.match(await editor.innerText(), /Invite everyone\./)
      await page.keyboard.type(' by hand')

      // Two changes of the same lines are two conflicts, and each is decided separately.
      await page.keyboard.press('Control+End')
      await page.keyboard.type(' At once.')
      await atlas.knowledge.put('setup', { content: textWith({ 0: '# Set up', 2: 'Start it now.', 4: 'Invite all.' }) })
      const conflict = page.getByRole('region', { name: 'Conflict' })
      await conflict.getByText(/in 2 places/).waitFor()
      await checkLooks(page)
      const merge = conflict.getByRole('button', { name: 'Merge as chosen' })
      assert.equal(await merge.isDisabled(), true)
      const [first, second] = [
        conflict.getByRole('group', { name: 'Place 1 of 2' }),
        conflict.getByRole('group', { name: 'Place 2 of 2' }),
      ]
      await first.getByText('Set up').waitFor()
      await first.getByRole('radio', { name: 'Mine' }).focus()
      await page.keyboard.press(' ')
      await second.getByRole('radio', { name: 'Both' }).check()
      await merge.click()
      await conflict.waitFor({ state: 'detached' })
      await page.keyboard.press('Control+s')
      await eventually(async () => (await stage.wl.knowledge.get('setup')).version === 4)
      assert.equal(
        (await stage.wl.knowledge.get('setup')).content,
        textWith({ 0: '# Setup by hand', 2: 'Start it now.', 4: 'Invite all.\nInvite everyone. At once.' }),
      )
    },
  )

  it('is merged when a draft is restored, and when two people save at once', async () => {
    await stage.wl.tasks.update('CARE-1', { description: textWith({}) })
    const page = await stage.open('p/CARE/board?task=CARE-1')
    const edit = async (of: Page, keys: string, text: string): Promise<void> => {
      await of.getByRole('button', { name: 'Edit', exact: true }).click()
      await of.getByRole('textbox', { name: 'Description of CARE-1' }).click()
      await of.keyboard.press(keys)
      await of.keyboard.press('End')
      await of.keyboard.type(text)
    }
    await edit(page, 'Control+Home', ' by me')
    await page.getByRole('button', { name: 'Close', exact: true }).click()
    await atlas.tasks.update('CARE-1', { description: textWith({ 4: 'Invite nobody.' }) })
    await page.goto(stage.url('p/CARE/board?task=CARE-1'))
    await page.getByText(/atlas saved version 3 while you were editing\. It is merged/).waitFor()

    const other = await stage.tab(page, 'p/CARE/board?task=CARE-2')
    await other.evaluate(() => localStorage.clear())
    await page.keyboard.press('Control+s')
    await eventually(async () => (await stage.wl.tasks.get('CARE-1')).version === 4)
    assert.equal(
      (await stage.wl.tasks.get('CARE-1')).description,
      textWith({ 0: '# Setup by me', 4: 'Invite nobody.' }),
    )

    // Two editors; what the first one saves comes between the second one's change and the service.
    const first = await stage.open('p/CARE/board?task=CARE-1')
    await edit(first, 'Control+Home', ', again')
    const second = await stage.open('p/CARE/board?task=CARE-1')
    await edit(second, 'Control+End', ' Or all.')
    let isSaved = false
    await second.route('**/v1/tasks/CARE-1', async (route) => {
      if (route.request().method() === 'PATCH' && !isSaved) {
        isSaved = true
        await first.keyboard.press('Control+s')
        await eventually(async () => (await stage.wl.tasks.get('CARE-1')).version === 5)
      }
      await route.continue()
    })
    await second.keyboard.press('Control+s')
    await second.getByText(/It is merged into your text/).waitFor()
    await second.getByRole('button', { name: 'Save' }).click()
    await eventually(async () => (await stage.wl.tasks.get('CARE-1')).version === 6)
    assert.equal(
      (await stage.wl.tasks.get('CARE-1')).description,
      textWith({ 0: '# Setup by me, again', 4: 'Invite nobody. Or all.' }),
    )
  })

  it('is not taken from an agent without a question', async () => {
    const claim = () => atlas.tasks.claim('CARE-2', { worker: 'worker-7' })
    const stateOf = async () => {
      const { status, claim: held } = await stage.wl.tasks.get('CARE-2')
      return [status, held?.worker ?? null]
    }
    await claim()
    const page = await stage.open('p/CARE/board')
    const dialog = page.getByRole('dialog', { name: 'Take CARE-2 from worker-7 of atlas?' })
    const held = column(page, 'In progress').locator('[data-card="CARE-2"]')

    // Dragged.
    await held.waitFor()
    const from = (await held.boundingBox())!
    const to = (await column(page, 'Done').boundingBox())!
    await page.mouse.move(from.x + 60, from.y + 50)
    await page.locator('[data-card="CARE-2"][draggable="true"]').waitFor()
    await page.mouse.down()
    await page.mouse.move(from.x + 90, from.y + 60, { steps: 4 })
    await page.mouse.move(to.x + 80, to.y + 120, { steps: 8 })
    await page.mouse.up()
    await dialog.getByRole('listitem').getByText('worker-7 of atlas').waitFor()
    await checkLooks(page)
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await held.waitFor()
    assert.deepEqual(await stateOf(), ['in_progress', 'worker-7'])

    // By keys, with the way back.
    await page.keyboard.press('j')
    await page.keyboard.press('l')
    await page.keyboard.press('>')
    await dialog.waitFor()
    // Enter alone takes nothing away.
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'detached' })
    assert.deepEqual(await stateOf(), ['in_progress', 'worker-7'])
    await page.keyboard.press('>')
    await dialog.getByRole('button', { name: 'Move to In review' }).press('Enter')
    await column(page, 'In review').locator('[data-card="CARE-2"]').waitFor()
    await eventually(async () => (await stateOf()).join() === 'in_review,')
    const toast = page.locator('.toast')
    await toast.getByText('CARE-2 → In review. worker-7 of atlas no longer holds it.').waitFor()
    await toast.getByRole('button', { name: 'Undo' }).click()
    // To do, where agents find it: nobody holds it any longer.
    await column(page, 'To do').locator('[data-card="CARE-2"]').waitFor()
    await toast.getByText(/atlas must claim it again/).waitFor()
    assert.deepEqual(await stateOf(), ['todo', null])

    // In the drawer and the list.
    await claim()
    await page.keyboard.press('Enter')
    const drawer = page.getByRole('complementary', { name: 'Task CARE-2' })
    await drawer.getByText('holds this task').waitFor()
    await drawer.getByRole('button', { name: 'In progress', exact: true }).click()
    await page.getByRole('option', { name: 'Done' }).click()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await stage.go(page, 'p/CARE/list')
    await openStatus(page, 'CARE-2')
    await page.getByRole('option', { name: 'To do' }).click()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    assert.deepEqual(await stateOf(), ['in_progress', 'worker-7'])
    // Back in To do there is nothing to put back.
    await openStatus(page, 'CARE-2')
    await page.getByRole('option', { name: 'To do' }).click()
    await dialog.getByRole('button', { name: 'Move to To do' }).click()
    const told = toast.filter({ hasText: 'CARE-2 → To do. worker-7 of atlas no longer holds it.' })
    await told.waitFor()
    assert.equal(await told.getByRole('button', { name: 'Undo' }).count(), 0)
    await page.keyboard.press('u')
    await toast.getByText('Nothing to undo').waitFor()
    assert.deepEqual(await stateOf(), ['todo', null])
    // What nobody holds is moved without a question.
    await openStatus(page, 'CARE-3')
    await page.getByRole('option', { name: 'Done' }).click()
    await eventually(async () => (await stage.wl.tasks.get('CARE-3')).status === 'done')
    assert.equal(await page.getByRole('dialog').count(), 0)

    // By its history, by a deletion and by undoing what the agent did.
    await claim()
    await stage.go(page, 'p/CARE/board?task=CARE-2')
    await drawer.getByText('holds this task').waitFor()
    await drawer.getByRole('tab', { name: 'History' }).click()
    const claimed = drawer.getByRole('listitem').filter({ hasText: 'claimed it' }).first()
    await claimed.getByRole('button', { name: /^Undo/ }).click()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    assert.deepEqual(await stateOf(), ['in_progress', 'worker-7'])
    await drawer.getByRole('button', { name: 'Actions on CARE-2' }).click()
    await page.getByRole('option', { name: 'Delete' }).click()
    const deleting = page.getByRole('dialog', { name: 'Delete CARE-2?' })
    await deleting.getByText('CARE-2, held by worker-7 of atlas').waitFor()
    await checkLooks(page)
    await deleting.getByRole('button', { name: 'Cancel' }).click()
    await claimed.getByRole('button', { name: /^Undo/ }).click()
    await dialog.getByRole('button', { name: 'Move to To do' }).click()
    await toast.getByText(/^Version \d+ of CARE-2 taken back\. worker-7 of atlas no longer holds it\.$/).waitFor()
    await eventually(async () => (await stateOf()).join() === 'todo,')
    const { id } = await stage.wl.tasks.create({ projectId: 'CARE', title: 'Claimed once' })
    await atlas.tasks.claim(id, { worker: 'worker-8' })
    await stage.go(page, `events?actor=${atlasId}&undo=1`)
    const undoing = page.getByRole('dialog', { name: 'Undo changes by atlas' })
    await undoing.getByText(`${id}, held by worker-8 of atlas`).waitFor()
  })

  it('is offered when its task is deleted meanwhile', async () => {
    const { id } = await stage.wl.tasks.create({ projectId: 'CARE', title: 'Deleted by someone' })
    const page = await stage.open(`p/CARE/board?task=${id}&edit=1`)
    await page.getByRole('textbox', { name: `Description of ${id}` }).click()
    await page.keyboard.type('An hour of work')
    await atlas.tasks.delete(id)
    const drawer = page.getByRole('complementary', { name: `Task ${id}` })
    const kept = drawer.getByRole('region', { name: 'Your unsaved description' }).getByText('An hour of work')
    await kept.waitFor()
    await checkLooks(page)
    await page.reload()
    await kept.waitFor()
    await drawer.getByRole('button', { name: 'Restore the task and go on' }).click()
    await page.getByText('Your unsaved draft was restored.').waitFor()
    await drawer.getByRole('button', { name: 'Save' }).click()
    await eventually(async () => (await stage.wl.tasks.get(id)).description === 'An hour of work')
  })

  it('goes back to what it was since an exact time, and forth again by one button', async () => {
    const { id } = await stage.wl.tasks.create({ projectId: 'CARE', title: 'As it was', description: 'Short' })
    const before = new Date(Math.floor(Date.now() / 1_000) * 1_000)
    await new Promise((resolve) => setTimeout(resolve, 1_100))
    const page = await stage.open(`events?actor=${atlasId}&undo=1`, { timezoneId: 'Europe/Berlin' })
    await atlas.tasks.update(id, { title: 'As it should not be', priority: 'urgent', description: 'Long' })
    await atlas.tasks.comments(id).create({ body: 'Done' })
    const dialog = page.getByRole('dialog', { name: 'Undo changes by atlas' })
    const since = dialog.getByLabel('Everything it changed since')
    const wanted = new Date(before.getTime() + 1_000)
    const local = new Date(wanted.getTime() + 3_600_000).toISOString().slice(0, 19)
    await since.fill(local)
    await since.press('Enter')
    await eventually(async () => new URL(page.url()).searchParams.get('undo') === wanted.toISOString())
    await dialog.getByText('2 will be reverted').waitFor()
    const list = dialog.getByRole('list', { name: 'Will be reverted' })
    await list.getByText(`a comment on ${id}`).waitFor()
    const row = list.getByRole('listitem').filter({ hasText: 'As it was' }).last()
    assert.match((await row.innerText()).replace(/\s+/g, ' '), /title As it should not be → As it was/)
    assert.match((await row.innerText()).replace(/\s+/g, ' '), /priority urgent → medium/)
    await row.getByText('description: show the difference').click()
    await row.locator('.diff-line.added').getByText('Short').waitFor()
    await checkLooks(page)
    await page.reload()
    // Browsers leave out seconds that are zero.
    assert.equal((await since.inputValue()).padEnd(local.length, ':00'), local)
    await dialog.getByRole('button', { name: 'Undo 2 changes' }).click()
    await dialog.getByText(/^2 records went back to what they were at /).waitFor()
    const task = await stage.wl.tasks.get(id)
    assert.deepEqual([task.title, task.priority, task.commentCount], ['As it was', 'medium', 0])
    await checkLooks(page)
    await dialog.getByRole('button', { name: 'Undo this undo' }).click()
    await page.getByText('The undo is undone: 2 records changed back').waitFor()
    const again = await stage.wl.tasks.get(id)
    assert.deepEqual([again.title, again.priority, again.commentCount], ['As it should not be', 'urgent', 1])
    await dialog.waitFor({ state: 'detached' })
  })
})
