import assert from 'node:assert/strict'
import { before } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { Worklore } from 'worklore-client'
import { engines } from 'worklore-testing/engines'
import { colorRules, violationsIn } from './axe.js'
import { describeConsole } from './console-stage.js'
import { eventually } from './eventually.js'
import { it, journey } from './journeys.js'

describeConsole('views of tasks', engines.slice(0, 1), (stage) => {
  let keyId = ''
  let adaId = ''
  let agent: Worklore

  before(async () => {
    const { wl } = stage
    await wl.projects.create({ key: 'ONE', name: 'First', maxAttempts: 1 })
    await wl.projects.create({ key: 'TWO', name: 'Second' })
    adaId = (await wl.users.create({ name: 'Ada', kind: 'human' })).id
    const key = await wl.keys.create({ name: 'atlas', scopes: ['tasks:write'] })
    keyId = key.id
    agent = new Worklore({ baseUrl: stage.service.baseUrl, apiKey: key.key! })
    const task = (title: string, more: object = {}) => wl.tasks.create({ projectId: 'ONE', title, ...more })
    await task('Ready')
    await task('Blocked', { blockedBy: ['ONE-1'], assigneeId: adaId, priority: 'high' })
    await task('Overdue', { dueDate: '2020-01-01', parentId: 'ONE-1' })
    await task('Later', { notBefore: '2990-01-01T00:00:00Z' })
    await task('Held', { checks: [{ text: 'Seen' }] })
    await task('Used up')
    await agent.tasks.claim('ONE-5', { worker: 'left, hand@host11' })
    await (await agent.tasks.claim('ONE-6')).release()
    await wl.tasks.create({ projectId: 'TWO', title: 'Elsewhere', blockedBy: ['ONE-2'] })
  })

  const shown = (page: Page) =>
    page.locator('[data-card]').evaluateAll((cards) => cards.map((card) => (card as HTMLElement).dataset.card!).sort())

  const shows = (page: Page, ids: string[]) =>
    eventually(async () => {
      const now = await shown(page)
      return now.join() === ids.toSorted().join()
    })

  journey('filters by holder, worker, state, age, checks, parent and project, in one project and in all', async () => {
    const page = await stage.open('tasks')
    await shows(page, ['ONE-1', 'ONE-2', 'ONE-3', 'ONE-4', 'ONE-5', 'ONE-6', 'TWO-1'])
    // Whoever holds the last attempt is still at work.
    assert.match(await page.locator('[data-card="ONE-6"]').innerText(), /exhausted/)
    assert.doesNotMatch(await page.locator('[data-card="ONE-5"]').innerText(), /exhausted/)
    for (const [query, ids] of [
      // A parent is ready once its subtasks are closed, and one that waits for a time is not.
      ['state=ready', ['ONE-3']],
      ['state=blocked', ['ONE-2', 'TWO-1']],
      ['state=overdue,exhausted', ['ONE-3', 'ONE-6']],
      ['state=claimed', ['ONE-5']],
      ['state=silent', []],
      ['state=stale,nonsense', []],
      // Unknown values are as good as none.
      ['state=held&age=old&project=TWO', ['TWO-1']],
      [`holder=${keyId}`, ['ONE-5']],
      ['holder=none&project=TWO', ['TWO-1']],
      ['worker=left%252C+hand@host11', ['ONE-5']],
      ['worker=left%252C+hand%40host11', ['ONE-5']],
      ['worker=left', []],
      ['age=over-1d', []],
      ['age=under-1d&checks=open', ['ONE-5']],
      ['checks=none&state=blocked', ['ONE-2', 'TWO-1']],
      ['parent=ONE-1', ['ONE-3']],
      ['worker=%25', []],
    ] as const) {
      await stage.go(page, `tasks?${query}`)
      assert.ok(await shows(page, [...ids]).then(() => true), query)
    }
    await stage.go(page, 'tasks')
    await page.getByRole('button', { name: 'State' }).click()
    await page.getByRole('option', { name: 'Blocked' }).click()
    await page.keyboard.press('Escape')
    await shows(page, ['ONE-2', 'TWO-1'])
    await page.getByRole('button', { name: 'Filter', exact: true }).click()
    await page.getByRole('option', { name: 'Age' }).click()
    await page.getByRole('option', { name: 'More than 7 days old' }).click()
    await eventually(async () => page.url().includes('age=over-7d'))
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Filter', exact: true }).click()
    await page.getByRole('option', { name: 'Worker' }).click()
    await page.getByRole('option', { name: 'left, hand@host11' }).click()
    await eventually(async () => page.url().includes('worker=left%252C+hand%40host11'))
    await page.keyboard.press('Escape')
    assert.deepEqual(await violationsIn(page), [])
    // A favourite keeps a view of all projects.
    await stage.go(page, 'tasks/board?state=blocked&lanes=assignee')
    await page.getByRole('button', { name: 'Add to favourites' }).click()
    const favourite = page.getByRole('region', { name: 'Favourites' }).getByRole('link')
    await favourite.waitFor()
    await stage.go(page, '')
    await favourite.click()
    await page.getByRole('heading', { name: 'All tasks' }).waitFor()
    await shows(page, ['ONE-2', 'TWO-1'])
  })

  it('has its filters in one row and what it shows in line, in wide and narrow windows', async () => {
    const page = await stage.open('p/ONE/list?status=todo,in_progress&state=blocked,claimed,overdue')
    await shows(page, ['ONE-2', 'ONE-3', 'ONE-5'])
    await page.getByRole('button', { name: 'Columns' }).waitFor()
    const leftsOf = (selector: string): Promise<Set<number>> =>
      page
        .locator(selector)
        .evaluateAll((all) => all.map((each) => Math.round(each.getBoundingClientRect().left)))
        .then((lefts) => new Set(lefts))
    for (const width of [1600, 1280, 1000, 800]) {
      await page.setViewportSize({ width, height: 800 })
      const middles = await page
        .locator('.toolbar :is(.picker, .button)')
        .evaluateAll((all) =>
          all.map((each) => each.getBoundingClientRect()).map(({ top, height }) => top + height / 2),
        )
      assert.ok(middles.length > 8 && Math.max(...middles) - Math.min(...middles) <= 1, `${width}: ${middles}`)
      for (const column of ['labels', 'facts', 'holder', 'age', 'assignee']) {
        const lefts = await leftsOf(`:is(.list-head, .task-row) .row-column.${column}`)
        assert.equal(lefts.size, 1, `${column} at ${width}: ${[...lefts]}`)
      }
      const { width: room } = (await page.locator('.task-row-title').first().boundingBox())!
      assert.ok(room >= 140, `${room} pixels for the title at ${width}`)
    }
  })

  it('has columns that sort, and swimlanes to move cards between', async () => {
    const page = await stage.open('p/ONE/list?columns=attempts,age,worker')
    await shows(page, ['ONE-1', 'ONE-2', 'ONE-3', 'ONE-4', 'ONE-5', 'ONE-6'])
    assert.match(await page.locator('[data-card="ONE-5"]').innerText(), /left, hand/)
    const endOf = (element: Locator): Promise<number> =>
      element.evaluate((each) => Math.round(each.getBoundingClientRect().right))
    assert.equal(await endOf(page.locator('.list-head .age')), await endOf(page.locator('.task-row .age').first()))
    const todo = () => page.locator('.task-row-title').allTextContents()
    const age = page.getByRole('button', { name: 'Sort by age' })
    await age.click()
    await eventually(async () => (await todo()).at(-1) === 'Ready')
    await age.click()
    await eventually(async () => page.url().includes('sort=-createdAt'))
    await eventually(async () => (await todo()).at(-1) === 'Used up')
    await page.getByRole('button', { name: 'Columns' }).click()
    await page.getByRole('option', { name: 'Project' }).click()
    await page.keyboard.press('Escape')
    await eventually(async () => /columns=project%2Cworker%2Cattempts%2Cage/.test(page.url()))
    assert.deepEqual(await violationsIn(page), [])

    await stage.go(page, 'p/ONE/board')
    await page.getByRole('button', { name: 'Swimlanes' }).click()
    await page.getByRole('option', { name: 'Priority' }).click()
    const lane = (name: string) => page.getByRole('region', { name, exact: true })
    await lane('High').locator('[data-card="ONE-2"]').waitFor()
    await lane('Medium').locator('[data-card="ONE-1"]').waitFor()
    assert.match(page.url(), /lanes=priority/)
    // Down through one lane into the next, and into another column.
    await page.keyboard.press('j')
    await eventually(
      async () => (await page.locator('.card[data-selected=true]').getAttribute('data-card')) === 'ONE-2',
    )
    await page.keyboard.press('j')
    await eventually(async () => (await page.locator('.card[data-selected=true]').count()) === 1)
    assert.deepEqual(await violationsIn(page), [])
    await page.mouse.move(5, 5)
    await page.mouse.move(10, 10)
    await page.locator('.card[data-card="ONE-2"][draggable="true"]').waitFor()
    await page.locator('.card[data-card="ONE-2"]').dragTo(lane('Medium').getByRole('list', { name: 'Medium, To do' }))
    await eventually(async () => (await stage.wl.tasks.get('ONE-2')).priority === 'medium')
    await stage.go(page, 'p/ONE/board?lanes=parent')
    await lane('ONE-1 Ready').locator('[data-card="ONE-3"]').waitFor()
    await lane('No parent').locator('[data-card="ONE-1"]').waitFor()
  })

  it('draws what blocks what, followed by arrow keys and live', async () => {
    const page = await stage.open('p/ONE/graph')
    const node = (id: string) => page.locator(`[data-node="${id}"]`)
    await node('ONE-2').waitFor()
    assert.equal(await page.locator('[data-node]').count(), 2)
    // Closed tasks are not counted.
    await stage.wl.tasks.create({ projectId: 'ONE', title: 'Over', status: 'done' })
    await page.getByText('2 tasks, 1 link. 4 other open tasks without a link to these are not shown.').waitFor()
    await page.getByRole('button', { name: 'Fit' }).click()
    assert.match(await node('ONE-2').innerText(), /Blocked/)
    // Wherever the focus is.
    await page.getByRole('button', { name: 'Fit' }).blur()
    await page.keyboard.press('ArrowRight')
    assert.equal(await page.evaluate(() => document.activeElement?.closest('li')?.dataset.node), 'ONE-1')
    await page.keyboard.press('ArrowRight')
    assert.equal(await page.evaluate(() => document.activeElement?.closest('li')?.dataset.node), 'ONE-2')
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('-')
    await eventually(async () => page.url().includes('zoom=0.85'))
    assert.deepEqual(await violationsIn(page), [])
    const states = page.getByRole('list', { name: 'States' }).getByRole('listitem')
    assert.deepEqual(await states.allTextContents(), ['Blocked 1', 'Waiting 1'])
    // From afar, where no text can be read, colors tell them apart.
    const colorOf = (id: string) => node(id).evaluate((each) => getComputedStyle(each).backgroundColor)
    assert.equal(await colorOf('ONE-1'), await colorOf('ONE-2'))
    for (let count = 0; count < 4; count++) await page.keyboard.press('-')
    await eventually(async () => page.url().includes('zoom=0.3'))
    // The address changes before the picture.
    await eventually(async () => (await colorOf('ONE-1')) !== (await colorOf('ONE-2')))
    assert.deepEqual(await violationsIn(page), [])
    await page.emulateMedia({ colorScheme: 'dark' })
    assert.deepEqual(await violationsIn(page, colorRules), [])
    await page.emulateMedia({ colorScheme: 'light' })
    await page.keyboard.press('Enter')
    await page.getByRole('complementary').waitFor()
    assert.match(page.url(), /task=ONE-2/)
    await page.keyboard.press('Escape')
    await stage.wl.tasks.update('ONE-4', { blockedBy: ['ONE-2'] })
    await node('ONE-4').waitFor()
    await stage.wl.tasks.update('ONE-1', { status: 'in_review' })
    await eventually(async () => /In review/.test(await node('ONE-1').innerText()))
    await stage.wl.tasks.update('ONE-3', { status: 'done' })
    await stage.wl.tasks.update('ONE-1', { status: 'done' })
    await node('ONE-1').waitFor({ state: 'detached' })
    // It is assigned to somebody else than the one who looks.
    await eventually(async () => /Assigned/.test(await node('ONE-2').innerText()))
    await stage.wl.tasks.update('ONE-2', { assigneeId: null })
    await eventually(async () => /Ready/.test(await node('ONE-2').innerText()))
    await page.getByLabel('Show closed tasks').check()
    await node('ONE-1').waitFor()
    assert.match(page.url(), /closed=1/)
    await stage.go(page, 'p/TWO/graph')
    await node('TWO-1').waitFor()
    // What blocks it is in another project.
    await node('ONE-2').waitFor()
  })

  it('keeps what one looks at in its place when the graph gets larger or smaller', async () => {
    await stage.wl.projects.create({ key: 'LONG', name: 'Long' })
    for (let number = 1; number <= 12; number++) {
      const blockedBy = number > 1 ? [`LONG-${number - 1}`] : []
      await stage.wl.tasks.create({ projectId: 'LONG', title: `Step ${number}`, blockedBy })
    }
    const page = await stage.open('p/LONG/graph')
    const node = page.locator('[data-node="LONG-6"]')
    await node.waitFor()
    const middle = async (): Promise<[number, number]> => {
      const { x, y, width, height } = (await node.boundingBox())!
      return [x + width / 2, y + height / 2]
    }
    const staysAt = async (before: readonly [number, number], zoom: string | null): Promise<void> => {
      await eventually(async () => new URL(page.url()).searchParams.get('zoom') === zoom)
      await eventually(async () => {
        const [x] = await middle()
        return Math.abs(x - before[0]) <= 2
      })
    }
    await page.keyboard.press('ArrowRight')
    for (let number = 1; number < 6; number++) await page.keyboard.press('ArrowRight')
    const before = await middle()
    await page.keyboard.press('+')
    await staysAt(before, '1.25')
    await page.getByRole('button', { name: 'Zoom out' }).click()
    await page.getByRole('button', { name: 'Zoom out' }).click()
    await staysAt(before, '0.85')
    await page.mouse.move(...before)
    await page.keyboard.down('Control')
    await page.mouse.wheel(0, -100)
    await page.keyboard.up('Control')
    await staysAt(before, null)
  })
})
