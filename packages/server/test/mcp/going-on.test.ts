import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createProject, createTask, putItem } from 'worklore-testing/factories'
import type { TestTenant } from 'worklore-testing/harness'
import { describeClient } from 'worklore-testing/service-suite'
import { until } from 'worklore-testing/until'
import { callTool } from './messages.js'

const says = async (wl: TestTenant, name: string, args: Record<string, unknown>): Promise<string> => {
  const { text, isError } = await callTool(wl, name, args)
  assert.equal(isError, false, text)
  return text
}

/** The texts between the marks of data. */
const dataIn = (text: string): string[] => [...text.matchAll(/<data>\n(.*?)\n<\/data>/gs)].map(([, data]) => data!)

/** Asks on with what an answer says until one says nothing. */
const readOn = async (
  first: string,
  hint: RegExp,
  next: (...found: string[]) => Promise<string>,
  maxCalls = 30,
): Promise<string[]> => {
  const answers = [first]
  for (let found = hint.exec(first); found; found = hint.exec(answers.at(-1)!)) {
    assert.ok(answers.length < maxCalls, 'it goes on and on')
    answers.push(await next(...found.slice(1)))
  }
  return answers
}

describeClient('what an answer of MCP has no room for', (wl) => {
  it('of a description is read by its lines', async () => {
    await createProject(wl, { key: 'LONG' })
    const lines = Array.from({ length: 900 }, (_, at) => `Line ${at + 1} of what is to be done about the login page.`)
    const { id } = await createTask(wl, 'LONG', { description: lines.join('\n') })
    const answers = await readOn(
      await says(wl, 'get_task', { id }),
      /^description, lines \d+-\d+ of 900, more: get_task from_line (\d+):$/m,
      (line) => says(wl, 'get_task', { id, from_line: Number(line) }),
    )
    assert.ok(answers.length > 2)
    assert.deepEqual(
      answers.flatMap(dataIn),
      answers.map((answer) => dataIn(answer)[0]!),
    )
    assert.equal(answers.flatMap(dataIn).join('\n'), lines.join('\n'))
    const claimed = await says(wl, 'claim_task', { id })
    assert.match(claimed, /, more: get_task from_line \d+:$/m)
    const after = await callTool(wl, 'get_task', { id, from_line: 901 })
    assert.equal(after.text, 'VALIDATION_ERROR: Invalid arguments: from_line is after the last line, 900.')
  })

  it('of the comments is read from the newest to the oldest', async () => {
    await createProject(wl, { key: 'TALK' })
    const { id } = await createTask(wl, 'TALK', { description: 'Short.' })
    const bodies = Array.from({ length: 60 }, (_, at) => `Comment ${at + 1}. ${'The page is still blank. '.repeat(20)}`)
    for (const body of bodies) await wl.post(`/v1/tasks/${id}/comments`, { body })
    const first = await says(wl, 'get_task', { id })
    assert.match(first, /^comments, the newest \d+ of 60, older: get_task cursor \S+:$/m)
    const answers = await readOn(first, /^comments.*, older: get_task cursor (\S+):$/m, (cursor) =>
      says(wl, 'get_task', { id, cursor: cursor! }),
    )
    const read = answers.reverse().flatMap((answer) => dataIn(answer).filter((data) => data !== 'Short.'))
    assert.deepEqual(read, bodies)
    const other = await createTask(wl, 'TALK')
    const [, cursor] = /cursor (\S+):$/m.exec(first)!
    const wrong = await callTool(wl, 'get_task', { id: other.id, cursor })
    assert.match(wrong.text, /^VALIDATION_ERROR: .*cursor was issued for other/)
  })

  it('of one long comment is read by its lines', async () => {
    await createProject(wl, { key: 'SAID' })
    const { id } = await createTask(wl, 'SAID')
    await wl.post(`/v1/tasks/${id}/comments`, { body: 'The first.' })
    const lines = Array.from({ length: 700 }, (_, at) => `Line ${at + 1} of the log of the build.`)
    await wl.post(`/v1/tasks/${id}/comments`, { body: lines.join('\n') })
    await wl.post(`/v1/tasks/${id}/comments`, { body: 'The last.' })
    const first = await says(wl, 'get_task', { id })
    const hint = / cmt_\w+, lines \d+-\d+ of 700, more: get_task cursor (\S+) from_line (\d+)$/m
    const answers = await readOn(first, hint, (cursor, line) =>
      says(wl, 'get_task', { id, cursor, from_line: Number(line) }),
    )
    assert.ok(answers.length > 2)
    const read = answers.flatMap(dataIn).filter((data) => data.startsWith('Line '))
    assert.equal(read.join('\n'), lines.join('\n'))
    assert.deepEqual(
      dataIn(first).filter((data) => !data.startsWith('Line ')),
      ['The first.', 'The last.'],
    )
  })

  it('of subtasks and blockers is named', async () => {
    await createProject(wl, { key: 'TREE' })
    const blockers: string[] = []
    for (let at = 0; at < 30; at++) blockers.push((await createTask(wl, 'TREE', { title: `Blocker ${at}` })).id)
    const parent = await createTask(wl, 'TREE', { blockedBy: blockers })
    const subtasks: string[] = []
    for (let at = 0; at < 30; at++) subtasks.push((await createTask(wl, 'TREE', { parentId: parent.id })).id)
    const text = await says(wl, 'get_task', { id: parent.id })
    for (const blocker of blockers) assert.match(text, new RegExp(`\\b${blocker}\\b`))
    assert.match(text, new RegExp(`^\\d+ of 30, all: list_tasks parent ${parent.id}$`, 'm'))
    const answers = await readOn(
      await says(wl, 'list_tasks', { parent: parent.id }),
      /, more: cursor (\S+)$/,
      (cursor) => says(wl, 'list_tasks', { parent: parent.id, cursor }),
    )
    const listed = answers.flatMap((answer) => [...answer.matchAll(/^TREE-\d+/gm)].map(([found]) => found))
    assert.deepEqual(listed.sort(), subtasks.sort())
  })

  it('of the history is read from the newest change to the oldest', async () => {
    await createProject(wl, { key: 'HIST' })
    const { id } = await createTask(wl, 'HIST', { title: 'Title 0' })
    for (let at = 1; at < 25; at++) await wl.patch(`/v1/tasks/${id}`, { title: `Title ${at}` })
    const answers = await readOn(
      await says(wl, 'get_history', { of: id, limit: 10 }),
      /^10 changes, more: cursor (\S+)$/m,
      (cursor) => says(wl, 'get_history', { of: id, limit: 10, cursor }),
    )
    const versions = answers.flatMap((answer) =>
      [...answer.matchAll(/ v(\d+) by /g)].map(([, version]) => Number(version)),
    )
    assert.deepEqual(
      versions,
      Array.from({ length: 25 }, (_, at) => 25 - at),
    )
    assert.match(answers.at(-1)!, /\n5 changes$/)
    const only = await createTask(wl, 'HIST')
    assert.match(await says(wl, 'get_history', { of: only.id }), /\n1 change$/)
    const since = '2026-01-01'
    const [, cursor] = /cursor (\S+)$/.exec(answers[0]!)!
    const other = await callTool(wl, 'get_history', { of: id, since, cursor })
    assert.match(other.text, /^VALIDATION_ERROR: .*cursor was issued for other/)
    const recent = await says(wl, 'get_history', { of: id, since, limit: 20 })
    const [, next] = /20 changes, more: cursor (\S+)$/.exec(recent)!
    assert.match(await says(wl, 'get_history', { of: id, since, limit: 20, cursor: next }), /\n5 changes$/)
    assert.equal(await says(wl, 'get_history', { of: id, since: '2999-01-01' }), `No changes of ${id} in the log`)
  })

  it('of a search is read from the best to the last', async () => {
    await createProject(wl, { key: 'SEEK' })
    const tasks = Array.from({ length: 100 }, (_, at) => ({ title: `Zebra crossing ${at}` }))
    for (const title of ['a', 'b'])
      await says(wl, 'create_task', {
        project: 'SEEK',
        tasks: tasks.map((each) => ({ title: `${each.title} ${title}` })),
      })
    for (let at = 0; at < 15; at++)
      await putItem(wl, `seek/zebra-${at}`, `How zebra ${at} crosses`, { projectId: 'SEEK' })
    await until(
      () => says(wl, 'search', { query: 'zebra', project: 'SEEK' }),
      (text) => text.includes('10 of 200') && text.includes('10 of 11+, more'),
    )
    const idsIn = (answers: string[]): string[] =>
      answers.flatMap((answer) => [...answer.matchAll(/^SEEK-\d+/gm)].map(([found]) => found))

    const args = { query: 'zebra', project: 'SEEK', limit: 50 }
    const listed = await readOn(await says(wl, 'list_tasks', args), / of 200, more: cursor (\S+)$/, (cursor) =>
      says(wl, 'list_tasks', { ...args, cursor }),
    )
    assert.equal(new Set(idsIn(listed)).size, 200)
    assert.equal(idsIn(listed).length, 200)

    const both = await says(wl, 'search', args)
    const found = await readOn(both, / of 200, more: cursor (\S+)$/m, (cursor) =>
      says(wl, 'search', { ...args, cursor }),
    )
    assert.equal(new Set(idsIn(found)).size, 200)
    assert.equal(idsIn(found).length, 200)
    const few = { query: 'zebra', project: 'SEEK', in: 'knowledge', limit: 10 }
    const notes = await readOn(await says(wl, 'search', few), /^10 of 11\+, more: cursor (\S+)$/m, (cursor) =>
      says(wl, 'search', { ...few, cursor }),
    )
    assert.equal(new Set(notes.flatMap((answer) => [...answer.matchAll(/^seek\/\S+/gm)].map(([key]) => key))).size, 15)
    assert.match(notes.at(-1)!, /\n5 of 15$/)

    const [, cursor] = /more: cursor (\S+)$/m.exec(both)!
    const other = await callTool(wl, 'search', { ...args, query: 'lion', cursor })
    assert.match(other.text, /^VALIDATION_ERROR: .*cursor was issued for other/)
    assert.match((await callTool(wl, 'search', { ...args, cursor: 'abc' })).text, /cursor is invalid; use the cursor/)
  })
})
