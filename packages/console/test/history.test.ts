import assert from 'node:assert/strict'
import { before } from 'node:test'
import { Worklore } from 'worklore-client'
import { engines } from 'worklore-testing/engines'
import { describeConsole } from './console-stage.js'
import { eventually } from './eventually.js'
import { it, journey } from './journeys.js'

describeConsole('history, trash and undo in the console', engines.slice(0, 1), (stage) => {
  before(async () => {
    await stage.wl.projects.create({ key: 'HIST', name: 'History' })
    await stage.wl.tasks.create({ projectId: 'HIST', title: 'As it was' })
    await stage.wl.tasks.create({ projectId: 'HIST', title: 'Deleted by mistake' })
  })

  it('undo one change of a task', async () => {
    await stage.wl.tasks.update('HIST-1', { title: 'As it should not be', priority: 'urgent' })
    const page = await stage.open('p/HIST/board?task=HIST-1')
    await page.getByRole('tab', { name: 'History' }).click()
    await page.getByRole('button', { name: 'Undo the change of version 2' }).click()
    await eventually(async () => {
      const { title, priority } = await stage.wl.tasks.get('HIST-1')
      return title === 'As it was' && priority === 'medium'
    })
    const toast = page.locator('.toast').filter({ hasText: 'Version 2 of HIST-1 taken back' })
    await toast.getByRole('button', { name: 'Undo' }).click()
    await eventually(async () => (await stage.wl.tasks.get('HIST-1')).title === 'As it should not be')
    await page.getByRole('button', { name: 'Undo the change of version 2' }).click()
    await eventually(async () => (await stage.wl.tasks.get('HIST-1')).title === 'As it was')
    // A claim that the change ended does not come back: the task is handed out again.
    await stage.wl.tasks.claim('HIST-1')
    const { version } = await stage.wl.tasks.update('HIST-1', { status: 'cancelled' })
    await page.getByRole('button', { name: `Undo the change of version ${version}` }).click()
    await eventually(async () => (await stage.wl.tasks.get('HIST-1')).status === 'todo')
    // What a person set without a claim comes back as it was.
    await stage.wl.tasks.update('HIST-1', { status: 'in_progress' })
    const done = await stage.wl.tasks.update('HIST-1', { status: 'done' })
    await page.getByRole('button', { name: `Undo the change of version ${done.version}` }).click()
    await eventually(async () => (await stage.wl.tasks.get('HIST-1')).status === 'in_progress')
  })

  it('compare versions of a text and bring one back', async () => {
    await stage.wl.knowledge.put('old plan', { content: 'no line' })
    await stage.wl.knowledge.put('plan', { content: 'first line\nsecond line', supersedes: ['old plan'] })
    await stage.wl.knowledge.put('plan', { content: 'first line\nanother line', supersedes: [] })
    await stage.wl.knowledge.put('other plan', { content: 'other lines', supersedes: ['old plan'] })
    const page = await stage.open('k/plan?versions=1')
    await page.locator('.diff-line.removed').getByText('second line').waitFor()
    await page.locator('.diff-line.added').getByText('another line').waitFor()
    await page.getByRole('button', { name: /^v1/ }).click()
    await page.getByRole('button', { name: 'Restore version 1' }).click()
    await eventually(async () => (await stage.wl.knowledge.get('plan')).content === 'first line\nsecond line')
    await page.getByText('Version 1 is the newest one again. It no longer replaces old plan').waitFor()
  })

  it('bring back what was deleted, from the message and from the trash', async () => {
    const page = await stage.open('p/HIST/board?task=HIST-2')
    const remove = async (): Promise<void> => {
      await page.getByRole('button', { name: 'Actions on HIST-2' }).click()
      await page.getByRole('option', { name: 'Delete' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    }
    await remove()
    await page.getByRole('button', { name: 'Restore', exact: true }).click()
    const card = page.locator('[data-card="HIST-2"]')
    await card.waitFor()
    await stage.go(page, 'p/HIST/board?task=HIST-2')
    await remove()
    await card.waitFor({ state: 'detached' })
    // The card goes with the event, which may be here before the answer.
    await page.locator('.toast').getByText('HIST-2 is in the trash').waitFor()
    await page.keyboard.press('u')
    await page.getByText('Undone: HIST-2 deleted').nth(1).waitFor()
    await card.waitFor()
    await stage.go(page, 'p/HIST/board?task=HIST-2')
    await remove()
    await card.waitFor({ state: 'detached' })
    await stage.go(page, 'trash')
    await page.getByRole('button', { name: 'Restore Deleted by mistake' }).click()
    await eventually(async () => (await stage.wl.tasks.get('HIST-2').catch(() => null))?.title === 'Deleted by mistake')
  })

  journey('undo what a key did, after a dry run that shows the conflicts', async () => {
    const key = await stage.wl.keys.create({ name: 'rogue', scopes: ['tasks:write'] })
    const rogue = new Worklore({ baseUrl: stage.service.baseUrl, apiKey: key.key! })
    await rogue.tasks.update('HIST-1', { title: 'Rogue one' })
    await rogue.tasks.update('HIST-2', { title: 'Rogue two' })
    await stage.wl.tasks.update('HIST-2', { title: 'Mended since' })
    const page = await stage.open(`events?actor=${key.id}&undo=1`)
    await page.getByText('1 will be reverted').waitFor()
    await page.getByRole('list', { name: 'Conflicts' }).getByText('HIST-2').waitFor()
    assert.equal((await stage.wl.tasks.get('HIST-1')).title, 'Rogue one')
    await page.getByRole('button', { name: 'Undo 1 change' }).click()
    await eventually(async () => (await stage.wl.tasks.get('HIST-1')).title === 'As it was')
    assert.equal((await stage.wl.tasks.get('HIST-2')).title, 'Mended since')
  })

  it('show every entry of the trash, of a task’s history and of an item’s versions, page by page', async () => {
    const numbers = Array.from({ length: 120 }, (_, at) => at + 1)
    const { id } = await stage.wl.tasks.create({ projectId: 'HIST', title: 'Version 1' })
    for (const at of numbers.slice(1)) await stage.wl.tasks.update(id, { title: `Version ${at}` })
    for (const at of numbers) await stage.wl.knowledge.put('often', { content: `Version ${at}` })
    for (const at of numbers) {
      await stage.wl.knowledge.put(`gone/${at}`, { content: 'Gone' })
      await stage.wl.knowledge.delete(`gone/${at}`)
    }
    const page = await stage.open('trash?kind=knowledge')
    const showAll = async (rows: string, button: string): Promise<void> => {
      await eventually(async () => {
        if ((await page.locator(rows).count()) >= numbers.length) return true
        const more = page.getByRole('button', { name: button })
        if ((await more.count()) > 0 && (await more.isEnabled())) await more.click()
        return false
      })
    }
    await showAll('.rows .row', 'Show more')
    await stage.go(page, 'k/often?versions=1')
    await showAll('.version-list .version', 'Show older versions')
    await stage.go(page, `p/HIST/board?task=${id}`)
    await page.getByRole('tab', { name: 'History' }).click()
    await showAll('.history > li', 'Show more')
    await stage.wl.tasks.update(id, { title: 'One more' })
    await eventually(async () => (await page.locator('.history > li').count()) > numbers.length)
  })
})
