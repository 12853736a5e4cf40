import assert from 'node:assert/strict'
import { before } from 'node:test'
import type { Page } from 'playwright-core'
import { enginesBehindService } from 'worklore-testing/engines'
import { expectStatus } from 'worklore-testing/expect'
import { describeConsole } from './console-stage.js'
import { eventually } from './eventually.js'
import { it, journey } from './journeys.js'

const titleOf = (page: Page, id: string) => page.locator(`[data-card="${id}"] .card-title`)

describeConsole('what happens elsewhere', enginesBehindService, (stage) => {
  before(async () => {
    await stage.wl.projects.create({ key: 'LIVE', name: 'Live' })
    await stage.wl.tasks.create({ projectId: 'LIVE', title: 'Zero' })
  })

  journey('is shown though the leading tab is frozen', async () => {
    const leader = await stage.open('p/LIVE/board')
    await leader.getByText('Live', { exact: true }).first().waitFor()
    const follower = await stage.tab(leader, 'p/LIVE/board')
    await titleOf(follower, 'LIVE-1').waitFor()
    const session = await leader.context().newCDPSession(leader)
    await session.send('Page.enable')
    await session.send('Page.setWebLifecycleState', { state: 'frozen' })
    await follower.bringToFront()
    await stage.wl.tasks.update('LIVE-1', { title: 'While the leader sleeps' })
    await eventually(async () => (await titleOf(follower, 'LIVE-1').textContent()) === 'While the leader sleeps')
  })

  it('is read by one tab for all, where no event tells of it', async () => {
    const { id } = await stage.wl.tasks.create({ projectId: 'LIVE', title: 'Held' })
    const claimed = await stage.service.post(`/v1/tasks/${id}/claim`, { leaseSeconds: 1_800 })
    const { token } = expectStatus(claimed, 200).body.data.claim
    const first = await stage.open('p/LIVE/board')
    // Sooner than after half a minute.
    await first.context().addInitScript(() => {
      const { setInterval } = window
      Object.assign(window, {
        setInterval: (run: () => void, ms: number) => setInterval(run, ms === 30_000 ? 500 : ms),
      })
    })
    await first.reload()
    const tabs = [first, await stage.tab(first, 'p/LIVE/board')]
    const readers = new Set<Page>()
    first.context().on('request', (request) => {
      if (request.url().includes('claimed=true')) readers.add(request.frame().page())
    })
    let hours = 1
    await eventually(async () => {
      hours = hours === 3 ? 2 : 3
      readers.clear()
      const lease = { leaseSeconds: hours * 3_600 + 600 }
      const headers = { 'worklore-claim': token }
      expectStatus(await stage.service.post(`/v1/tasks/${id}/renew`, lease, { headers }), 200)
      const card = `[data-card="${id}"]`
      for (const tab of tabs) await tab.locator(card).getByText(`${hours}h left`).waitFor()
      // Another tab may have become the leader meanwhile.
      return readers.size === 1
    })
    await stage.wl.tasks.delete(id)
  })

  it('does not take the focus or a text being typed', async () => {
    const page = await stage.open('p/LIVE/board?task=LIVE-1')
    const composer = page.getByLabel('Write a comment')
    await composer.click()
    await page.keyboard.type('Half a sen')
    await stage.wl.tasks.update('LIVE-1', { title: 'Renamed meanwhile', priority: 'urgent' })
    await stage.wl.tasks.comments('LIVE-1').create({ body: 'Another comment' })
    await page.locator('.comment').getByText('Another comment').waitFor()
    await page.keyboard.type('tence')
    assert.equal(await composer.inputValue(), 'Half a sentence')
  })

  it('is caught up with after a lost connection, and what was known stays on the screen', async () => {
    const page = await stage.open('p/LIVE/board')
    await titleOf(page, 'LIVE-1').waitFor()
    await page.context().setOffline(true)
    await stage.wl.tasks.update('LIVE-1', { title: 'Changed while offline' })
    await page.waitForTimeout(300)
    assert.equal(await titleOf(page, 'LIVE-1').count(), 1)
    await page.context().setOffline(false)
    await eventually(async () => (await titleOf(page, 'LIVE-1').textContent()) === 'Changed while offline')
  })

  it('is shown though the rest could not be loaded, which is loaded as soon as it can be', async () => {
    const { id } = await stage.wl.tasks.create({ projectId: 'LIVE', title: 'The rest' })
    const page = await stage.open('events')
    await page.route(/sort=dueDate/, (route) => route.abort())
    await page.locator('a[href*="/p/LIVE"]').first().click()
    await page.getByText('No connection to the service').waitFor()
    await stage.wl.tasks.update('LIVE-1', { title: 'Known by its event' })
    await eventually(async () => (await titleOf(page, 'LIVE-1').textContent()) === 'Known by its event')
    await page.getByText('Not all tasks are shown.').waitFor()
    assert.equal(await titleOf(page, id).count(), 0)
    await page.unroute(/sort=dueDate/)
    await titleOf(page, id).waitFor()
    await page.getByText('Not all tasks are shown.').waitFor({ state: 'detached' })
  })

  it('counts the open blockers of a task as they come, close, reopen and go', async () => {
    const { tasks } = stage.wl
    const [one, other, blocked] = await Promise.all(
      ['One', 'Other', 'Blocked'].map((title) => tasks.create({ projectId: 'LIVE', title })),
    )
    const page = await stage.open('p/LIVE/board')
    const card = page.locator(`[data-card="${blocked!.id}"]`)
    await card.waitFor()
    const shows = async (count: number): Promise<void> => {
      const mark = card.getByTitle(/^Blocked by/)
      if (count === 0) await mark.waitFor({ state: 'detached' })
      else await mark.getByText(String(count), { exact: true }).waitFor()
      assert.equal((await tasks.get(blocked!.id)).openBlockers, count)
    }
    await tasks.update(blocked!.id, { blockedBy: [one!.id, other!.id] })
    await shows(2)
    await tasks.update(one!.id, { status: 'done' })
    await shows(1)
    await tasks.update(one!.id, { status: 'todo' })
    await shows(2)
    await tasks.update(blocked!.id, { blockedBy: [one!.id] })
    await shows(1)
    await tasks.update(one!.id, { status: 'cancelled' })
    await shows(0)
    await tasks.update(one!.id, { status: 'in_progress' })
    await shows(1)
    await tasks.delete(one!.id)
    await shows(0)
  })
})
