import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import type { Page } from 'playwright-core'
import { enginesBehindService } from 'worklore-testing/engines'
import { expectStatus } from 'worklore-testing/expect'
import { describeConsole } from './console-stage.js'
import { eventually } from './eventually.js'

const rowOf = (page: Page, name: string) =>
  page.locator('.tree-row', { has: page.getByRole('link', { name, exact: true }) })

/** What is done to an item can be done once its menu is there. */
const menuOf = (page: Page, key: string) => page.getByRole('button', { name: `Actions on ${key}` })

describeConsole('the lifecycle of knowledge in the console', enginesBehindService, (stage) => {
  /** Of another person than the one in the browser. */
  let otherKey: string

  const putByOther = async (key: string, item: object): Promise<void> => {
    const { status } = await stage.service.put(`/v1/knowledge/${key}`, { content: 'Text', ...item }, { key: otherKey })
    assert.ok(status < 300, `${status}`)
  }
  const retract = async (key: string, reason: string): Promise<void> => {
    expectStatus(await stage.service.post('/v1/knowledge/retract', { key, reason }), 200)
  }
  const dispute = async (key: string, note: string): Promise<void> => {
    const { version } = await stage.wl.knowledge.get(key)
    expectStatus(await stage.service.post('/v1/knowledge/verdict', { key, version, trust: 'disputed', note }), 200)
  }

  before(async () => {
    otherKey = (await stage.wl.keys.create({ name: 'scribe', scopes: ['knowledge:write'] })).key!
  })

  it('shows at a glance what no longer holds, and why', async () => {
    const { wl } = stage
    await wl.knowledge.put('glance/plain', { content: 'Text' })
    await wl.knowledge.put('glance/old', { content: 'Text' })
    await wl.knowledge.put('glance/new', { content: 'Text', supersedes: ['glance/old'] })
    await wl.knowledge.put('glance/ended', { content: 'Text', validUntil: '2020-01-01T00:00:00Z' })
    await wl.knowledge.put('glance/withdrawn', { content: 'Text' })
    await retract('glance/withdrawn', 'It was never true.')
    await wl.knowledge.put('glance/doubted', { content: 'Text' })
    await dispute('glance/doubted', 'The port is wrong.')

    const page = await stage.open('k/glance/old')
    await page.getByText('Superseded by').waitFor()
    assert.equal(await rowOf(page, 'plain').locator('.badge, .verified').count(), 0)
    for (const [name, badge] of [
      ['old', 'superseded'],
      ['ended', 'expired'],
      ['withdrawn', 'retracted'],
      ['doubted', 'disputed'],
    ] as const) {
      await rowOf(page, name).getByText(badge, { exact: true }).waitFor()
    }
    await page.locator('.notice').getByRole('link', { name: 'glance/new' }).click()
    await page.getByRole('group', { name: 'Replaces' }).getByRole('link', { name: 'glance/old' }).waitFor()

    await stage.go(page, 'k/glance/withdrawn')
    await page
      .locator('.notice')
      .getByText(/^Retracted by/)
      .waitFor()
    await page.locator('.notice').getByText('It was never true.').waitFor()
    await stage.go(page, 'k/glance/ended')
    await page
      .locator('.notice')
      .getByText(/^Expired .* ago/)
      .waitFor()
    await stage.go(page, 'k/glance/doubted')
    await page.locator('.notice').getByText('The port is wrong.').waitFor()

    // A change by someone else shows without a reload.
    expectStatus(await stage.service.post('/v1/knowledge/retract', { key: 'glance/plain', reason: 'Old' }), 200)
    await rowOf(page, 'plain').getByText('retracted', { exact: true }).waitFor()
  })

  it('is verified by keyboard, by someone else than who wrote it', async () => {
    await stage.wl.knowledge.put('own', { content: 'Mine' })
    const page = await stage.open('k/own')
    await menuOf(page, 'own').waitFor()
    await page.keyboard.press('v')
    await page.getByRole('textbox', { name: /What you checked/ }).waitFor()
    await page.keyboard.press('Control+Enter')
    await page
      .getByRole('dialog')
      .getByText(/Someone else must verify this text/)
      .waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    assert.equal((await stage.wl.knowledge.get('own')).trust, 'unreviewed')

    await putByOther('theirs', { content: 'Their text' })
    await stage.go(page, 'k/theirs')
    await menuOf(page, 'theirs').waitFor()
    await page.keyboard.press('v')
    await page.getByRole('textbox', { name: /What you checked/ }).waitFor()
    await page.keyboard.type('Ran it')
    await page.keyboard.press('Control+Enter')
    await page.getByText(/Verified by/).waitFor()
    const { trust, verdict } = await stage.wl.knowledge.get('theirs')
    assert.deepEqual([trust, verdict?.note], ['verified', 'Ran it'])
    await rowOf(page, 'theirs').getByText('verified').waitFor()
    await putByOther('theirs', { content: 'Their new text' })
    await page.getByText('Their new text').waitFor()
    await page.getByText(/Verified by/).waitFor({ state: 'detached' })
  })

  it('is disputed and retracted with a reason, and that is taken back', async () => {
    await stage.wl.knowledge.put('claimed', { content: 'Claimed' })
    const page = await stage.open('k/claimed')
    await menuOf(page, 'claimed').waitFor()
    await page.keyboard.press('d')
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'What is wrong' }).waitFor()
    assert.ok(await dialog.getByRole('button', { name: 'Dispute' }).isDisabled())
    await page.keyboard.type('Not on Windows')
    await page.keyboard.press('Control+Enter')
    await page.locator('.notice').getByText('Not on Windows').waitFor()

    // What was written and not sent is there again.
    await page.keyboard.press('r')
    await dialog.getByRole('textbox', { name: 'Why it no longer holds' }).fill('Replaced in March')
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Search and commands' }).fill('retract')
    await page.getByRole('option', { name: 'Retract: claimed' }).waitFor()
    await page.getByRole('option', { name: 'Retract: claimed' }).click()
    await dialog.getByRole('button', { name: 'Retract', exact: true }).click()
    await page.locator('.notice').getByText('Replaced in March').waitFor()
    assert.equal((await stage.wl.knowledge.get('claimed')).state, 'retracted')
    await page.keyboard.press('r')
    await dialog.getByText('claimed counts as true again.').waitFor()
    await page.keyboard.press('Enter')
    await page.locator('.notice').getByText('Replaced in March').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Take it back' }).click()
    await page.getByText('Not on Windows').waitFor({ state: 'detached' })
    const { state, trust } = await stage.wl.knowledge.get('claimed')
    assert.deepEqual([state, trust], ['current', 'unreviewed'])
  })

  it('supersedes an item that is found by typing, and says why it cannot', async () => {
    await stage.wl.projects.create({ key: 'ELSE', name: 'Elsewhere' })
    await stage.wl.knowledge.put('install/2', { content: 'New' })
    await stage.wl.knowledge.put('install/1', { content: 'Old', title: 'The old way' })
    await stage.wl.knowledge.put('install/1 elsewhere', { content: 'Old', projectId: 'ELSE' })
    const page = await stage.open('k/install/2')
    await menuOf(page, 'install/2').waitFor()
    await page.keyboard.press('s')
    const search = page.getByRole('combobox', { name: 'Find the item that it replaces' })
    await search.waitFor()
    await page.keyboard.type('old way')
    await page.getByRole('option', { name: /install\/1/ }).waitFor()
    assert.equal(await page.getByRole('option').count(), 1)
    await page.keyboard.press('Enter')
    await eventually(async () => (await stage.wl.knowledge.get('install/1')).supersededBy === 'install/2')
    await page.getByRole('group', { name: 'Replaces' }).getByRole('link', { name: 'install/1' }).click()
    await page.getByText('Superseded by').waitFor()
    await menuOf(page, 'install/1').waitFor()
    await page.keyboard.press('s')
    await search.fill('install/2')
    await page.keyboard.press('Enter')
    await page
      .getByRole('dialog')
      .getByText(/replaces this item already/)
      .waitFor()
    await page.keyboard.press('Escape')
    await stage.go(page, 'k/install/2')
    await page.getByRole('button', { name: 'No longer replace install/1' }).click()
    await eventually(async () => (await stage.wl.knowledge.get('install/1')).supersededBy === null)
  })

  it('has its fields edited in place', async () => {
    await stage.wl.knowledge.put('fields', { content: 'Text', metadata: { keep: 1, drop: 2 } })
    await stage.wl.knowledge.put('tagged', { content: 'Text', tags: ['linux'] })
    const page = await stage.open('k/fields')
    await page.getByRole('button', { name: 'Add the title' }).click()
    await page.keyboard.type('All fields')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'All fields' }).waitFor()
    await page.getByRole('button', { name: 'Add the source' }).click()
    await page.keyboard.type('https://example.com/docs')
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'https://example.com/docs' }).waitFor()
    await page.getByRole('button', { name: 'Add tag' }).click()
    await page.getByRole('option', { name: 'linux' }).click()
    await page.getByRole('combobox', { name: 'Tags' }).fill('setup')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Escape')
    await page.getByRole('group', { name: 'Tags' }).getByText('setup').first().waitFor()
    await page.getByLabel('Valid until', { exact: true }).last().fill('2035-06-01T12:30')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Remove the end' }).waitFor()
    await page.getByRole('button', { name: 'Edit the metadata' }).click()
    const metadata = page.getByRole('textbox', { name: 'Metadata as JSON' })
    await metadata.fill('[1]')
    await page.keyboard.press('Control+Enter')
    await page.getByText('This is not a JSON object.').waitFor()
    await metadata.fill('{"keep": 1, "more": [true]}')
    await page.keyboard.press('Control+Enter')
    await metadata.waitFor({ state: 'detached' })
    const item = await stage.wl.knowledge.get('fields')
    assert.deepEqual(
      [item.title, item.source, item.tags, item.metadata, item.validUntil?.slice(0, 8)],
      ['All fields', 'https://example.com/docs', ['linux', 'setup'], { keep: 1, more: [true] }, '2035-06-'],
    )
    await page.getByRole('button', { name: 'Edit the title' }).click()
    await page.keyboard.press('Control+a')
    await page.keyboard.press('Delete')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'fields' }).waitFor()
    await page.getByRole('button', { name: 'Remove the end' }).click()
    await eventually(async () => {
      const { title, validUntil } = await stage.wl.knowledge.get('fields')
      return title === null && validUntil === null
    })
  })

  it('is filtered by state and by tag, in the address', async () => {
    await stage.wl.knowledge.put('many/good', { content: 'Text', tags: ['shelf'] })
    await stage.wl.knowledge.put('many/bad', { content: 'Text', tags: ['shelf', 'attic'] })
    await dispute('many/bad', 'No')
    const page = await stage.open('k')
    await page.getByRole('button', { name: 'State' }).click()
    await page.getByRole('option', { name: 'Disputed' }).click()
    await page.keyboard.press('Escape')
    await rowOf(page, 'bad').waitFor()
    assert.equal(await rowOf(page, 'good').count(), 0)
    assert.match(page.url(), /state=disputed/)
    await rowOf(page, 'bad').getByRole('link').click()
    await page
      .locator('.notice')
      .getByText(/^Disputed by/)
      .waitFor()
    assert.match(page.url(), /state=disputed/)
    await page.goto(stage.url('k?tag=shelf'))
    await rowOf(page, 'good').waitFor()
    await rowOf(page, 'bad').waitFor()
    await page.getByRole('button', { name: 'shelf' }).click()
    await page.getByRole('option', { name: 'shelf' }).click()
    await page.getByRole('option', { name: 'attic' }).click()
    await page.keyboard.press('Escape')
    await rowOf(page, 'good').waitFor({ state: 'detached' })
    await rowOf(page, 'bad').waitFor()
  })

  it('is shown to those who may only read it, without what changes it', async () => {
    const { key } = await stage.wl.keys.create({ name: 'reader', scopes: ['knowledge:read'] })
    await stage.wl.knowledge.put('read-only', { content: 'Read this', tags: ['calm'], source: 'A book' })
    await retract('read-only', 'Lost')
    const page = await stage.open('k/read-only', { key: key! })
    await page.locator('.notice').getByText('Lost').waitFor()
    await page.getByText('A book').waitFor()
    for (const name of [/Take it back/, /^Edit/, /^Add/, /Actions on/]) {
      assert.equal(await page.getByRole('button', { name }).count(), 0, String(name))
    }
    await page.getByRole('button', { name: 'State' }).waitFor()
    for (const shortcut of ['v', 'd', 'r', 's', 'x']) await page.keyboard.press(shortcut)
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
    assert.equal(await page.getByRole('dialog').count(), 1)
  })
})
