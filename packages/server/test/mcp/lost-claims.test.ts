import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { createKey, createProject, createTask } from 'worklore-testing/factories'
import { describeClientService } from 'worklore-testing/service-suite'
import { callTool } from './messages.js'

describeClientService('claims by MCP', (wl) => {
  let one: { key: string }
  let two: { key: string }
  before(async () => {
    await createProject(wl, { key: 'LOST' })
    const scopes = ['tasks:write', 'knowledge:write']
    one = await createKey(wl, { name: 'agent one', scopes })
    two = await createKey(wl, { name: 'agent two', scopes })
  })

  const claimed = async (key: string): Promise<{ id: string; claim: string }> => {
    const { id } = await createTask(wl, 'LOST')
    const { text } = await callTool(wl, 'claim_task', { id, minutes: 5 }, { key })
    return { id, claim: /^You hold claim (\S+) /.exec(text)![1]! }
  }

  it('that were finished by a call are finished by its repetition, which changes nothing', async () => {
    for (const [outcome, status, said] of [
      ['done', 'done', 'done'],
      ['review', 'in_review', 'handed in for review'],
      ['release', 'todo', 'released'],
    ] as const) {
      const { id, claim } = await claimed(one.key)
      const finish = { id, claim, outcome, summary: 'As asked.' }
      assert.equal((await callTool(wl, 'finish_task', finish, one)).isError, false)
      const { version } = (await wl.get(`/v1/tasks/${id}`)).body.data
      const again = await callTool(wl, 'finish_task', finish, one)
      assert.equal(again.isError, false, again.text)
      assert.match(
        again.text,
        new RegExp(`^${id} was already ${said} by you at \\d\\d:\\d\\d\\. Nothing was changed\\.\\n${id} ${status} `),
      )
      const after = (await wl.get(`/v1/tasks/${id}`)).body.data
      assert.deepEqual([after.version, after.commentCount], [version, 1])
    }
  })

  it('that were finished otherwise, or by another, are not said to be done', async () => {
    const { id, claim } = await claimed(one.key)
    const finish = { id, claim, outcome: 'release', summary: 'Not now.' }
    await callTool(wl, 'finish_task', finish, one)
    const other = await callTool(wl, 'finish_task', { ...finish, outcome: 'done' }, one)
    assert.equal(other.isError, true)
    assert.match(other.text, /^PRECONDITION_FAILED: Claim \S+ was already ended by you at .* is todo now\.$/)
    const notMine = await callTool(wl, 'finish_task', finish, two)
    assert.match(notMine.text, /^PRECONDITION_FAILED: Claim \S+ is no longer held by this key/)
    const done = await claimed(one.key)
    await callTool(wl, 'finish_task', { ...done, outcome: 'done', summary: 'Done.' }, one)
    const again = await callTool(wl, 'claim_task', { id: done.id }, one)
    assert.match(again.text, /^CONFLICT: \S+ is done: nothing is left to do\. Claim another task\./)
  })

  it('that are over are answered with the state of the task, and who finished it', async () => {
    const lost = (text: string, id: string) => new RegExp(`^PRECONDITION_FAILED: ${text.replaceAll('ID', id)}$`)
    const { id, claim } = await claimed(one.key)
    const finish = { id, claim, outcome: 'done', summary: 'Done.' }
    const unknown = { ...finish, claim: `${id}.9` }
    const says = async (args: object, key = two) => (await callTool(wl, 'finish_task', { ...args }, key)).text
    const none = 'Claim ID.9 does not exist, so nothing was changed\\.'
    assert.match(await says(unknown), lost(`${none} ID is claimed by "agent one" until \\S+Z\\.`, id))
    await callTool(wl, 'finish_task', finish, one)
    const over = 'Claim ID.1 is no longer held by this key, so nothing was changed\\.'
    const by = '"agent one" set it to done at \\d\\d:\\d\\d\\.'
    assert.match(await says(finish), lost(`${over} ID is done\\. ${by}`, id))
    assert.match(await says(unknown), lost(`${none} ID is done and not claimed\\. ${by}`, id))
    const http = await wl.post(`/v1/tasks/${id}/release`, {}, { headers: { 'worklore-claim': claim }, key: two.key })
    assert.match(http.body.error.message, /so nothing was changed\. \S+ is done\.$/)
    const fresh = await createTask(wl, 'LOST')
    const never = { ...finish, id: fresh.id, claim: `${fresh.id}.1` }
    assert.match(
      await says(never),
      lost('Claim ID.1 does not exist, so nothing was changed\\. ID is todo and not claimed\\.', fresh.id),
    )
    assert.match(
      await says({ ...never, id: 'LOST-999', claim: 'LOST-999.1' }),
      /^PRECONDITION_FAILED: Claim LOST-999.1 is no longer held/,
    )
  })

  it('that were finished once more by another are not said to be done by the first', async () => {
    const { id, claim } = await claimed(one.key)
    const finish = { id, claim, outcome: 'done', summary: 'Done.' }
    await callTool(wl, 'finish_task', finish, one)
    await wl.patch(`/v1/tasks/${id}`, { title: 'Another title' })
    const again = await callTool(wl, 'finish_task', finish, one)
    assert.match(again.text, /^\S+ was already done by you at /)
    for (const key of [two, one]) {
      await callTool(wl, 'update_task', { id, status: 'todo' }, one)
      const { text } = await callTool(wl, 'claim_task', { id }, key)
      const second = /^You hold claim (\S+) /.exec(text)![1]!
      await callTool(wl, 'finish_task', { ...finish, claim: second }, key)
      const name = key === two ? 'two' : 'one'
      const expected = new RegExp(
        `^PRECONDITION_FAILED: Claim ${claim} was already ended by you at \\d\\d:\\d\\d, so nothing was changed\\. ` +
          `${id} is done now\\. "agent ${name}" set it to done at \\d\\d:\\d\\d\\.$`,
      )
      const retry = await callTool(wl, 'finish_task', finish, one)
      assert.equal(retry.isError, true)
      assert.match(retry.text, expected)
    }
  })

  it('of another task are said to be so', async () => {
    const [first, second] = [await claimed(one.key), await claimed(one.key)]
    const wrong = { id: second.id, claim: first.claim, outcome: 'done', summary: 'x' }
    const expected = `PRECONDITION_FAILED: Claim ${first.claim} is for ${first.id}, not for ${second.id}, so nothing was changed.`
    assert.equal((await callTool(wl, 'finish_task', wrong, one)).text, expected)
    assert.equal((await callTool(wl, 'update_task', { id: second.id, claim: first.claim }, one)).text, expected)
    assert.equal((await wl.get(`/v1/tasks/${second.id}`)).body.data.status, 'in_progress')
  })

  it('of another agent are named by holder and end, not by a token', async () => {
    const { id, claim } = await claimed(one.key)
    const change = await callTool(wl, 'update_task', { id, status: 'done' }, two)
    assert.match(change.text, /^CONFLICT: \S+ is claimed by "agent one" until \S+Z\. Until then only its holder /)
    assert.match(change.text, /add_comment reaches its holder\. \(retry in \d+ s\)$/)
    assert.ok(!/token|as claim/.test(change.text), change.text)
    const own = await callTool(wl, 'update_task', { id, status: 'done' }, one)
    assert.match(own.text, /This key holds the claim\. Send its token as claim\.$/)
    const http = (await wl.patch(`/v1/tasks/${id}`, { status: 'done' }, two)).body.error
    assert.match(http.message, /Its holder sends the token in the Worklore-Claim header\.$/)

    for (const [name, args] of [
      ['list_tasks', { project: 'LOST', limit: 100 }],
      ['get_task', { id }],
    ] as const) {
      const { text } = await callTool(wl, name, args, two)
      assert.match(text, new RegExp(`${id} in_progress .* claimed by "agent one" until `))
      assert.ok(!text.includes(claim), text)
    }
    assert.match((await callTool(wl, 'list_tasks', { mine: true }, one)).text, new RegExp(`claimed ${claim} until`))

    wl.passTime(6 * 60_000)
    await callTool(wl, 'claim_task', { id }, two)
    const late = await callTool(wl, 'update_task', { id, claim, title: 'x' }, one)
    assert.match(
      late.text,
      /no longer held by this key, .*Stop working on the task: \S+ is claimed by "agent two" until /,
    )
  })

  it('that expired and that nobody took are renewed by every write', async () => {
    const { id, claim } = await claimed(one.key)
    const writes: [string, Record<string, unknown>][] = [
      ['add_comment', { id, claim, text: 'Still at it.' }],
      ['update_task', { id, claim, title: 'Another title' }],
      ['update_task', { id, claim }],
      ['write_knowledge', { key: 'lost/note', content: 'Text.', claim }],
    ]
    for (const [name, args] of writes) {
      wl.passTime(6 * 60_000)
      const { text, isError } = await callTool(wl, name, args, one)
      assert.equal(isError, false, text)
      const task = (await wl.get(`/v1/tasks/${id}`)).body.data
      assert.deepEqual([task.status, task.claim?.token], ['in_progress', claim], name)
    }
  })
})
