import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { engines } from 'worklore-testing/engines'
import { expectStatus } from 'worklore-testing/expect'
import { checkLooks, violationsIn } from './axe.js'
import { describeConsole } from './console-stage.js'
import { eventually } from './eventually.js'

const inReview = 1_270

const endless = 'w'.repeat(100)

describeConsole('a fleet of agents', engines.slice(0, 1), (stage) => {
  const keys: { id: string; key: string }[] = []
  const claim = async (taskId: string, key: string, body = {}): Promise<string> =>
    expectStatus(await stage.service.post(`/v1/tasks/${taskId}/claim`, body, { key }), 200).body.data.claim.token
  const release = async (token: string, key: string, body = {}): Promise<void> => {
    const path = `/v1/tasks/${token.split('.')[0]}/release`
    expectStatus(await stage.service.post(path, body, { key, headers: { 'worklore-claim': token } }), 200)
  }
  const createMany = async (projectId: string, count: number, fields = {}): Promise<string[]> => {
    const ids: string[] = []
    for (let made = 0; made < count; made += 100) {
      const tasks = await stage.wl.batch((batch) =>
        Array.from({ length: Math.min(100, count - made) }, (_, at) =>
          batch.tasks.create({ projectId, title: `Task ${made + at}`, ...fields }),
        ),
      )
      ids.push(...tasks.map(({ id }) => id))
    }
    return ids
  }

  before(async () => {
    await stage.wl.projects.create({ key: 'FLEET', name: 'Fleet' })
    for (let made = 0; made < 30; made++) {
      const name = `agent-${made}`
      const { id, key } = await stage.wl.keys.create({ name, scopes: ['tasks:write', 'knowledge:write'] })
      keys.push({ id, key: key! })
    }
  })

  it('shows the workers of a key, how they do, and what was refused', async () => {
    const tasks = await createMany('FLEET', 60)
    const [six, runaway] = keys as [(typeof keys)[0], (typeof keys)[0]]
    for (let at = 0; at < 6; at++) await claim(tasks[at]!, six.key, { worker: `worker-${at + 1}` })
    await claim(tasks[6]!, six.key, { worker: endless })
    for (const [at, { key }] of keys.slice(2).entries()) await claim(tasks[10 + at]!, key)
    for (let at = 40; at < 44; at++)
      await release(await claim(tasks[at]!, runaway.key), runaway.key, { status: 'done' })
    await release(await claim(tasks[44]!, runaway.key), runaway.key)
    for (let sent = 0; sent < 161; sent++) await stage.service.get('/v1/keys', { key: runaway.key })
    for (const path of ['tasks/FLEET-999', 'tasks/FLEET-998', 'tasks?limit=x'])
      await stage.service.get(`/v1/${path}`, { key: runaway.key })
    const ask = () => stage.service.post('/v1/tasks/next', { label: 'none', worker: 'worker-7' }, { key: six.key })
    await ask()

    const page = await stage.open('agents')
    const row = (name: string | RegExp) => page.getByRole('row', { name })
    for (let at = 0; at < 6; at++)
      await row(new RegExp(`worker-${at + 1}, worker of agent-0 working ${tasks[at]}`)).waitFor()
    // It counts as waiting for a minute, which may be over on a slow machine.
    const waiting = row(/worker-7, worker of agent-0 waiting nothing/)
    await eventually(async () => {
      await ask()
      return waiting.waitFor({ timeout: 20_000 }).then(
        () => true,
        () => false,
      )
    })
    await row(/agent-0 working 7 tasks, 8 workers/).waitFor()
    for (const width of [1_400, 1_900]) {
      await page.setViewportSize({ width, height: 900 })
      const cutOff = await page.locator('.table-wrap').evaluate((table) => table.scrollWidth - table.clientWidth)
      assert.ok(cutOff <= 0, `the table is ${cutOff} px too wide at ${width}`)
    }
    await row(/agent-1 idle .* 20% 0 164 ?161 × 403, 2 × 404, \+1 more/).waitFor()
    assert.equal(await page.getByRole('row', { name: /^agent-/ }).count(), 30)
    const refused = page.getByRole('columnheader', { name: 'Refused' })
    await refused.getByRole('button').press('Enter')
    await page.waitForURL(/sort=-refused/)
    assert.equal(await refused.getAttribute('aria-sort'), 'descending')
    assert.match((await page.getByRole('row').nth(1).textContent())!, /agent-1/)
    await page.getByRole('button', { name: 'Last 24 hours' }).click()
    await page.getByRole('option', { name: 'Last 30 days' }).click()
    await page.waitForURL(/period=30d/)
    await row(/agent-1 idle .* 164 ?161 × 403/).waitFor()
    await checkLooks(page)

    await stage.go(page, 'p/FLEET/board')
    // The worker first, whole on a card.
    const mark = page.locator('.claim-mark', { hasText: 'worker-1' })
    assert.match(await mark.first().innerText(), /^worker-1\s*agent-0$/)

    await stage.go(page, `agents/${runaway.id}`)
    const refusals = page.getByRole('region', { name: 'Refused requests' })
    await refusals.getByText('not allowed').waitFor()
    await refusals.getByRole('listitem').getByText('161').waitFor()
    await page
      .getByRole('region', { name: 'Last 24 hours' })
      .getByText('1 of 5 claims: 1 handed back, 0 expired')
      .waitFor()
    await checkLooks(page)

    await stage.go(page, 'usage')
    const byKey = page.getByRole('region', { name: 'By key' })
    await byKey.getByRole('row', { name: /agent-1 174 10 164 4/ }).waitFor()
    await page.getByRole('region', { name: 'By project' }).getByRole('row', { name: /Fleet/ }).waitFor()
    await checkLooks(page)
  })

  it('takes the state of a key from its workers, whatever else the key does', async () => {
    const { key } = await stage.wl.keys.create({ name: 'quiet-1', scopes: ['tasks:write'] })
    const [held] = (await createMany('FLEET', 1)) as [string]
    const token = await claim(held, key!, { worker: 'stuck' })
    const page = await stage.open('agents')
    await page.getByRole('row', { name: /^quiet-1 working 1 task, 1 worker/ }).waitFor()
    const longAgo = new Date(Date.now() - 11 * 60_000).toISOString()
    await page.route('**/v1/tasks/cards?*', async (route) => {
      const { pathname, search } = new URL(route.request().url())
      const { body } = await stage.service.get(`${pathname}${search}`)
      for (const { claim } of body.data) if (claim) claim.renewedAt = longAgo
      await route.fulfill({ json: body })
    })
    await page.reload()
    await page.getByRole('row', { name: /^stuck, worker of quiet-1 silent/ }).waitFor()
    await page.getByRole('row', { name: /^quiet-1 silent 1 task, 1 worker/ }).waitFor()
    await release(token, key!)
  })

  it('takes back what one worker did, or what was done under one claim', async () => {
    const [good, bad, held, stopped] = (await createMany('FLEET', 4)) as [string, string, string, string]
    const { id, key } = keys[29]!
    const write = async (taskId: string, worker: string): Promise<string> => {
      const token = await claim(taskId, key, { worker })
      const headers = { 'worklore-claim': token }
      expectStatus(await stage.service.patch(`/v1/tasks/${taskId}`, { title: `By ${worker}` }, { key, headers }), 200)
      return token
    }
    await release(await write(good, 'good'), key, { status: 'done' })
    await release(await write(bad, 'bad'), key, { status: 'done' })
    await write(held, 'good')
    await write(stopped, 'stopped')
    const page = await stage.open(`agents/${id}`)
    const workers = page.getByRole('region', { name: 'Workers' })
    await workers.getByRole('row', { name: /^good/ }).waitFor()
    await checkLooks(page)
    await workers.getByRole('row', { name: /^bad idle nothing (now|\d+[sm] ago) 1 / }).waitFor()
    // Counted by the service, whatever events there are to read.
    await page.route('**/v1/events?*', (route) =>
      route.fulfill({ json: { data: [], pagination: { nextAfter: 0, nextBefore: null, hasMore: false } } }),
    )
    await page.reload()
    await page.getByRole('img', { name: '11 changes in the last 30 minutes' }).waitFor()
    // A narrower table leaves it out.
    await page.setViewportSize({ width: 1900, height: 800 })
    await stage.go(page, 'agents')
    await page.getByRole('img', { name: '11 changes by agent-29 in the last 30 minutes' }).waitFor()
    await stage.go(page, `agents/${id}`)
    await workers.getByRole('button', { name: 'Undo changes by bad' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText(bad).waitFor()
    assert.equal(await dialog.getByText(good).count(), 0)
    assert.deepEqual(await violationsIn(page), [])
    assert.match(page.url(), /worker=bad/)
    await dialog.getByRole('button', { name: /^Undo 1/ }).click()
    await eventually(async () => (await stage.wl.tasks.get(bad)).status === 'todo')
    await dialog.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('button', { name: `Undo what was done under the claim on ${held}` }).click()
    await dialog.getByRole('list', { name: 'Will be reverted' }).getByText(held).waitFor()
    await dialog.getByText(`${held}, held by good of agent-29`).waitFor()
    await dialog.getByRole('button', { name: /^Undo 1/ }).click()
    await eventually(async () => (await stage.wl.tasks.get(held)).title !== 'By good')
    assert.equal((await stage.wl.tasks.get(good)).title, 'By good')
    await dialog.getByRole('button', { name: 'Done' }).click()

    // Whoever stops an agent releases its task first: that is no conflict.
    await page.getByRole('button', { name: `Release ${stopped}` }).click()
    await eventually(async () => (await stage.wl.tasks.get(stopped)).claim === null)
    await workers.getByRole('button', { name: 'Undo changes by stopped' }).click()
    await dialog.getByText('0 conflicts').waitFor()
    await dialog.getByRole('button', { name: /^Undo 1/ }).click()
    await eventually(async () => (await stage.wl.tasks.get(stopped)).title !== 'By stopped')
    assert.equal((await stage.wl.tasks.get(stopped)).status, 'todo')
  })

  it('groups what needs a person, with true counts, and lets it be done there', async () => {
    await stage.wl.projects.create({ key: 'ONCE', name: 'Once', maxAttempts: 1 })
    const reviewed = await createMany('FLEET', inReview, { status: 'in_review' })
    const failed = await createMany('ONCE', 3)
    const { key } = keys[28]!
    for (const id of failed) await release(await claim(id, key), key)
    const page = await stage.open('inbox?kind=review')
    const group = (name: string) => page.getByRole('region', { name, exact: true })
    await group('In review').getByText('1,270').waitFor()
    const selected = page.locator('[data-row][aria-current="true"]')
    // The longest-waiting first.
    await selected.getByRole('link', { name: new RegExp(`^${reviewed[0]} `) }).waitFor()
    const [first, second, third] = (await page
      .locator('[data-row]')
      .evaluateAll((rows) => rows.slice(0, 3).map((row) => row.getAttribute('data-row')!.replace('review-', '')))) as [
      string,
      string,
      string,
    ]
    const box = selected.getByRole('textbox')
    await box.waitFor()
    await page.keyboard.press('p')
    await eventually(async () => (await stage.wl.tasks.get(first)).status === 'done')
    await group('In review').getByText('1,269').waitFor()
    await page.locator(`[data-row="review-${second}"][aria-current="true"]`).getByRole('textbox').waitFor()
    await page.keyboard.press('f')
    await page.keyboard.type('The tests are missing')
    await page.keyboard.press('Control+Enter')
    await eventually(async () => (await stage.wl.tasks.get(second)).status === 'todo')
    assert.equal((await stage.wl.tasks.comments(second).list()).data[0]!.body, 'The tests are missing')
    await page.locator(`[data-row="review-${third}"][aria-current="true"]`).waitFor()
    await group('In review').getByText('1,268').waitFor()
    await checkLooks(page)

    const all = page.getByRole('group', { name: 'Kinds' }).getByRole('button', { name: /^All/ })
    await all.click()
    // The page, the badge and the title say the same.
    await eventually(async () => {
      const [, count] = /([\d,]+)$/.exec(await all.innerText()) ?? []
      const badge = await page
        .getByRole('navigation', { name: 'Main' })
        .getByRole('link', { name: /Needs you/ })
        .innerText()
      return badge.endsWith(count!) && (await page.title()).startsWith(`(${count}) `)
    })
    await group('Out of attempts').getByRole('button', { name: 'Retry all' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Retry 3 tasks' }).click()
    await eventually(async () => (await stage.wl.tasks.get(failed[2]!)).attempts === 0)
    await group('Out of attempts').waitFor({ state: 'detached' })

    await page.clock.install({ time: Date.now() + 11 * 60_000 })
    await page.reload()
    await group('Held by silent agents')
      .getByText(/worker-1 of agent-0 silent for [1-9]\dm/)
      .waitFor()
    await checkLooks(page)
    await group('Held by silent agents').getByRole('button', { name: 'Release all' }).click()
    assert.deepEqual(await violationsIn(page), [])
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Release \d+ tasks/ })
      .click()
    await group('Held by silent agents').waitFor({ state: 'detached' })
    assert.equal((await stage.wl.tasks.list({ claimed: true })).data.length, 0)
  })

  it('tells of what is new while hidden, if the person wants it', async () => {
    const user = await stage.wl.users.create({ name: 'Nadia', kind: 'human' })
    const { key } = await stage.wl.keys.create({ name: 'Nadia', scopes: ['tasks:write'], userId: user.id })
    const page = await stage.open('agents', { key: key! })
    await page.addInitScript(() => {
      const told: string[] = []
      class Told {
        static permission = sessionStorage.getItem('permission') ?? 'default'
        static requestPermission = async () => {
          sessionStorage.setItem('permission', 'granted')
          Told.permission = 'granted'
          return 'granted'
        }
        onclick: (() => void) | null = null
        constructor(title: string) {
          told.push(title)
          setTimeout(() => this.onclick?.())
        }
        close(): void {}
      }
      Object.assign(globalThis, { Notification: Told, told })
    })
    await page.goto(stage.url('inbox'))
    const button = page.getByRole('button', { name: 'Notifications' })
    assert.equal(await button.getAttribute('aria-pressed'), 'false')
    await button.click()
    await page.locator('button[aria-pressed="true"]').getByText('Notifications').waitFor()
    await stage.go(page, 'agents')
    const told = () => page.evaluate(() => (globalThis as unknown as { told: string[] }).told)
    const { id } = await stage.wl.tasks.create({ projectId: 'FLEET', title: 'Asked about' })
    const ask = (body: string) => stage.wl.questions.create(id, { body, to: user.id })
    await page.waitForFunction(() => document.title.startsWith('('))
    const count = (await page.title()).split(' ')[0]
    await ask('Seen at once?')
    await page.waitForFunction((before) => !document.title.startsWith(`${before} `), count)
    assert.deepEqual(await told(), [])
    await page.evaluate(() => Object.defineProperty(document, 'hidden', { configurable: true, get: () => true }))
    await ask('Seen later?')
    await eventually(async () => (await told()).length === 1)
    assert.match((await told())[0]!, new RegExp(`^Question on ${id}`))
    await page.waitForURL(/\/inbox/)
  })
})
