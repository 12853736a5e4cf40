import assert from 'node:assert/strict'
import { before } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { Worklore } from 'worklore-client'
import { enginesBehindService } from 'worklore-testing/engines'
import { describeConsole } from './console-stage.js'
import { eventually } from './eventually.js'
import { it, journey } from './journeys.js'

const badge = (page: Page) => page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: /Needs you/ })
const checkIn = (place: Locator, text: string) => place.locator('.task-check-text', { hasText: text })
const selectedRow = (page: Page) => page.locator('[data-row][aria-current="true"]')

describeConsole('what waits for a person', enginesBehindService, (stage) => {
  let personKey: string
  let person: Worklore
  let agent: Worklore

  const userOf = async (name: string, kind: 'human' | 'agent', scopes: ('tasks:write' | 'admin')[]) => {
    const user = await stage.wl.users.create({ name, kind, role: scopes.includes('admin') ? 'admin' : 'member' })
    const { key } = await stage.wl.keys.create({ name, scopes, userId: user.id })
    return { user, key: key!, client: new Worklore({ baseUrl: stage.service.baseUrl, apiKey: key! }) }
  }
  const create = (title: string, fields = {}) => stage.wl.tasks.create({ projectId: 'ASK', title, ...fields })

  before(async () => {
    await stage.wl.projects.create({ key: 'ASK', name: 'Questions' })
    ;({ key: personKey, client: person } = await userOf('Maya Okafor', 'human', ['tasks:write']))
    ;({ client: agent } = await userOf('atlas', 'agent', ['tasks:write']))
  })

  it('is counted beside the page and in its title, live', async () => {
    const { id } = await create('Counted')
    const page = await stage.open('p/ASK/board', { key: personKey })
    await page.locator(`[data-card="${id}"]`).waitFor()
    assert.equal(await page.title(), 'Questions board · Worklore')
    const question = await agent.questions.create(id, { body: 'Now?', options: ['Yes', 'No'] })
    await page.waitForFunction(() => document.title === '(1) Questions board · Worklore')
    await badge(page).getByText('1', { exact: true }).waitFor()
    await page.locator(`[data-card="${id}"]`).getByText('1 question').waitFor()
    await person.questions.answer(question.id, { option: 'Yes' })
    await page.waitForFunction(() => document.title === 'Questions board · Worklore')
    await eventually(async () => (await page.locator(`[data-card="${id}"]`).getByText('1 question').count()) === 0)
  })

  it('counts a question once that is asked under a claim', async () => {
    const { id } = await create('Claimed')
    const page = await stage.open('p/ASK/board', { key: personKey })
    const card = page.locator(`[data-card="${id}"]`)
    await card.waitFor()
    const claim = await agent.tasks.claim(id)
    await card.getByText('atlas').waitFor()
    const question = await agent.fenced(claim.token).tasks.ask(id, { body: 'Which one?' }, { waitSeconds: 0 })
    await card.getByText('1 question').waitFor()
    await person.questions.answer(question.id, { body: 'This one' })
    await eventually(async () => (await card.getByText(/question/).count()) === 0)
  })

  journey('is answered with one key press each', async () => {
    const { id } = await create('Two questions')
    const first = await agent.questions.create(id, { body: 'Drop it?', options: ['Drop it', 'Keep it'] })
    const later = await agent.questions.create(id, { body: 'Which *table*?' })
    const page = await stage.open('inbox', { key: personKey })
    await selectedRow(page).getByText('Drop it?').waitFor()
    await page.keyboard.press('2')
    await selectedRow(page).getByText('Which table?').waitFor()
    assert.deepEqual((await person.questions.get(first.id)).answer?.option, 'Keep it')
    await selectedRow(page).getByRole('textbox', { name: 'Write an answer' }).waitFor()
    await page.keyboard.press('r')
    await page.keyboard.type('The old one')
    await page.keyboard.press('Control+Enter')
    await page.getByText(/Nothing waits for you/).waitFor()
    assert.equal((await person.questions.get(later.id)).answer?.body, 'The old one')
    await eventually(async () => !(await page.title()).startsWith('('))
  })

  it('takes a note with an option, from the first letter on', async () => {
    const { id } = await create('With a note')
    const { id: questionId } = await agent.questions.create(id, { body: 'Keep it?', options: ['Yes', 'No'] })
    const page = await stage.open(`p/ASK/list?task=${id}`, { key: personKey })
    await page.getByRole('button', { name: 'Add a note' }).waitFor()
    await page.keyboard.press('r')
    await page.keyboard.type('Until 2030')
    await page.keyboard.press('Escape')
    await page.keyboard.press('1')
    await eventually(async () => (await person.questions.get(questionId)).state === 'answered')
    const { answer } = await person.questions.get(questionId)
    assert.deepEqual([answer?.option, answer?.body], ['Yes', 'Until 2030'])
  })

  it('does not let a key decide the next row when someone else was faster', async () => {
    const { id } = await create('A race')
    const above = await agent.questions.create(id, { body: 'Above?', options: ['Yes', 'No'] })
    const below = await agent.questions.create(id, { body: 'Below?', options: ['Yes', 'No'] })
    const page = await stage.open('inbox', { key: personKey })
    await selectedRow(page).getByText('Above?').waitFor()
    await stage.wl.questions.answer(above.id, { option: 'No' })
    await selectedRow(page).waitFor({ state: 'detached' })
    await page.keyboard.press('1')
    await page.keyboard.press('j')
    await selectedRow(page).getByText('Below?').waitFor()
    assert.equal((await person.questions.get(below.id)).state, 'open')
    await page.keyboard.press('2')
    await eventually(async () => (await person.questions.get(below.id)).answer?.option === 'No')
  })

  it('has checks to decide with evidence, and goes on to the next row', async () => {
    const { id } = await create('Reviewed', {
      checks: [{ text: 'It works in Safari', verifier: 'human' }, { text: 'The suite passes' }],
    })
    await agent.tasks.update(id, { status: 'in_review', result: 'Follows **only** our own origin.' })
    const page = await stage.open('inbox', { key: personKey })
    const row = page.locator(`[data-row="check-${id}"]`)
    await row.getByText('2 of 2 checks open').waitFor()
    await checkIn(row, 'It works in Safari').waitFor()
    await page.keyboard.press('p')
    await row.getByRole('textbox', { name: 'What shows that it holds' }).waitFor()
    await page.keyboard.type('Tried `19.1`')
    await page.keyboard.press('Control+Enter')
    await checkIn(row, 'It works in Safari').waitFor({ state: 'detached' })
    await page.keyboard.press('f')
    await page.keyboard.type('3 of 214 failed')
    await page.keyboard.press('Control+Enter')
    await row.waitFor({ state: 'detached' })
    const [passed, failed] = (await stage.wl.tasks.get(id)).checks
    assert.deepEqual([passed?.state, passed?.evidence], ['passed', 'Tried `19.1`'])
    assert.deepEqual([failed?.state, failed?.evidence], ['failed', '3 of 214 failed'])
    await stage.wl.tasks.update(id, { status: 'cancelled' })
  })

  it('says which checks are missing when a task cannot be done, and lets them be decided there', async () => {
    const { id } = await create('Gated', { checks: [{ text: 'Documented' }], status: 'in_progress' })
    const page = await stage.open(`p/ASK/board?task=${id}`, { key: personKey })
    const drawer = page.getByRole('complementary')
    const setDone = async (): Promise<void> => {
      await drawer.getByRole('button', { name: 'In progress' }).click()
      await page.getByRole('option', { name: 'Done' }).click()
    }
    await setDone()
    await drawer.getByRole('alert').getByText(`${id} cannot be done yet: 1 check is open.`).waitFor()
    await page.locator('.toast').getByText(`${id} cannot be done yet: “Documented” is open.`).waitFor()
    assert.equal((await stage.wl.tasks.get(id)).status, 'in_progress')
    await drawer.getByRole('button', { name: 'Waive Documented' }).click()
    await drawer.getByRole('textbox', { name: 'Why it need not hold' }).fill('See [the **log**](https://example.com)')
    await page.keyboard.press('Control+Enter')
    await drawer.getByText(/waived by Maya Okafor/).waitFor()
    await drawer.locator('.check-evidence strong', { hasText: 'log' }).waitFor()
    await drawer.getByRole('alert').waitFor({ state: 'detached' })
    await setDone()
    await eventually(async () => (await stage.wl.tasks.get(id)).status === 'done')
  })

  it('edits checks and the result in place', async () => {
    const { id } = await create('Edited', { checks: [{ text: 'First' }, { text: 'Second' }] })
    const page = await stage.open(`p/ASK/board?task=${id}`, { key: personKey })
    const checks = page.getByRole('region', { name: 'Checks' })
    const act = async (text: string, action: string): Promise<void> => {
      await checks.getByRole('button', { name: `Actions on the check “${text}”` }).click()
      await page.getByRole('option', { name: action }).click()
    }
    await checks.getByRole('button', { name: 'Add a check' }).click()
    await checks.getByRole('textbox', { name: 'New check' }).fill('Third')
    await checks.getByRole('button', { name: 'Anyone' }).click()
    await page.getByRole('option', { name: 'A person' }).click()
    await checks.getByRole('button', { name: 'Add', exact: true }).click()
    await checkIn(checks, 'Third').waitFor()
    await act('First', 'Edit')
    await checks.getByRole('textbox', { name: 'Text of the check' }).fill('First of all')
    await page.keyboard.press('Enter')
    await checkIn(checks, 'First of all').waitFor()
    await act('Second', 'Remove')
    await checkIn(checks, 'Second').waitFor({ state: 'detached' })
    const stored = (await stage.wl.tasks.get(id)).checks.map(({ text, verifier }) => `${text} ${verifier}`)
    assert.deepEqual(stored, ['First of all anyone', 'Third human'])
    await page.keyboard.press('p')
    await page.keyboard.type('Seen')
    await page.keyboard.press('Control+Enter')
    await checks.getByText(/passed by Maya Okafor/).waitFor()
    await act('First of all', 'Reopen')
    await checks.getByText(/passed by/).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Add the result' }).click()
    await page.getByRole('textbox', { name: `Result of ${id}` }).waitFor()
    await page.keyboard.type('It **works**')
    await page.keyboard.press('Control+s')
    await page.getByRole('region', { name: 'Result' }).locator('strong', { hasText: 'works' }).waitFor()
    assert.equal((await stage.wl.tasks.get(id)).result, 'It **works**')
  })

  it('asks a question with options, shows its answer, and withdraws one', async () => {
    const { id } = await create('Asked')
    const page = await stage.open(`p/ASK/board?task=${id}`, { key: personKey })
    await page.getByRole('button', { name: 'Ask a question' }).waitFor()
    const ask = async (body: string): Promise<void> => {
      await page.keyboard.press('q')
      await page.getByRole('textbox', { name: 'Write a question' }).waitFor()
      await page.keyboard.type(body)
    }
    await ask('Which?')
    for (const [at, option] of ['This', 'That'].entries()) await page.getByLabel(`Option ${at + 1}`).fill(option)
    await page.getByRole('button', { name: 'Ask', exact: false }).filter({ hasText: /^Ask/ }).last().click()
    const open = page.getByRole('region', { name: 'Open questions' })
    await open.getByRole('button', { name: 'That' }).click()
    await page.getByRole('region', { name: 'Questions', exact: true }).getByText('chose “That”').waitFor()
    await ask('Another?')
    await page.keyboard.press('Control+Enter')
    await open.getByText('Another?').waitFor()
    await open.getByRole('button', { name: 'Actions on this question' }).click()
    await page.getByRole('option', { name: 'Withdraw' }).click()
    await page.getByText('Withdrawn without an answer.').waitFor()
    const { data } = await stage.wl.questions.list({ taskId: id })
    assert.deepEqual(
      data.map(({ state, options }) => [state, options]),
      [
        ['withdrawn', null],
        ['answered', ['This', 'That']],
      ],
    )
  })

  it('offers people after an @, and tells whoever is mentioned', async () => {
    const { id } = await create('Mentioned')
    const { key, client } = await userOf('Marta Ruiz', 'human', ['tasks:write'])
    const page = await stage.open(`p/ASK/board?task=${id}`, { key: personKey })
    const box = page.getByRole('textbox', { name: 'Write a comment' })
    await box.fill('Could ')
    await box.focus()
    await page.keyboard.press('End')
    await page.keyboard.type('@ma')
    const list = page.getByRole('listbox', { name: 'People to mention' })
    await list.getByRole('option', { name: 'Maya Okafor' }).waitFor()
    await page.keyboard.press('Escape')
    await list.waitFor({ state: 'detached' })
    assert.equal(await page.getByRole('complementary').count(), 1)
    await page.keyboard.type(' @ma')
    await list.waitFor()
    const active = (): Promise<string | undefined> =>
      box.evaluate((it) => document.getElementById(it.getAttribute('aria-activedescendant') ?? '')?.textContent ?? '')
    assert.match((await active())!, /Marta Ruiz/)
    await page.keyboard.press('ArrowDown')
    await eventually(async () => /Maya Okafor/.test((await active()) ?? ''))
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Enter')
    assert.equal(await box.inputValue(), 'Could @ma @marta-ruiz ')
    await page.keyboard.type('look?')
    await page.keyboard.press('Control+Enter')
    const theirs = await stage.open('inbox', { key })
    await selectedRow(theirs).getByText('Maya Okafor mentioned you').waitFor()
    assert.match(await theirs.title(), /^\(1\) /)
    await theirs.keyboard.press('Enter')
    await theirs.getByRole('complementary', { name: `Task ${id}` }).waitFor()
    await eventually(async () => (await client.inbox.list()).data.length === 0)
    await theirs.keyboard.press('Escape')
    await stage.wl.tasks.update(id, { assigneeId: (await client.me()).user!.id })
    await theirs.getByText(/assigned it to you/).waitFor()
    await theirs.keyboard.press('j')
    await selectedRow(theirs).waitFor()
    await theirs.keyboard.press('e')
    await theirs.getByText(/Nothing waits for you/).waitFor()
    await eventually(async () => (await client.inbox.list()).data.length === 0)
    await theirs.getByRole('button', { name: 'Show what was read' }).click()
    await theirs.getByRole('region', { name: 'Read' }).getByText('Maya Okafor mentioned you').waitFor()
  })

  it('takes an answer back', async () => {
    const { id } = await create('Taken back')
    const { id: questionId } = await agent.questions.create(id, { body: 'Sure?', options: ['Yes', 'No'] })
    const { key } = await userOf('Ada', 'human', ['admin'])
    const page = await stage.open('inbox', { key })
    await selectedRow(page).getByText('Sure?').waitFor()
    await page.keyboard.press('1')
    await page.locator('.toast').getByText(`${id} answered: Yes`).waitFor()
    await page.keyboard.press('u')
    await page.getByText('Sure?').waitFor()
    assert.equal((await stage.wl.questions.get(questionId)).state, 'open')
    await stage.wl.questions.withdraw(questionId)
  })

  it('has nothing to press for a key that only reads', async () => {
    const { id } = await create('Only read', { checks: [{ text: 'Seen' }], status: 'in_progress' })
    const { id: questionId } = await agent.questions.create(id, { body: 'Well?', options: ['Yes', 'No'] })
    const { key } = await stage.wl.keys.create({ name: 'reader', scopes: ['tasks:read'] })
    const page = await stage.open(`p/ASK/board?task=${id}`, { key: key! })
    await page.getByRole('region', { name: 'Open questions' }).getByText('Well?').waitFor()
    await checkIn(page.getByRole('region', { name: 'Checks' }), 'Seen').waitFor()
    for (const name of ['Yes', 'Pass', 'Waive', 'Add a check', 'Ask a question', 'Add the result']) {
      assert.equal(await page.getByRole('complementary').getByRole('button', { name }).count(), 0, name)
    }
    await stage.wl.questions.withdraw(questionId)
  })

  it('sets the checks of new tasks, and handles', async () => {
    const page = await stage.open('projects')
    await page.getByRole('button', { name: 'Actions on ASK' }).click()
    await page.getByRole('option', { name: 'Settings' }).click()
    await page.getByRole('button', { name: 'Add a check' }).click()
    await page.getByLabel('Check 1', { exact: true }).fill('Reviewed')
    await page.getByRole('dialog').getByRole('button', { name: 'Anyone' }).click()
    await page.getByRole('option', { name: /Someone else/ }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    assert.deepEqual(
      (await create('With a check')).checks.map(({ text, verifier }) => [text, verifier]),
      [['Reviewed', 'other']],
    )
    await stage.go(page, 'people')
    await page.getByRole('button', { name: 'Actions on atlas' }).click()
    await page.getByRole('option', { name: 'Edit' }).click()
    await page.getByLabel('Handle', { exact: true }).fill('maya-okafor')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('dialog').getByRole('alert').waitFor()
    await page.getByLabel('Handle', { exact: true }).fill('atlas-2')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('main').getByText('@atlas-2', { exact: true }).waitFor()
  })
})
