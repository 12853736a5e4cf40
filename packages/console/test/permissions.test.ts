import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { engines } from 'worklore/dist/test/engines.js'
import { describeConsole } from './console-stage.js'

describeConsole('a key that may do little', engines.slice(0, 1), (stage) => {
  before(async () => {
    await stage.wl.projects.create({ key: 'OPEN', name: 'Open' })
    await stage.wl.projects.create({ key: 'CLOSED', name: 'Closed' })
    await stage.wl.tasks.create({ projectId: 'OPEN', title: 'For all to see', description: 'Text' })
    await stage.wl.knowledge.put('note', { content: 'Read me' })
  })

  it('is offered nothing that it may not do: read only', async () => {
    const { key } = await stage.wl.keys.create({ name: 'reader', scopes: ['tasks:read', 'knowledge:read'] })
    const page = await stage.open('p/OPEN/board?task=OPEN-1', { key: key! })
    const drawer = page.getByRole('complementary', { name: 'Task OPEN-1' })
    await drawer.getByRole('heading', { name: 'For all to see' }).waitFor()
    for (const name of [/New task/, /^Edit$/, /Add a/, /Actions on OPEN-1/, 'Comment']) {
      assert.equal(await page.getByRole('button', { name }).count(), 0, String(name))
    }
    assert.ok(await drawer.getByRole('button', { name: 'To do' }).isDisabled())
    await page.keyboard.press('Escape')
    await page.keyboard.press('c')
    assert.equal(await page.getByRole('dialog').count(), 0)
    for (const name of ['Keys and people', 'Webhooks']) assert.equal(await page.getByRole('link', { name }).count(), 0)
    await page.goto(stage.url('k/note'))
    await page.getByText('Read me').waitFor()
    assert.equal(await page.getByRole('button', { name: 'Edit' }).count(), 0)
    await page.goto(stage.url('keys'))
    await page.getByText('admin').first().waitFor()
  })

  it('sees what it may not read named by its scope', async () => {
    const { key } = await stage.wl.keys.create({ name: 'writer of notes', scopes: ['knowledge:write'] })
    const page = await stage.open('p/OPEN/board', { key: key! })
    await page.getByText('tasks:read').waitFor()
    await page.goto(stage.url(''))
    await page.getByText('tasks:read').waitFor()
  })

  it('sees its projects alone, and does not write what all share', async () => {
    const { key } = await stage.wl.keys.create({
      name: 'limited',
      scopes: ['tasks:write', 'knowledge:write'],
      projectIds: ['OPEN'],
    })
    const page = await stage.open('k/note', { key: key! })
    await page.getByText('Read me').waitFor()
    assert.equal(await page.getByRole('button', { name: 'Edit' }).count(), 0)
    await page.goto(stage.url('p/OPEN/board'))
    await page.getByText('For all to see').waitFor()
    assert.equal(await page.getByRole('link', { name: /Closed/ }).count(), 0)
  })
})
