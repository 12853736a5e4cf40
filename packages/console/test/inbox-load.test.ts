import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import type { Page } from 'playwright-core'
import { type User, Worklore } from 'worklore-client'
import { engines } from 'worklore-testing/engines'
import { describeConsole } from './console-stage.js'
import { eventually } from './eventually.js'

const selectedRow = (page: Page) => page.locator('[data-row][aria-current="true"]')
const isCounted = (page: Page, count: number) =>
  page.waitForFunction((start) => document.title.startsWith(start), `(${count}) `)

const hostile =
  '<img src=x onerror=alert(1)> ![x](https://evil.example/a.png) [a](javascript:alert(1)) \u202eevil\u202c'
const unbroken = 'W'.repeat(450)

describeConsole('an inbox on a bad day', engines.slice(0, 1), (stage) => {
  let agent: Worklore
  before(async () => {
    await stage.wl.projects.create({ key: 'BAD', name: 'A bad day' })
    const { key } = await stage.wl.keys.create({ name: 'agent', scopes: ['tasks:write'] })
    agent = new Worklore({ baseUrl: stage.service.baseUrl, apiKey: key! })
  })

  const personOf = async (name: string): Promise<{ user: User; key: string; client: Worklore }> => {
    const user = await stage.wl.users.create({ name, kind: 'human' })
    const { key } = await stage.wl.keys.create({ name, scopes: ['tasks:write'], userId: user.id })
    return { user, key: key!, client: new Worklore({ baseUrl: stage.service.baseUrl, apiKey: key! }) }
  }
  const assign = async (userId: string, count: number): Promise<void> => {
    for (let made = 0; made < count; made += 50) {
      await stage.wl.batch((batch) =>
        Array.from({ length: Math.min(50, count - made) }, (_, at) =>
          batch.tasks.create({ projectId: 'BAD', title: `Assigned ${made + at}`, assigneeId: userId }),
        ),
      )
    }
  }

  it('is gone through by keyboard to its end, and read at once, with 200 entries', async () => {
    const { user, key, client } = await personOf('Busy')
    await assign(user.id, 1)
    await client.inbox.read({ ids: (await client.inbox.list()).data.map(({ id }) => id) })
    await assign(user.id, 200)
    const page = await stage.open('inbox', { key })
    await isCounted(page, 200)
    await selectedRow(page).waitFor()
    assert.equal(await page.locator('[data-row]').count(), 50)
    for (let at = 0; at < 60; at++) await page.keyboard.press('j')
    await page.waitForFunction(() => {
      const rows = [...document.querySelectorAll('[data-row]')]
      return rows.findIndex((row) => row.getAttribute('aria-current') === 'true') === 60
    })
    // What was read before all of them is found too.
    await page.getByRole('button', { name: 'Show what was read' }).click()
    await page.getByRole('region', { name: 'Read' }).getByText('assigned it to you').waitFor()
    await page.getByRole('button', { name: 'Mark all as read' }).click()
    await page.getByText(/Nothing waits for you/).waitFor()
    await eventually(async () => (await client.inbox.list()).data.length === 0)
  })

  it('is the same in all tabs', async () => {
    const { user, key } = await personOf('Tabs')
    await assign(user.id, 2)
    const page = await stage.open('inbox', { key })
    const other = await stage.tab(page, 'inbox')
    for (const each of [page, other]) await isCounted(each, 2)
    await page.bringToFront()
    await page.keyboard.press('e')
    for (const each of [page, other]) await isCounted(each, 1)

    // Nothing is counted before all of it is known.
    let release = (): void => undefined
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    await other.route(/tasks\/cards\?.*exhausted/, async (route) => {
      await held
      await route.continue()
    })
    await other.reload()
    await selectedRow(other).waitFor()
    assert.doesNotMatch(await other.title(), /^\(/)
    release()
    await isCounted(other, 1)
  })

  it('says when it could not be read or marked, loses nothing, and recovers', async () => {
    const { user, key, client } = await personOf('Offline')
    await assign(user.id, 3)
    const page = await stage.open('p/BAD/board', { key })
    await isCounted(page, 3)
    await page.route('**/v1/inbox**', (route) => route.abort())
    await stage.go(page, 'inbox')
    await selectedRow(page).waitFor()
    await page.keyboard.press('e')
    const told = page.locator('.toast').getByText(/It was not marked as read/)
    await told.waitFor()
    await isCounted(page, 3)
    // It goes by itself, however soon the next one comes.
    await told.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Mark all as read' }).click()
    await told.waitFor()
    assert.equal((await client.inbox.list()).data.length, 3)

    const cut = await stage.tab(page, 'usage')
    await cut.route('**/v1/questions**', (route) => route.abort())
    await stage.go(cut, 'inbox')
    await cut.reload()
    await cut.getByText('No connection to the service').waitFor()
    assert.equal(await cut.getByText(/Nothing waits for you/).count(), 0)
    await cut.unroute('**/v1/questions**')
    await cut.getByRole('button', { name: 'Try again' }).click()
    await cut.getByText('No connection to the service').waitFor({ state: 'detached' })
  })

  it('keeps the selection where it was moved to while an answer is on its way', async () => {
    const { user, key, client } = await personOf('Fast')
    const { id } = await stage.wl.tasks.create({ projectId: 'BAD', title: 'Three questions' })
    const asked: string[] = []
    for (const body of ['First?', 'Second?', 'Third?']) {
      asked.push((await agent.questions.create(id, { body, options: ['Yes', 'No'], to: user.id })).id)
    }
    const page = await stage.open('inbox', { key })
    await selectedRow(page).getByText('First?').waitFor()
    let release = (): void => undefined
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    await page.route('**/answer', async (route) => {
      await held
      await route.continue()
    })
    await page.keyboard.press('1')
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await selectedRow(page).getByText('Third?').waitFor()
    release()
    await page.getByText('First?').waitFor({ state: 'detached' })
    await page.locator('.toast').getByText('answered: Yes').waitFor()
    await page.keyboard.press('2')
    await eventually(async () => (await client.questions.get(asked[2]!)).answer?.option === 'No')
    assert.equal((await client.questions.get(asked[1]!)).state, 'open')
  })

  it('drops a question that someone else has answered, also without the stream', async () => {
    const { user, key } = await personOf('Late')
    const { id } = await stage.wl.tasks.create({ projectId: 'BAD', title: 'Too late' })
    const question = await agent.questions.create(id, { body: 'Late?', options: ['Yes', 'No'], to: user.id })
    const page = await stage.open('inbox', { key })
    await page.route('**/v1/events/stream**', (route) => route.abort())
    await page.reload()
    await selectedRow(page).getByText('Late?').waitFor()
    await page.route('**/answer', async (route) => {
      await stage.wl.questions.answer(question.id, { option: 'No' }).catch(() => undefined)
      await route.continue()
    })
    await page.keyboard.press('1')
    await page
      .locator('.toast')
      .getByText(/was not answered/)
      .waitFor()
    await page.getByText(/Nothing waits for you/).waitFor()
  })

  it('has a task that its own agent gave up, until it is handed out again', async () => {
    await stage.wl.projects.create({ key: 'ONCE', name: 'Once', maxAttempts: 1 })
    const { user, key, client } = await personOf('Owner')
    const { id } = await stage.wl.tasks.create({ projectId: 'ONCE', title: 'Given up', assigneeId: user.id })
    await client.inbox.read({ ids: (await client.inbox.list()).data.map((entry) => entry.id) })
    const page = await stage.open('inbox', { key })
    await page.getByText(/Nothing waits for you/).waitFor()
    const claim = await client.tasks.claim(id)
    await claim.release()
    await page.getByText(/All attempts are used up/).waitFor()
    await isCounted(page, 1)
    await page.getByRole('button', { name: `Retry ${id}: allow more attempts` }).click()
    await page.getByText(/Nothing waits for you/).waitFor()
    await eventually(async () => (await client.inbox.list()).data.length === 0)
    assert.equal((await stage.wl.tasks.get(id)).attempts, 0)
  })

  it('shows hostile and endless texts as texts, within the page', async () => {
    const { user, key, client } = await personOf('Hostile')
    const task = await stage.wl.tasks.create({
      projectId: 'BAD',
      title: `${hostile} ${unbroken}`.slice(0, 480),
      checks: [{ text: `${hostile} ${'X'.repeat(380)}`, verifier: 'human' }],
    })
    await agent.tasks.update(task.id, { status: 'in_review', result: `${hostile} ${unbroken}` })
    const options = [`${hostile} ${'Y'.repeat(350)}`, ...Array.from({ length: 9 }, (_, at) => `${at} ${unbroken}`)]
    const { id: questionId } = await agent.questions.create(task.id, {
      body: `${hostile}\n\n${unbroken}`,
      options,
      to: user.id,
    })
    await stage.wl.tasks.comments(task.id).create({ body: `@${user.handle} ${hostile} ${unbroken}` })
    for (const viewport of [
      { width: 1280, height: 800 },
      { width: 390, height: 844 },
    ]) {
      const page = await stage.open('inbox', { key, viewport })
      await page.getByText('W'.repeat(20)).first().waitFor()
      await page.locator(`[data-row="${questionId}"]`).waitFor()
      for (const path of ['inbox', `p/BAD/board?task=${task.id}`]) {
        await stage.go(page, path)
        if (path !== 'inbox') await page.getByRole('complementary').getByText('Y'.repeat(20)).first().waitFor()
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
        assert.ok(overflow <= 0, `${path} is ${overflow} px too wide at ${viewport.width}`)
      }
      await page.close()
    }
    const page = await stage.open('inbox', { key })
    await page.locator(`[data-row="check-${task.id}"]`).waitFor()
    await page.locator(`[data-row="${questionId}"] a`).first().focus()
    await page.keyboard.press('0')
    await eventually(async () => (await client.questions.get(questionId)).answer?.option === options[9])
  })
})
