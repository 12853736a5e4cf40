import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { engines } from 'worklore-testing/engines'
import { expectStatus } from 'worklore-testing/expect'
import { violationsIn } from './axe.js'
import { describeConsole } from './console-stage.js'
import { eventually } from './eventually.js'

const code = "```ts\nconst one = 'x' // 1\n```"
const guide = ['Setup', 'Use', 'Setup']
  .map((name) => `## ${name}\n\n${code}\n\n${'Some text. '.repeat(300)}\n`)
  .join('\n')

describeConsole('people, logs and knowledge', engines.slice(0, 1), (stage) => {
  before(async () => {
    const { wl } = stage
    for (const key of ['SHOP', 'DOCS']) await wl.projects.create({ key, name: `Project ${key}` })
    for (let number = 1; number <= 3; number++) await wl.tasks.create({ projectId: 'SHOP', title: `Task ${number}` })
  })

  it('lists people and agents, creates, renames and deletes them', async () => {
    const page = await stage.open('people')
    await page.getByRole('button', { name: 'New user' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('Robin')
    await dialog.getByLabel('Kind').selectOption('agent')
    assert.deepEqual(await violationsIn(page), [])
    await dialog.getByRole('button', { name: 'Create' }).click()
    const row = page.getByRole('row', { name: /Robin/ })
    await row.getByText('@robin').waitFor()
    const { id } = (await stage.wl.users.list()).data.find(({ name }) => name === 'Robin')!
    const key = await stage.wl.keys.create({ name: 'robins-key', scopes: ['tasks:read'], userId: id })
    await row.getByRole('link', { name: 'robins-key' }).waitFor()
    await row.getByText('never').waitFor()

    await page.getByRole('button', { name: 'Agents' }).click()
    await page.waitForURL(/kind=agent/)
    await page.getByLabel('Filter by name, handle or email').fill('nobody')
    await page.getByText('Nobody matches').waitFor()
    await page.getByLabel('Filter by name, handle or email').fill('rob')

    await page.getByRole('button', { name: 'Actions on Robin' }).click()
    await page.getByRole('option', { name: 'Edit' }).click()
    await dialog.getByLabel('Name').fill('Robin Two')
    await dialog.getByLabel('Role').selectOption('none')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('row', { name: /Robin Two.*None/ }).waitFor()

    await page.getByRole('button', { name: 'Actions on Robin Two' }).click()
    await page.getByRole('option', { name: 'Delete' }).click()
    await dialog.getByLabel(/Also erase/).check()
    assert.deepEqual(await violationsIn(page), [])
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('row', { name: /Robin Two/ }).waitFor({ state: 'detached' })
    assert.equal((await stage.service.get('/v1/me', { key: key.key! })).status, 401)
  })

  it('filters the audit log by kind, actor, result and time, with links', async () => {
    const { id: userId } = await stage.wl.users.create({ name: 'Wanda', kind: 'human' })
    const weak = await stage.wl.keys.create({ name: 'weak', scopes: ['tasks:read'], userId })
    await stage.service.post('/v1/tasks', { projectId: 'SHOP', title: 'x' }, { key: weak.key! })
    const page = await stage.open('audit')
    const lines = page.locator('.audit-line')
    await lines.filter({ hasText: 'key.created' }).getByRole('link', { name: 'weak' }).waitFor()
    await lines
      .filter({ hasText: 'session.created' })
      .getByText(/^key admin · /)
      .first()
      .waitFor()
    await page.getByRole('button', { name: 'Refused' }).click()
    await eventually(async () => (await lines.filter({ hasText: 'key.created' }).count()) === 0)
    // Refusals are written now and then.
    await eventually(async () => {
      await page.getByRole('button', { name: 'Refresh' }).click()
      return (await lines.filter({ hasText: 'scope.refused' }).getByRole('link', { name: 'Wanda' }).count()) > 0
    })
    await page.getByRole('button', { name: 'All', exact: true }).click()
    await page.getByRole('button', { name: 'Kind' }).click()
    await page.getByRole('option', { name: 'Keys', exact: true }).click()
    await eventually(async () => (await lines.filter({ hasText: 'scope.refused' }).count()) === 0)
    await page.getByLabel('Until').fill('2020-01-01T00:00')
    await page.getByLabel('Until').press('Enter')
    await page.getByText('No entries').waitFor()
    assert.match(page.url(), /kind=key\.\*|kind=key\.%2A/)
    await page.getByRole('button', { name: 'Remove the end' }).click()
    await lines.first().getByRole('link').first().click()
    await page.waitForURL(/agents\/key_/)
  })

  it('tells in words what the audit log holds', async () => {
    const { wl, service } = stage
    const [first, second] = [
      await wl.tasks.create({ projectId: 'SHOP', title: 'Changed' }),
      await wl.tasks.create({ projectId: 'SHOP', title: 'Deleted' }),
    ]
    await wl.tenant.update({ paused: { reason: 'Fire drill' } })
    await wl.tenant.update({ paused: null })
    const headers = { 'x-request-id': 'bulk_0123' }
    expectStatus(await service.patch(`/v1/tasks/${first.id}`, { title: 'Changed twice' }, { headers }), 200)
    await wl.history.undo({ requestId: 'bulk_0123', dryRun: false })
    await wl.tasks.delete(second.id)
    const entry = (await wl.trash.list({})).data.find(({ title }) => title === 'Deleted')!
    await wl.trash.restore(entry.id)
    const { id } = await wl.keys.create({ name: 'renamed', scopes: ['tasks:read'] })
    await wl.keys.update(id, { name: 'renamed later' })

    const page = await stage.open('audit')
    const line = (action: string) => page.locator('.audit-line').filter({ hasText: action }).first()
    await line('tenant.paused')
      .getByText(/^paused: “Fire drill” · by /)
      .waitFor()
    await line('tenant.paused').getByText('everything', { exact: true }).waitFor()
    await line('session.created').getByText('a console session', { exact: true }).waitFor()
    await line('undo.applied')
      .getByText(/^undid a change of several tasks \(bulk_0123\) · 1 record · by /)
      .waitFor()
    await line('trash.restored').getByRole('link', { name: second.id }).waitFor()
    await line('key.updated')
      .getByText(/previous name renamed · by /)
      .waitFor()
    const texts = (await page.locator('.audit-line').allInnerTexts()).join(' ')
    assert.doesNotMatch(texts, /[{}]|\b(ten|tra|ses|prj|usr)_/)
  })

  it('names people, whichever of their keys they used, and agents by their key', async () => {
    const { wl, service } = stage
    const nora = await wl.users.create({ name: 'Nora Quist', kind: 'human', role: 'admin' })
    const laptop = await wl.keys.create({ name: 'laptop', scopes: ['admin'], userId: nora.id })
    const robot = await wl.keys.create({
      name: 'robot-1',
      scopes: ['tasks:write'],
      user: { name: 'Robot', kind: 'agent' },
    })
    const { id } = await wl.tasks.create({ projectId: 'SHOP', title: 'By a person' })
    const gone = await wl.tasks.create({ projectId: 'SHOP', title: 'Gone by a person' })
    const by = (key: { key?: string | null }) => ({ key: key.key! })
    expectStatus(await service.patch(`/v1/tasks/${id}`, { priority: 'high' }, by(robot)), 200)
    expectStatus(await service.patch(`/v1/tasks/${id}`, { priority: 'low' }, by(laptop)), 200)
    expectStatus(await service.post(`/v1/tasks/${id}/claim`, { worker: 'shell' }, by(laptop)), 200)
    expectStatus(await service.delete(`/v1/tasks/${gone.id}`, by(laptop)), 200)
    expectStatus(await service.post('/v1/keys', { name: 'second', scopes: ['tasks:read'] }, by(laptop)), 201)

    const page = await stage.open(`p/SHOP/board?task=${id}`)
    assert.match(await page.locator(`[data-card="${id}"] .claim-mark`).innerText(), /^shell\s*Nora Quist$/)
    await page.locator('.claim-banner').getByText('shell of Nora Quist').waitFor()
    await page.getByRole('tab', { name: 'History' }).click()
    const history = page.locator('.history')
    await history.getByText('Nora Quist').first().waitFor()
    await history.getByText('robot-1').waitFor()

    await stage.go(page, 'trash')
    await page
      .getByRole('listitem')
      .filter({ hasText: gone.id })
      .getByText(/deleted by Nora Quist/)
      .waitFor()

    await stage.go(page, 'audit')
    await page.getByRole('button', { name: 'Actor' }).click()
    await page.getByRole('option', { name: /Nora Quist.*laptop/ }).click()
    await page.waitForURL(`**/audit?actor=${laptop.id}`)
    const created = page.locator('.audit-line').filter({ hasText: 'key.created' })
    await created.getByRole('link', { name: 'Nora Quist' }).waitFor()
    await stage.go(page, `events?actor=${laptop.id}`)
    await page.getByRole('button', { name: 'Nora Quist', exact: true }).waitFor()
    await page.locator('.event-line').filter({ hasText: gone.id }).getByText('Nora Quist').waitFor()
    for (const each of ['', 'trash']) {
      await stage.go(page, each)
      assert.equal(await page.locator('main').getByText('laptop', { exact: true }).count(), 0, each)
    }
  })

  it('filters events by project and time, and tries again', async () => {
    const page = await stage.open()
    await page.route('**/v1/events?*', (route) => route.fulfill({ status: 409, json: {} }))
    await stage.go(page, 'events?project=SHOP')
    await page.getByRole('button', { name: 'Try again' }).waitFor()
    await page.unroute('**/v1/events?*')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('Task 1').waitFor()
    await stage.wl.tasks.create({ projectId: 'DOCS', title: 'Elsewhere' })
    await stage.wl.tasks.create({ projectId: 'SHOP', title: 'Task 4' })
    await page.getByText('Task 4').waitFor()
    assert.equal(await page.getByText('Elsewhere').count(), 0)
    await page.getByLabel('From').fill('2099-01-01T00:00')
    await page.getByLabel('From').press('Enter')
    await page.getByText('No events').waitFor()
    assert.match(page.url(), /since=2099/)
  })

  it('shows recent changes of knowledge, live, and items with contents and colors', async () => {
    await stage.wl.knowledge.put('guides/old', { content: 'first\nsecond\n' })
    const page = await stage.open('k')
    await page.getByRole('link', { name: 'guides/old' }).first().waitFor()
    await stage.wl.knowledge.put('guides/old', { content: 'first\nthird\n' })
    await page.locator('.recent-diff .removed', { hasText: 'second' }).waitFor()
    await page.locator('.recent-diff .added', { hasText: 'third' }).waitFor()
    await stage.wl.knowledge.put('guides/long', { projectId: 'DOCS', content: `${guide}\n|a|b|\n|:-|-:|\n|1|2|\n` })
    const change = page.locator('.recent-list li', { hasText: 'guides/long' })
    await change.getByText('Project DOCS').waitFor()
    assert.ok(!(await change.innerText()).includes('```'))
    await change.getByRole('link', { name: 'guides/long' }).click()

    const contents = page.getByRole('navigation', { name: 'Contents' })
    await page.setViewportSize({ width: 1400, height: 800 })
    await contents.waitFor()
    assert.deepEqual(await contents.getByRole('link').allInnerTexts(), ['Setup', 'Use', 'Setup'])
    await contents.getByRole('link', { name: 'Use' }).focus()
    await page.keyboard.press('Enter')
    await contents.locator('[aria-current=location]', { hasText: 'Use' }).waitFor()
    assert.match(page.url(), /section=use/)
    await page.locator('.code-keyword', { hasText: 'const' }).first().waitFor()
    assert.equal(await page.locator('.prose pre').first().innerText(), "const one = 'x' // 1")
    const align = (name: string) =>
      page.getByRole('cell', { name, exact: true }).evaluate((cell) => getComputedStyle(cell).textAlign)
    assert.deepEqual([await align('1'), await align('2')], ['left', 'right'])

    await page.setViewportSize({ width: 390, height: 800 })
    await contents.getByText('Contents').click()
    await contents.getByRole('link', { name: 'Use' }).waitFor()
    assert.deepEqual(await violationsIn(page), [])

    await stage.wl.knowledge.put('notes/marks', {
      content: '## Heading\n\n**Bold** zebra in `code`, see [here](https://x.y)',
    })
    await eventually(async () => (await stage.wl.knowledge.search('zebra')).data.length > 0)
    await stage.go(page, 'search?q=zebra')
    const snippet = page.locator('.hit-snippet').first()
    await snippet.locator('mark', { hasText: 'zebra' }).waitFor()
    assert.match(await snippet.innerText(), /Bold zebra in code, see here/)
  })

  it('shows as many recent changes as were asked for, however many come in', async () => {
    const write = (from: number, count: number) =>
      stage.wl.batch((batch) =>
        Array.from({ length: count }, (_, index) => batch.knowledge.put(`many/${from + index}`, { content: 'new' })),
      )
    await write(0, 100)
    const page = await stage.open('k')
    const rows = page.locator('.recent-list li')
    await rows.nth(99).waitFor()
    await write(100, 60)
    await rows.filter({ hasText: 'many/159' }).waitFor()
    assert.equal(await rows.count(), 100)
    await page.getByRole('button', { name: 'Show older changes' }).click()
    await eventually(async () => (await rows.count()) > 100)
    const keys = await page.locator('.recent-head a:not(.event-actor)').allInnerTexts()
    const written = Array.from({ length: 160 }, (_, index) => `many/${159 - index}`)
    assert.deepEqual(keys.slice(0, 160), written)
  })

  it('creates a task with a parent and blockers, and shows what a task blocks', async () => {
    const page = await stage.open('p/SHOP/board')
    await page.keyboard.press('c')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Title').fill('Follow up')
    for (const [button, id] of [
      ['Set a parent', 'SHOP-1'],
      ['Add a blocker', 'SHOP-2'],
    ] as const) {
      await dialog.getByRole('button', { name: button }).click()
      await page.keyboard.type(id)
      await dialog.getByRole('option', { name: new RegExp(id) }).waitFor()
      await page.keyboard.press('Enter')
      await dialog.getByRole('button', { name: `Remove ${id}` }).waitFor()
    }
    assert.deepEqual(await violationsIn(page), [])
    await dialog.getByRole('button', { name: 'Create task' }).click()
    await dialog.waitFor({ state: 'detached' })
    const created = (await stage.wl.tasks.list({ parentId: 'SHOP-1' })).data[0]!
    assert.deepEqual([created.title, created.blockedBy], ['Follow up', ['SHOP-2']])

    await stage.go(page, 'p/SHOP/board?task=SHOP-2')
    const blocks = page.getByRole('region', { name: 'Blocks', exact: true })
    await blocks.getByRole('link', { name: created.id }).waitFor()
    await stage.wl.tasks.update('SHOP-3', { blockedBy: ['SHOP-2'] })
    await blocks.getByRole('link', { name: 'SHOP-3' }).waitFor()
    await stage.wl.tasks.update('SHOP-3', { blockedBy: [] })
    await blocks.getByRole('link', { name: 'SHOP-3' }).waitFor({ state: 'detached' })
    await stage.wl.tasks.claim('SHOP-3', { leaseSeconds: 600 })
    await page
      .locator('[data-card=SHOP-3]')
      .getByText(/^\d+m left$/)
      .waitFor()

    await page.route('**/v1/tasks/SHOP-2', (route) =>
      route.request().method() === 'PATCH'
        ? route.fulfill({
            status: 429,
            json: {
              error: {
                code: 'RATE_LIMIT_EXCEEDED',
                reason: 'rate',
                plan: 'free',
                message: 'Rate limit exceeded: the free plan allows 60 writes per minute. Try again in 30 seconds.',
                retryAfter: 30,
              },
            },
          })
        : route.continue(),
    )
    await page.getByRole('complementary').getByRole('button', { name: 'Medium' }).click()
    await page.getByRole('option', { name: 'High' }).click()
    await page
      .getByText(/Try again in 30 seconds\. Or ask the operator for a larger plan: npx worklore tenants/)
      .waitFor()
  })
})
