import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import type { Page } from 'playwright-core'
import { Worklore } from 'worklore-client'
import { enginesBehindService } from 'worklore-testing/engines'
import { describeConsole } from './console-stage.js'
import { eventually } from './eventually.js'

const drawerOf = (page: Page, id: string) => page.getByRole('complementary', { name: `Task ${id}` })
const staleIn = (within: Pick<Page, 'getByRole'>) => within.getByRole('region', { name: 'Stale' })
const treeLink = (page: Page, name: string) =>
  page.getByRole('group', { name: 'Knowledge tree' }).getByRole('link', { name, exact: true })

describeConsole('who relied on knowledge in the console', enginesBehindService, (stage) => {
  let agent: Worklore

  before(async () => {
    await stage.wl.projects.create({ key: 'RELY', name: 'Reliance' })
    const { key } = await stage.wl.keys.create({ name: 'agent', scopes: ['tasks:write', 'knowledge:write'] })
    agent = new Worklore({ baseUrl: stage.service.baseUrl, apiKey: key! })
  })

  /** A task that relied on an item, and another item that was written under its claim. */
  const relyOn = async (key: string, written: string, place: { projectId?: string } = {}): Promise<string> => {
    await stage.wl.knowledge.put(key, { content: 'The port is 80.', ...place })
    const { id } = await stage.wl.tasks.create({ projectId: 'RELY', title: `Set up ${key}` })
    const { token } = await agent.tasks.claim(id)
    const work = agent.fenced(token)
    await work.knowledge.get(key, place)
    await work.knowledge.put(written, { content: 'It listens on 80.' })
    await eventually(async () => (await stage.wl.knowledge.dependents(key, place)).data.length === 2)
    return id
  }

  it('is told on the item, on the task and on what was written, until it is accepted', async () => {
    const id = await relyOn('ports', 'report')
    const page = await stage.open('k/ports')
    const dependents = page.getByRole('region', { name: 'Relied on by' })
    await dependents.getByRole('link', { name: 'report' }).waitFor()
    await dependents.getByRole('link', { name: id }).click()
    const drawer = drawerOf(page, id)
    const basis = drawer.getByRole('region', { name: 'Relied on' })
    await basis.getByRole('link', { name: 'ports' }).waitFor()
    assert.match(await basis.innerText(), /ports v1/)
    assert.equal(await staleIn(drawer).count(), 0)

    // What happens shows without a reload.
    await stage.wl.knowledge.retract('ports', 'It is 8080.')
    await staleIn(drawer)
      .getByText(/^ports \(version 1\) was retracted/)
      .waitFor()
    await basis.getByText('retracted', { exact: true }).waitFor()
    await stage.go(page, `p/RELY/board?task=${id}`)
    const card = page.locator(`[data-card="${id}"]`)
    await card.getByText('stale', { exact: true }).waitFor()
    await staleIn(drawer).getByRole('button', { name: 'Accept' }).click()
    await staleIn(drawer).waitFor({ state: 'detached' })
    await card.getByText('stale', { exact: true }).waitFor({ state: 'detached' })
    assert.deepEqual((await stage.wl.tasks.get(id)).stale, [])

    await page.goto(stage.url('k?state=stale'))
    await treeLink(page, 'report').click()
    await staleIn(page).getByRole('link', { name: 'ports' }).click()
    await page.getByText('It is 8080.').waitFor()
  })

  it('is shown together with the text of the item, and does not move it', async () => {
    await relyOn('hosts', 'overview')
    await stage.wl.knowledge.retract('hosts', 'There are none.')
    await eventually(async () => (await stage.wl.knowledge.get('overview')).stale.length === 1)
    const page = await stage.open()
    await page.route('**/assets/stale-notice-*.js', (route) => void setTimeout(() => void route.continue(), 1_000))
    await page.goto(stage.url('k/overview'))
    await page.getByText('It listens on 80.').waitFor()
    assert.ok(await staleIn(page).isVisible())
  })

  it('is accepted by keyboard, on the item and on the task', async () => {
    const id = await relyOn('paths', 'summary')
    await stage.wl.knowledge.retract('paths', 'They moved.')
    await eventually(async () => (await stage.wl.knowledge.get('summary')).stale.length === 1)
    const page = await stage.open('k/summary?state=stale')
    await treeLink(page, 'summary').waitFor()
    await page.getByRole('button', { name: 'Actions on summary' }).waitFor()
    await page.keyboard.press('x')
    await page.getByRole('dialog').getByText('summary stays as it is, and the marks are removed.').waitFor()
    await page.keyboard.press('Enter')
    await staleIn(page).waitFor({ state: 'detached' })
    await treeLink(page, 'summary').waitFor({ state: 'detached' })
    assert.deepEqual((await stage.wl.knowledge.get('summary')).stale, [])
    // Nothing is left to accept.
    await page.keyboard.press('x')
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
    assert.equal(await page.getByRole('dialog').count(), 1)

    await page.keyboard.press('Escape')

    await stage.go(page, `k/paths?task=${id}`)
    await staleIn(drawerOf(page, id)).waitFor()
    await page.keyboard.press('x')
    await page.getByRole('dialog').getByText(`${id} stays as it is, and the marks are removed.`).waitFor()
    await page.keyboard.press('Enter')
    await staleIn(drawerOf(page, id)).waitFor({ state: 'detached' })
    assert.deepEqual((await stage.wl.tasks.get(id)).stale, [])
    // Keys are for the task that is open, not for the item below it.
    await page.keyboard.press('e')
    await page.getByRole('textbox', { name: `Description of ${id}` }).waitFor()
    assert.doesNotMatch(page.url(), /edit=1/)
  })

  it('names what was disputed in another project while the task goes on', async () => {
    await stage.wl.projects.create({ key: 'AWAY', name: 'Away' })
    const place = { projectId: 'AWAY' }
    const id = await relyOn('hosts', 'notes', place)
    const page = await stage.open(`p/RELY/board?task=${id}`)
    const drawer = drawerOf(page, id)
    await stage.wl.knowledge.dispute(await stage.wl.knowledge.get('hosts', place), { note: 'Which hosts?' })
    await staleIn(drawer)
      .getByText(/^hosts \(version 1\) was disputed/)
      .waitFor()
    // The event of a change tells nothing of items elsewhere.
    await stage.wl.tasks.update(id, { description: 'Described' })
    await drawer.getByText('Described').waitFor()
    await staleIn(drawer).getByRole('link', { name: 'hosts' }).click()
    await page.getByText('Which hosts?').waitFor()
  })

  it('is shown to those who may only read, who cannot accept', async () => {
    const id = await relyOn('keys', 'minutes')
    await stage.wl.knowledge.retract('keys', 'Rotated.')
    await eventually(async () => (await stage.wl.knowledge.get('minutes')).stale.length === 1)
    const reader = await stage.wl.keys.create({ name: 'reader', scopes: ['tasks:read', 'knowledge:read'] })
    const page = await stage.open(`k/minutes?task=${id}`, { key: reader.key! })
    await staleIn(drawerOf(page, id)).getByRole('link', { name: 'keys' }).waitFor()
    await drawerOf(page, id).getByRole('region', { name: 'Relied on' }).waitFor()
    await staleIn(page).nth(1).waitFor()
    assert.equal(await page.getByRole('button', { name: /^Accept/ }).count(), 0)

    const worker = await stage.wl.keys.create({ name: 'worker', scopes: ['tasks:write'] })
    const work = await stage.open(`p/RELY/board?task=${id}`, { key: worker.key! })
    await drawerOf(work, id).getByText('Set up keys').first().waitFor()
    assert.equal(await staleIn(work).count(), 0)
    assert.equal(await work.getByRole('region', { name: 'Relied on' }).count(), 0)
  })

  it('is filtered: stale, disputed or expired', async () => {
    await relyOn('filter/source', 'filter/stale')
    await stage.wl.knowledge.retract('filter/source', 'Wrong.')
    await stage.wl.knowledge.put('filter/disputed', { content: 'Text' })
    await stage.wl.knowledge.dispute(await stage.wl.knowledge.get('filter/disputed'), { note: 'No.' })
    await stage.wl.knowledge.put('filter/expired', { content: 'Text', validUntil: '2020-01-01T00:00:00Z' })
    await eventually(async () => (await stage.wl.knowledge.get('filter/stale')).stale.length === 1)
    const page = await stage.open('k?state=stale')
    await treeLink(page, 'stale').waitFor()
    assert.equal(await treeLink(page, 'expired').count(), 0)
    await page.getByRole('button', { name: 'Stale' }).click()
    for (const name of ['Stale', 'Disputed', 'Expired']) await page.getByRole('option', { name, exact: true }).click()
    await page.keyboard.press('Escape')
    await treeLink(page, 'stale').waitFor({ state: 'detached' })
    await treeLink(page, 'disputed').waitFor()
    await treeLink(page, 'expired').waitFor()
    assert.equal(await treeLink(page, 'source').count(), 0)
  })

  it('is found with what is known of it, by keyboard', async () => {
    const { knowledge } = agent
    await knowledge.put('zebra/checked', { content: 'The zebra crossing is checked.', title: 'Zebras' })
    await stage.wl.knowledge.verify(await knowledge.get('zebra/checked'))
    await knowledge.put('zebra/doubted', { content: 'The zebra crossing is doubted.' })
    await knowledge.dispute(await knowledge.get('zebra/doubted'), { note: 'No.' })
    await knowledge.put('zebra/gone', { content: 'The zebra crossing is gone.' })
    await knowledge.retract('zebra/gone', 'No.')
    await knowledge.put('quagga/old', { content: 'The quagga crossing.' })
    await knowledge.put('horse/new', { content: 'All crossings.', supersedes: ['quagga/old'] })
    const id = await relyOn('zebra/ports', 'zebra/report')
    await knowledge.retract('zebra/ports', 'No.')
    await eventually(async () => (await stage.wl.tasks.get(id)).stale.length === 1)
    const hitOf = (page: Page, key: string) => page.locator('.hit', { hasText: key })

    const page = await stage.open('search?q=zebra')
    await hitOf(page, 'Zebras · zebra/checked').getByText('verified').waitFor()
    await hitOf(page, 'zebra/doubted').getByText('disputed', { exact: true }).waitFor()
    await hitOf(page, 'Set up zebra/ports').getByText('stale', { exact: true }).waitFor()
    assert.equal(await hitOf(page, 'zebra/gone').count(), 0)

    await page.getByRole('searchbox').fill('quagga')
    await hitOf(page, 'horse/new').getByText('replaces quagga/old, which matched').waitFor()
    await page.getByRole('searchbox').press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByRole('group', { name: 'Replaces' }).getByRole('link', { name: 'quagga/old' }).waitFor()
  })
})
