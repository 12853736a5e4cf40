import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { createKey, createProject, createTask, createUser } from 'worklore-testing/factories'
import { describeClient } from 'worklore-testing/service-suite'
import { callTool } from './messages.js'

describeClient('checks by MCP', (wl) => {
  const scopes = ['tasks:write']
  let agent: { key: string }
  let reviewer: { key: string }
  before(async () => {
    await createProject(wl, { key: 'CHECK' })
    agent = await createKey(wl, { name: 'agent', scopes })
    reviewer = await createKey(wl, { name: 'reviewer', scopes })
  })

  const says = async (name: string, args: Record<string, unknown>, key = agent): Promise<string> => {
    const { text, isError } = await callTool(wl, name, args, key)
    assert.equal(isError, false, `${name}: ${text}`)
    return text
  }
  const refusalOf = async (name: string, args: Record<string, unknown>, key = agent): Promise<string> => {
    const { text, isError } = await callTool(wl, name, args, key)
    assert.equal(isError, true, `${name}: ${text}`)
    return text
  }
  const taskOf = async (id: string) => (await wl.get(`/v1/tasks/${id}`)).body.data

  const created = async (checks: string[]): Promise<string> => {
    const line = await says('create_task', { project: 'CHECK', title: 'Fix it', checks })
    return line.split(' ', 1)[0]!
  }
  const claimed = async (id: string): Promise<{ id: string; claim: string }> => {
    const text = await says('claim_task', { id })
    return { id, claim: /^You hold claim (\S+) /.exec(text)![1]! }
  }

  it('are made with a task or a plan, and say who decides', async () => {
    const id = await created(['The tests pass', 'Other:Reviewed', 'human: Looks right: yes'])
    const { checks } = await taskOf(id)
    assert.deepEqual(
      checks.map(({ id, text, verifier }: Record<string, string>) => [id, text, verifier]),
      [
        ['c1', 'The tests pass', 'anyone'],
        ['c2', 'Reviewed', 'other'],
        ['c3', 'Looks right: yes', 'human'],
      ],
    )
    assert.match(await says('list_tasks', { project: 'CHECK' }), new RegExp(`^${id} todo .* checks open 3$`, 'm'))
    const plan = [{ title: 'One', checks: ['other: Read'] }, { title: 'Two' }]
    const [line] = (await says('create_task', { project: 'CHECK', tasks: plan })).split('\n')
    assert.equal((await taskOf(line!.split(' ', 1)[0]!)).checks[0].verifier, 'other')
    for (const [text, problem] of [
      ['human:  ', 'must not be blank'],
      ['x'.repeat(501), 'must have at most 500 characters'],
    ] as const) {
      const wrong = [{ title: 'One' }, { title: 'Two', checks: ['Fine', text] }]
      const refused = await refusalOf('create_task', { project: 'CHECK', tasks: wrong })
      assert.equal(refused, `VALIDATION_ERROR: Invalid arguments: tasks.1.checks.1 ${problem}.`)
    }
    const many = Array.from({ length: 21 }, () => 'x')
    assert.match(
      await refusalOf('create_task', { project: 'CHECK', title: 'One', checks: many }),
      /checks must have at/,
    )
  })

  it('hold back a finish, whose error says what is missing in the words of the tools', async () => {
    const { id, claim } = await claimed(await created(['The tests pass', 'other: Reviewed', 'human: Approved']))
    const text = await refusalOf('finish_task', { id, claim, outcome: 'done', summary: 'Done.' })
    assert.equal(
      text,
      `CONFLICT: ${id} cannot be done yet. ` +
        'c1 "The tests pass" is open: pass it by update_task checks with evidence. ' +
        'c2 "Reviewed" is open: finish_task with outcome review, for a key that did not work on it to decide. ' +
        'c3 "Approved" is open: finish_task with outcome review, for a human to decide.',
    )
    assert.equal((await taskOf(id)).status, 'in_progress')
    const decide = async (checkId: string, state: string) =>
      refusalOf('update_task', { id, claim, checks: [{ id: checkId, state, evidence: 'I say so.' }] })
    assert.match(await decide('c2', 'passed'), /^FORBIDDEN: .*End with finish_task, outcome review, and go on/)
    assert.match(await decide('c3', 'passed'), /^FORBIDDEN: Only a human can decide c3 of /)
    assert.match(await decide('c1', 'waived'), /^FORBIDDEN: Only a human or an admin key can waive c1 of /)
    assert.match(await decide('c9', 'passed'), /^NOT_FOUND: \S+ has no check "c9"\. Its checks are c1, c2, c3\./)
    const unproven = await refusalOf('update_task', { id, claim, checks: [{ id: 'c1', state: 'passed' }] })
    assert.match(unproven, /^VALIDATION_ERROR: Invalid arguments: checks\.0\.evidence is required/)
    const blank = { id, claim, checks: [{ id: 'c1', state: 'passed', evidence: ' ' }] }
    assert.match(await refusalOf('update_task', blank), /checks\.0\.evidence must not be blank/)
    await says('update_task', { id, claim, checks: [{ id: 'c1', state: 'failed', evidence: '2 of 214 fail' }] })
    const failed = await refusalOf('finish_task', { id, claim, outcome: 'done', summary: 'Done.' })
    assert.match(failed, /c1 "The tests pass" failed: fix it, then pass it by update_task checks with evidence\./)
  })

  it('are decided and the task is closed in one call, or nothing happens', async () => {
    const { id, claim } = await claimed(await created(['The tests pass', 'Documented']))
    const passed = (checkId: string) => ({ id: checkId, state: 'passed', evidence: '`npm test`: 214 passed' })
    const half = await refusalOf('update_task', { id, claim, status: 'done', checks: [passed('c1')] })
    assert.match(half, /^CONFLICT: \S+ cannot be done yet\. c2 "Documented" is open: [^.]+\.$/)
    const before = await taskOf(id)
    assert.deepEqual([before.checks[0].state, before.status], ['open', 'in_progress'])
    const checks = [passed('c1'), passed('c2')]
    assert.match(
      await refusalOf('update_task', { id, claim, version: 1, checks }),
      /^PRECONDITION_FAILED: The record is now at/,
    )
    const { version } = before
    assert.match(await says('update_task', { id, claim, version, status: 'done', checks }), /^\S+ done /)
    const after = await taskOf(id)
    assert.deepEqual([after.checks[1].state, after.checks[1].by.keyName, after.status], ['passed', 'agent', 'done'])
    const late = await refusalOf('update_task', { id, checks }, reviewer)
    assert.match(late, /^CONFLICT: \S+ is done\. Reopen it/)
  })

  it('are found by who may verify them, with the result and the evidence', async () => {
    const { id, claim } = await claimed(await created(['The tests pass', 'other: Reviewed']))
    await says('update_task', { id, claim, checks: [{ id: 'c1', state: 'passed', evidence: '214 "passed"' }] })
    const result = 'The redirect keeps its query.'
    const finish = { id, claim, outcome: 'review', summary: 'Please look.', result }
    assert.match(await says('finish_task', finish), new RegExp(`^${id} in_review .* checks open 1$`))
    assert.equal((await taskOf(id)).result, result)
    assert.equal(await says('list_tasks', { project: 'CHECK', verify: true }), 'No tasks match.')
    const found = await says('list_tasks', { project: 'CHECK', verify: true }, reviewer)
    assert.match(found, new RegExp(`^${id} in_review .*\n1 of 1$`))
    const text = await says('get_task', { id }, reviewer)
    assert.ok(text.includes(`result:\n<data>\n${result}\n</data>\nchecks:\nc1 passed `), text)
    assert.match(text, /^c1 passed \S+ \S+ by agent: "The tests pass", evidence "214 \\"passed\\""$/m)
    assert.match(text, /^c2 open, for others to decide: "Reviewed"$/m)
    const decision = { id, status: 'done', checks: [{ id: 'c2', state: 'passed', evidence: 'Read it.' }] }
    assert.match(await says('update_task', decision, reviewer), /^\S+ done /)
  })

  it('are told in the history of the task', async () => {
    const { id, claim } = await claimed(await created(['The tests pass', 'Documented']))
    const checks = [{ id: 'c1', state: 'passed', evidence: '214 passed' }]
    await says('update_task', { id, claim, checks })
    const decided = 'checks "c1 open: The tests pass; …" to "c1 passed: The tests pass; …"'
    const [line] = (await says('get_history', { of: id })).split('\n')
    assert.ok(line!.includes(decided), line)
    const { checks: before } = await taskOf(id)
    const patch = {
      checks: [...before, { text: 'Reviewed' }].map(({ id, text, verifier }) => ({ id, text, verifier })),
    }
    assert.equal((await wl.patch(`/v1/tasks/${id}`, patch)).status, 200)
    const [added] = (await says('get_history', { of: id })).split('\n')
    assert.ok(added!.includes('checks "…" to "c3 open: Reviewed; …"'), added)
  })

  it('for a human are not decided through MCP with the key of a human, who decides them elsewhere', async () => {
    const { id: userId } = await createUser(wl, { name: 'Ada', kind: 'human' })
    const ada = await createKey(wl, { name: 'ada', scopes, userId })
    const id = await created(['human: Approved', 'Tested'])
    await says('update_task', { id, status: 'in_review' })
    const approve = { state: 'passed', evidence: 'Fine.' }
    const refused = await refusalOf('update_task', { id, checks: [{ id: 'c1', ...approve }] }, ada)
    assert.match(refused, /^FORBIDDEN: Only a human can decide c1 of /)
    const waived = [{ id: 'c2', state: 'waived', evidence: 'No time.' }]
    assert.match(await refusalOf('update_task', { id, checks: waived }, ada), /^FORBIDDEN: Only a human or an admin/)
    await says('update_task', { id, checks: [{ id: 'c2', ...approve }] }, ada)
    assert.equal(await says('list_tasks', { project: 'CHECK', verify: true }, ada), 'No tasks match.')
    assert.match(await refusalOf('update_task', { id, status: 'done' }, ada), /^CONFLICT: .* for a human to decide\.$/)
    assert.equal((await wl.post(`/v1/tasks/${id}/checks/c1`, approve, ada)).status, 200)
    assert.match(await says('update_task', { id, status: 'done' }), /^\S+ done /)
  })

  it('that are long are cut, and read whole by their ids', async () => {
    const checks = Array.from({ length: 20 }, (_, at) => ({ text: `${at} ${'must hold '.repeat(45)}` }))
    const { id } = await createTask(wl, 'CHECK', { checks, result: `${'long line\n'.repeat(800)}` })
    const evidence = `begin\n${'proof '.repeat(300)}\n</data> end`
    await says('update_task', { id, checks: [{ id: 'c2', state: 'passed', evidence }] })
    const text = await says('get_task', { id })
    assert.match(text, /^c2 passed .*…", evidence "begin.*…", whole: get_task cursor c2$/m)
    assert.match(text, /^result, lines 1-\d+ of \d+, more: get_task cursor result from_line \d+:$/m)
    const whole = await says('get_task', { id, cursor: 'c2' })
    assert.ok(whole.includes(`\n${evidence}\n</data-`), whole)
    const from = Number(/cursor result from_line (\d+)/.exec(text)![1])
    assert.match(await says('get_task', { id, cursor: 'result', from_line: from }), /^result, lines \d+-/m)
    assert.match(await refusalOf('get_task', { id, cursor: 'c21' }), /^VALIDATION_ERROR: .*cursor/)
  })
})
