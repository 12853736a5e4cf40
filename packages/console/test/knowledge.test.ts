import assert from 'node:assert/strict'
import { enginesBehindService } from 'worklore-testing/engines'
import { describeConsole } from './console-stage.js'
import { eventually } from './eventually.js'
import { it, journey } from './journeys.js'

describeConsole('knowledge in the console', enginesBehindService, (stage) => {
  journey('is created, written with a preview, saved, moved and deleted', async () => {
    const page = await stage.open('k')
    await page.getByRole('button', { name: 'New item' }).click()
    await page.getByRole('dialog').getByRole('textbox', { name: 'Key' }).fill('guides/setup')
    await page.getByRole('button', { name: 'Create and write' }).click()
    await page.getByRole('textbox', { name: 'Text of guides/setup' }).click()
    await page.keyboard.type('# Setting up')
    await page.getByRole('region', { name: 'Preview' }).getByRole('heading', { name: 'Setting up' }).waitFor()
    await page.keyboard.press('Control+s')
    await eventually(async () => (await stage.wl.knowledge.get('guides/setup')).content === '# Setting up')
    await page.locator('.item .prose').getByRole('heading', { name: 'Setting up' }).waitFor()
    await page.getByRole('button', { name: 'Actions on guides/setup' }).click()
    await page.getByRole('option', { name: 'Move or rename' }).click()
    await page.getByRole('dialog').getByLabel('New key').fill('guides/a b/ü?#%')
    await page.getByRole('button', { name: 'Move', exact: true }).click()
    await page.getByRole('heading', { name: 'ü?#%' }).waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'Setting up' }).waitFor()
    await page.getByRole('button', { name: /Actions on/ }).click()
    await page.getByRole('option', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await eventually(async () => (await stage.wl.knowledge.list()).data.length === 0)
  })

  it('keeps a draft with the version it was based on, and asks when that is no longer the newest', async () => {
    await stage.wl.knowledge.put('notes', { content: 'one' })
    const page = await stage.open('k/notes?edit=1')
    await page.getByRole('textbox', { name: 'Text of notes' }).click()
    await page.keyboard.press('Control+End')
    await page.keyboard.type(' mine')
    await eventually(async () => page.evaluate(() => Object.keys(localStorage).some((name) => name.includes('draft'))))
    await page.goto(stage.url('k/notes'))
    await page.getByRole('link', { name: 'Continue editing' }).waitFor()
    await stage.wl.knowledge.put('notes', { content: 'two' })
    await page.goto(stage.url('k/notes?edit=1'))
    await page.getByText(/saved version 2 while you were editing version 1/).waitFor()
    await page.getByRole('button', { name: 'Take theirs' }).click()
    await page.getByRole('region', { name: 'Conflict' }).waitFor({ state: 'detached' })
    assert.equal((await stage.wl.knowledge.get('notes')).content, 'two')
    assert.equal(await page.evaluate(() => Object.keys(localStorage).some((name) => name.includes('draft'))), false)
  })

  it('never saves over a version that was not seen', async () => {
    await stage.wl.knowledge.put('shared', { content: 'base' })
    const page = await stage.open('k/shared?edit=1')
    await page.getByRole('textbox', { name: 'Text of shared' }).click()
    await page.keyboard.type('mine ')
    await page.context().setOffline(true)
    await stage.wl.knowledge.put('shared', { content: 'theirs' })
    await page.context().setOffline(false)
    await page.getByRole('button', { name: /^Save/ }).click()
    await page.getByText(/while you were editing/).waitFor()
    assert.equal((await stage.wl.knowledge.get('shared')).content, 'theirs')
  })

  it('tells apart items of the same key, and shows one that goes away as gone', async () => {
    const project = await stage.wl.projects.create({ key: 'ONE', name: 'One' })
    await stage.wl.knowledge.put('twin', { content: 'of all' })
    await stage.wl.knowledge.put('twin', { content: 'of one', projectId: project.id })
    const page = await stage.open('k/twin?project=ONE')
    await page.getByText('of one').waitFor()
    await stage.wl.knowledge.delete('twin', { projectId: 'ONE' })
    await page.getByText('This item was deleted').waitFor()
    const twin = page.getByRole('group', { name: 'Knowledge tree' }).getByRole('link', { name: 'twin' })
    await eventually(async () => (await twin.count()) === 1)
    await twin.click()
    await page.getByText('of all').waitFor()
  })

  it('offers to save a text as a new item when the item was deleted meanwhile', async () => {
    const key = await stage.wl.keys.create({ name: 'cleaner', scopes: ['knowledge:write'] })
    const remove = (name: string) => stage.service.delete(`/v1/knowledge/${name}`, { key: key.key! })
    const edit = async (name: string) => {
      await stage.wl.knowledge.put(name, { content: 'base' })
      const page = await stage.open(`k/${name}?edit=1`)
      await page.getByRole('textbox', { name: `Text of ${name}` }).click()
      await page.keyboard.press('Control+End')
      await page.keyboard.type(' mine')
      return page
    }
    // Seen while it is open.
    const open = await edit('gone-seen')
    await remove('gone-seen')
    await open.getByText(/This item was deleted by cleaner/).waitFor()
    await open.getByRole('button', { name: 'Save as new' }).click()
    await open.getByText(/gone-seen is saved as version/).waitFor()
    await open.locator('.item .prose').getByText('base mine').waitFor()
    assert.equal((await stage.wl.knowledge.get('gone-seen')).content, 'base mine')

    // Found out by saving.
    const saving = await edit('gone-unseen')
    const beforePut = (run: () => Promise<unknown>) =>
      saving.route('**/v1/knowledge/gone-unseen', async (route) => {
        if (route.request().method() === 'PUT') await run()
        await route.continue()
      })
    await beforePut(() => remove('gone-unseen'))
    await saving.getByRole('button', { name: /^Save/ }).click()
    await saving.getByText(/This item was deleted by cleaner/).waitFor()
    await saving.unrouteAll()

    // Someone else was first to save it anew.
    await beforePut(() => stage.wl.knowledge.put('gone-unseen', { content: 'theirs' }))
    await saving.getByRole('button', { name: 'Save as new' }).click()
    await saving.getByRole('region', { name: 'Conflict' }).waitFor()
    await saving.unrouteAll()
    await remove('gone-unseen')

    // After a reload, the draft is all there is.
    await saving.reload()
    await saving.getByText(/This item was deleted by cleaner/).waitFor()
    await saving.getByText('base mine').waitFor()
    await saving.getByRole('button', { name: 'Discard' }).click()
    await saving.getByText('base mine').waitFor({ state: 'detached' })
    assert.equal(await saving.evaluate(() => Object.keys(localStorage).some((name) => name.includes('draft'))), false)
  })

  it('goes on with a draft where the item was moved to', async () => {
    await stage.wl.knowledge.put('from', { content: 'base' })
    const page = await stage.open('k/from?edit=1')
    await page.getByRole('textbox', { name: 'Text of from' }).click()
    await page.keyboard.press('Control+End')
    await page.keyboard.type(' mine')
    await stage.wl.knowledge.move({ from: 'from', to: 'to' })
    await page.getByText(/This item was moved to to/).waitFor()
    await page.getByRole('button', { name: 'Continue there' }).click()
    await page.getByRole('textbox', { name: 'Text of to' }).getByText('base mine').waitFor()
    await page.getByRole('button', { name: /^Save/ }).click()
    await eventually(async () => (await stage.wl.knowledge.get('to')).content === 'base mine')
  })

  it('says that there is a draft as soon as the editor is closed', async () => {
    await stage.wl.knowledge.put('hinted', { content: 'base' })
    const page = await stage.open('k/hinted?edit=1')
    await page.getByRole('textbox', { name: 'Text of hinted' }).click()
    await page.keyboard.press('Control+End')
    await page.keyboard.type(' mine')
    await page.getByRole('button', { name: 'Close and keep the draft' }).click()
    await page.getByText(/You have an unsaved draft of this item/).waitFor()
    await page.getByRole('link', { name: 'Continue editing' }).click()
    await page.getByRole('textbox', { name: 'Text of hinted' }).getByText('base mine').waitFor()
    await page.getByRole('button', { name: 'Discard' }).first().click()
    await page.getByRole('button', { name: 'Edit', exact: true }).waitFor()
    assert.equal(await page.getByText(/You have an unsaved draft/).count(), 0)
  })
})
