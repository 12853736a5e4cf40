import assert from 'node:assert/strict'
import { before } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { Response } from 'playwright-core'
import { Worklore } from 'worklore-client'
import { engines } from 'worklore-testing/engines'
import { inLongRun } from 'worklore-testing/long-run'
import { colorRules, hasVariants, violationsIn } from './axe.js'
import { describeConsole } from './console-stage.js'
import { eventually } from './eventually.js'
import { it, journey } from './journeys.js'

/** Scripts and styles that a page needs before it can be used, the editor apart. */
const firstLoadBytes = 150_000

/** Relative luminance of an opaque color, as WCAG defines it. */
const luminanceOf = (color: string): number => {
  const [, ...channels] = /^rgb\((\d+), (\d+), (\d+)\)$/.exec(color) ?? assert.fail(color)
  const [red, green, blue] = channels.map((channel) => {
    const value = Number(channel) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  }) as [number, number, number]
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

const contrastOf = (text: string, background: string): number => {
  const [darker, lighter] = [luminanceOf(text), luminanceOf(background)].sort((one, other) => one - other)
  return (lighter! + 0.05) / (darker! + 0.05)
}

/**
 * Controls that a finger misses: links within a text are as high as its lines, links alone may be narrow, and a checkbox is
 * as large as its label. Runs in the page.
 */
const smallTargets = (within: string): string[] => {
  const controls = document.querySelectorAll(`:is(${within}) :is(a[href], button, select, summary, input)`)
  return [...controls].flatMap((control) => {
    const isLink = control.matches('a')
    if (control.closest(isLink ? '.prose' : ':disabled')) return []
    // What covers its card or row.
    const cover = getComputedStyle(control, '::after')
    if (isLink && cover.position === 'absolute') return []
    const target = control.matches('[type=checkbox], [type=radio]') ? control.closest('label') : control
    const { width, height } = (target ?? control).getBoundingClientRect()
    const isShown = width > 0 && height > 0
    const isSmall = height < 44 || (width < 44 && !isLink)
    return isShown && isSmall ? [`${width} × ${height}: ${control.outerHTML.slice(0, 120)}`] : []
  })
}

describeConsole('every page', engines.slice(0, 1), (stage) => {
  let webhookId: string
  let keyId: string
  let paths: string[]

  before(async () => {
    const { wl } = stage
    await wl.projects.create({ key: 'SHOP', name: 'Web shop' })
    const ada = await wl.users.create({ name: 'Ada', kind: 'human' })
    const agent = await wl.users.create({ name: 'atlas', kind: 'agent' })
    const key = await wl.keys.create({ name: 'atlas', scopes: ['tasks:write'], userId: agent.id })
    keyId = key.id
    for (let number = 1; number <= 12; number++) {
      await wl.tasks.create({
        projectId: 'SHOP',
        title: `Task number ${number}`,
        description:
          '## Heading\n\nText with `code`, a [link](https://example.com) and SHOP-1.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n- [x] done',
        priority: (['low', 'medium', 'high', 'urgent'] as const)[number % 4]!,
        status: (['todo', 'in_review', 'done', 'cancelled'] as const)[number % 4]!,
        labels: ['backend', 'a rather long label'],
        dueDate: '2020-01-01',
        ...(number % 3 === 0 && { assigneeId: ada.id }),
        ...(number > 8 && { parentId: 'SHOP-4', blockedBy: ['SHOP-1'] }),
      })
    }
    await wl.tasks.comments('SHOP-4').create({ body: '#### A *comment* about the task.' })
    const deleted = await wl.tasks.comments('SHOP-4').create({ body: '**Wrong**, see [this](https://example.com)' })
    await wl.tasks.comments('SHOP-4').delete(deleted.id)
    await wl.tasks.update('SHOP-4', {
      result: 'It **works**.',
      checks: [
        { text: 'The suite passes' },
        { text: 'Reviewed', verifier: 'other' },
        { text: 'Tried', verifier: 'human' },
      ],
    })
    await wl.tasks.decideCheck('SHOP-4', 'c1', { state: 'passed', evidence: '`npm test`: 214 passed' })
    await wl.tasks.decideCheck('SHOP-4', 'c2', { state: 'failed', evidence: 'See [the log](https://example.com)' })
    await wl.tasks.update('SHOP-5', { checks: [{ text: 'Seen in the shop' }] })
    await wl.questions.create('SHOP-4', { body: 'Drop the *old* table?', options: ['Drop it', 'Keep it'] })
    await wl.questions.create('SHOP-4', { body: 'What should it say?' })
    const { id: questionId } = await wl.questions.create('SHOP-4', { body: 'Which one?' })
    await wl.questions.answer(questionId, { body: 'The **first**.' })
    await wl.knowledge.put('guides/long', { content: 'A task in a long guide.\n\n'.repeat(200) })
    await wl.knowledge.put('guides/sections', {
      content: ['One', 'Two', 'Three']
        .map((name) => `## ${name}\n\n\`\`\`ts\nconst one = 'x' // 1\n\`\`\`\n`)
        .join('\n'),
    })
    await stage.service.post('/v1/tasks/SHOP-8/claim', { note: 'reading' }, { key: key.key! })
    await wl.knowledge.put('guides/setup/linux', { content: '# Setup\n\n1. one\n2. two\n\n> quote' })
    await wl.knowledge.put('guides/setup/linux', { content: '# Setup\n\n1. one\n2. two\n3. three' })
    // Of knowledge: every state, and a task and an item that relied on what no longer holds.
    const writer = await wl.keys.create({ name: 'writer', scopes: ['tasks:write', 'knowledge:write'] })
    const relying = new Worklore({ baseUrl: stage.service.baseUrl, apiKey: writer.key! })
    await wl.knowledge.put('task/ports', { content: 'The task listens on 80.', tags: ['network'], title: 'Ports' })
    const { id: relyingId } = await wl.tasks.create({ projectId: 'SHOP', title: 'Task that relies on knowledge' })
    const work = relying.fenced((await relying.tasks.claim(relyingId)).token)
    await work.knowledge.get('task/ports')
    await work.knowledge.put('task/report', { content: 'The task listens on 80, see [[task/ports]].' })
    await eventually(async () => (await wl.knowledge.dependents('task/ports')).data.length === 2)
    await wl.knowledge.retract('task/ports', 'It is 8080.')
    await wl.knowledge.put('task/old', { content: 'A task is a card.', validUntil: '2020-01-01T00:00:00Z' })
    await wl.knowledge.put('task/new', { content: 'A task is a row.', supersedes: ['task/old'] })
    await relying.knowledge.verify(await wl.knowledge.get('task/new'), { note: 'Seen.' })
    await wl.knowledge.put('task/doubted', { content: 'A task is a cell.' })
    await wl.knowledge.dispute(await wl.knowledge.get('task/doubted'), { note: 'It is not.' })
    await wl.knowledge.put('task/expired', { content: 'A task is a page.', validUntil: '2020-01-01T00:00:00Z' })
    await eventually(async () => (await wl.knowledge.get('task/report')).stale.length === 1)
    webhookId = (await wl.webhooks.create({ url: 'https://example.com/hook', events: ['task.*'] })).id
    paths = [
      '',
      'inbox',
      'p/SHOP/board',
      'p/SHOP/board?task=SHOP-4',
      'p/SHOP/list',
      'p/SHOP/list?sort=rank&createdBy=me',
      'p/SHOP/tree',
      'p/SHOP/graph',
      'p/SHOP/board?lanes=priority',
      'tasks',
      'k',
      'k/guides/setup/linux',
      'k/guides/sections',
      'k/task/ports',
      'k/task/report',
      'k/task/new',
      `k/task/doubted?task=${relyingId}`,
      'k?state=stale,disputed,expired',
      'k/guides/setup/linux?edit=1',
      'k/guides/long?edit=1',
      'p/SHOP/board?task=SHOP-5&edit=1',
      'search?q=task',
      'events',
      'agents',
      `agents/${keyId}`,
      'trash',
      'projects',
      'keys',
      'people',
      'audit',
      'audit?result=refused',
      'webhooks',
      `webhooks/${webhookId}`,
      'usage',
      'no/such/page',
    ]
  })

  const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }

  journey('has nothing that axe finds, light and dark', async () => {
    const page = await stage.open()
    const found: string[] = []
    for (const [at, path] of paths.entries()) {
      await stage.go(page, path)
      await page.waitForTimeout(300)
      for (const violation of await violationsIn(page)) found.push(`${path}: ${violation}`)
      if (!hasVariants(at)) continue
      await page.emulateMedia({ colorScheme: 'dark' })
      for (const violation of await violationsIn(page, colorRules)) found.push(`${path} in the dark: ${violation}`)
      await page.emulateMedia({ colorScheme: 'light' })
    }
    assert.deepEqual(found, [])
  })

  journey('has nothing that axe finds on a phone, and nothing that sticks out or is missed by a finger', async () => {
    const page = await stage.open('', phone)
    const found: string[] = []
    for (const [at, path] of paths.entries()) {
      await stage.go(page, path)
      await page.waitForTimeout(300)
      const width = await page.evaluate(() => document.documentElement.scrollWidth)
      if (width > 390) found.push(`${path} is ${width} pixels wide`)
      for (const target of await page.evaluate(smallTargets, '.main, .tabbar')) found.push(`${path}: ${target}`)
      if (!hasVariants(at)) continue
      for (const violation of await violationsIn(page)) found.push(`${path}: ${violation}`)
    }
    assert.deepEqual(found, [])
  })

  for (const colorScheme of ['light', 'dark'] as const) {
    it(`marks what a search found so that it can be read, ${colorScheme}`, async () => {
      const page = await stage.open('search?q=task', { colorScheme })
      // The index of the texts may still be being built.
      await eventually(async () => {
        const mark = page.locator('mark').first()
        const isThere = mark.waitFor({ timeout: 15_000 }).then(
          () => true,
          () => false,
        )
        return (await isThere) || (await page.reload().then(() => false))
      })
      const colors = await page.locator('mark').evaluateAll((marks) =>
        marks.map((mark) => {
          const { color, backgroundColor } = getComputedStyle(mark)
          return [color, backgroundColor] as const
        }),
      )
      for (const [text, background] of colors) {
        const ratio = contrastOf(text, background)
        assert.ok(ratio >= 4.5, `${text} on ${background}: ${ratio}`)
      }
    })
  }

  it('shows a deleted comment without the marks of Markdown', async () => {
    const page = await stage.open('trash')
    await page.getByText('Wrong, see this', { exact: true }).waitFor()
  })

  it('has nothing that axe finds in dialogs, menus and the palette', async () => {
    const page = await stage.open('p/SHOP/board')
    await page.locator('.card').first().waitFor()
    for (const key of ['c', '?', 'Control+k']) {
      await page.keyboard.press(key)
      await page.getByRole('dialog').waitFor()
      assert.deepEqual(await violationsIn(page), [], key)
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
    }
    await page.keyboard.press('c')
    await page.getByRole('dialog').getByLabel('Title').fill('Half a task')
    await page.keyboard.press('Escape')
    await page.keyboard.press('c')
    await page.getByRole('dialog').getByRole('button', { name: 'Clear' }).waitFor()
    await page.getByRole('dialog').getByLabel('Due date', { exact: true }).focus()
    assert.deepEqual(await violationsIn(page), [], 'a kept draft')
    await page.getByRole('dialog').getByRole('button', { name: 'Clear' }).click()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Assignee', exact: true }).click()
    await page.getByRole('listbox').waitFor()
    assert.deepEqual(await violationsIn(page), [], 'filter')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Add to favourites' }).click()
    await page.getByRole('region', { name: 'Favourites' }).waitFor()
    assert.deepEqual(await violationsIn(page), [], 'favourites')
    await page.getByRole('button', { name: 'Actions on Web shop board' }).click()
    await page.getByRole('option', { name: 'Rename' }).click()
    await page.getByRole('dialog', { name: 'Rename the favourite' }).waitFor()
    assert.deepEqual(await violationsIn(page), [], 'renaming a favourite')
    await page.keyboard.press('Escape')
    await stage.wl.projects.create({ key: 'NEXT', name: 'Next door' })
    await stage.go(page, 'p/SHOP/board?task=SHOP-4')
    await page.getByRole('button', { name: 'Actions on SHOP-4' }).click()
    await page.getByRole('option', { name: 'Move to project…' }).click()
    await page.getByRole('dialog', { name: 'Move SHOP-4 to project' }).waitFor()
    assert.deepEqual(await violationsIn(page), [], 'moving')
    await page.keyboard.press('Escape')
    await stage.go(page, 'p/SHOP/board?task=SHOP-4')
    await page.getByRole('textbox', { name: 'Write a comment' }).fill('Hello @')
    await page.getByRole('listbox', { name: 'People to mention' }).waitFor()
    assert.deepEqual(await violationsIn(page), [], 'mentions')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Pass Tried' }).click()
    await page.getByRole('button', { name: 'Ask a question' }).click()
    await page.getByRole('button', { name: 'Add a check' }).click()
    await page.getByRole('textbox', { name: 'New check' }).waitFor()
    assert.deepEqual(await violationsIn(page), [], 'forms of a task')
    await stage.go(page, 'inbox')
    await page.getByRole('button', { name: 'Decide the checks of SHOP-5' }).click()
    await page.getByRole('button', { name: 'Pass Seen in the shop' }).waitFor()
    assert.deepEqual(await violationsIn(page), [], 'checks in the list')
  })

  it('has a menu and a drawer that open on a phone', async () => {
    const page = await stage.open('p/SHOP/board', phone)
    await page.getByRole('button', { name: 'More' }).tap()
    await page.getByRole('link', { name: 'Usage' }).tap()
    await page.getByRole('heading', { name: 'Usage' }).waitFor()
    await page.getByRole('link', { name: 'Board' }).tap()
    await page.locator('.card-title').first().tap()
    await page.getByRole('complementary').waitFor()
    await page.getByRole('button', { name: 'Close' }).tap()
    await page
      .locator('.card')
      .first()
      .getByRole('button', { name: /Status/ })
      .tap()
    await page.getByRole('option', { name: 'In progress' }).tap()
  })

  it('loads no more than it needs at first', async () => {
    const signedIn = await stage.open()
    const storageState = await signedIn.context().storageState()
    // Files have a hash of their content in the name.
    const sizes = new Map<string, Promise<number>>()
    // The editor and an open task come after the page that they are part of.
    const first = paths.filter((each) => !/edit=1|task=|agents|tree|trash|projects|no\/such/.test(each))
    for (const path of first.filter((_, at) => at % inLongRun(4, 1) === 0)) {
      const context = await stage.window({ storageState })
      const page = await context.newPage()
      // However slow the machine is, what the console loads a second after the page does not count.
      await page.addInitScript(() => {
        const { setTimeout } = window
        const withoutLater = (work: () => void, ms = 0) => (ms < 1_000 ? setTimeout(work, ms) : 0)
        window.setTimeout = withoutLater as typeof window.setTimeout
      })
      const loaded: string[] = []
      const onResponse = (response: Response): void => {
        const { pathname } = new URL(response.url())
        if (!/^\/console\/assets\/.*\.(js|css)$/.test(pathname)) return
        loaded.push(pathname)
        if (!sizes.has(pathname))
          sizes.set(
            pathname,
            response.body().then((body) => gzipSync(body, { level: 9 }).length),
          )
      }
      page.on('response', onResponse)
      await page.goto(stage.url(path))
      await page.locator('.page-head').waitFor()
      await page.waitForTimeout(400)
      // What comes later cannot be read once the page is closed.
      page.off('response', onResponse)
      const all = await Promise.all(loaded.map(async (name) => [name, await sizes.get(name)!] as const))
      const bytes = all.reduce((sum, [, size]) => sum + size, 0)
      assert.ok(bytes > 50_000)
      assert.ok(bytes < firstLoadBytes, `${path} loads ${bytes} bytes: ${all.map((each) => each.join(' ')).join(', ')}`)
      await context.close()
    }
  })
})
