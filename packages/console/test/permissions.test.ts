import assert from 'node:assert/strict'
import { before } from 'node:test'
import { engines } from 'worklore-testing/engines'
import { describeConsole } from './console-stage.js'
import { it, journey } from './journeys.js'

describeConsole('a key that may do little', engines.slice(0, 1), (stage) => {
  before(async () => {
    await stage.wl.projects.create({ key: 'OPEN', name: 'Open' })
    await stage.wl.projects.create({ key: 'CLOSED', name: 'Closed' })
    await stage.wl.tasks.create({ projectId: 'OPEN', title: 'For all to see', description: 'Text' })
    await stage.wl.knowledge.put('note', { content: 'Read me' })
  })

  journey('is offered nothing that it may not do: read only', async () => {
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

  it('does not ask for what its scopes rule out', async () => {
    const { key } = await stage.wl.keys.create({ name: 'reader of notes', scopes: ['knowledge:read'] })
    const worker = await stage.wl.keys.create({ name: 'worker', scopes: ['tasks:write', 'knowledge:write'] })
    await stage.service.put('/v1/knowledge/by-the-worker', { content: 'Done' }, { key: worker.key! })
    const page = await stage.open('', { key: key! })
    const refused: string[] = []
    page.on('response', (response) => {
      if (response.status() === 403) refused.push(response.url())
    })
    for (const [path, text] of [
      ['p/OPEN/board?task=OPEN-1', 'You cannot see tasks'],
      ['agents', 'Seeing who works on what needs the scope tasks:read'],
      [`agents/${worker.id}`, 'Seeing who works on what needs the scope tasks:read'],
      ['webhooks', 'You cannot see the webhooks'],
      ['webhooks/whk_none', 'You cannot see the webhook'],
      ['keys', 'You cannot see the keys'],
      ['projects', 'Open'],
      ['trash', 'Knowledge'],
      ['k/note', 'Read me'],
      ['search?q=read', 'Read me'],
    ]) {
      await stage.go(page, path!)
      await page.getByText(text!).first().waitFor()
    }
    await stage.go(page, 'webhooks')
    assert.equal(await page.getByRole('button', { name: 'New webhook' }).count(), 0)
    await stage.go(page, 'agents')
    await page.getByText('worker').first().waitFor()
    assert.equal(await page.getByText('idle').count(), 0)
    assert.equal(await page.getByText('nothing', { exact: true }).count(), 0)
    assert.deepEqual(refused, [])
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
    await page.goto(stage.url('p/CLOSED/board'))
    await page.getByText('This does not exist, or your key may not see it').waitFor()
    for (const projectId of [null, 'OPEN']) {
      await stage.wl.knowledge.put('thrown-away', { content: 'Old', projectId })
      await stage.wl.knowledge.delete('thrown-away', projectId ? { projectId } : {})
    }
    await page.goto(stage.url('trash'))
    await page.getByText('thrown-away').nth(1).waitFor()
    assert.equal(await page.getByRole('button', { name: 'Restore thrown-away' }).count(), 1)
  })
})
