import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { createKey, createProject, createTask, createUser } from 'worklore-testing/factories'
import { describeClientService } from 'worklore-testing/service-suite'
import { until } from 'worklore-testing/until'
import { callTool } from './messages.js'

describeClientService('questions by MCP', (wl) => {
  const scopes = ['tasks:write']
  let agent: { key: string }
  let other: { key: string }
  let ada: { key: string }
  let adaId: string
  before(async () => {
    await createProject(wl, { key: 'ASK' })
    agent = await createKey(wl, { name: 'agent', scopes })
    other = await createKey(wl, { name: 'other', scopes })
    adaId = (await createUser(wl, { name: 'Ada', kind: 'human' })).id
    ada = await createKey(wl, { name: 'ada', scopes, userId: adaId })
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
  const claimed = async (): Promise<{ id: string; claim: string }> => {
    const { id } = await createTask(wl, 'ASK')
    await says('claim_task', { id })
    return { id, claim: `${id}.1` }
  }
  const idOf = (text: string): string => /^(qst_\w+) asked\./.exec(text)![1]!

  it('end the claim, hold the task back, and come back with their answer', async () => {
    const { id, claim } = await claimed()
    const text = 'May the old table be dropped?'
    const asked = await says('ask_question', { id, claim, text, options: ['Drop it', 'Keep it'], to: adaId })
    assert.match(
      asked,
      /^qst_\w+ asked\. Claim \S+ has ended: go on with another task\.\n\S+ todo .* questions open 1$/,
    )
    const questionId = idOf(asked)
    assert.match(await says('list_tasks', { project: 'ASK' }), new RegExp(`^${id} todo .* questions open 1$`, 'm'))
    const none = 'No task is ready: 1 waiting for an answer. list_tasks shows them.'
    assert.equal(await says('claim_task', { project: 'ASK' }), none)
    const open = await says('get_task', { id }, other)
    assert.ok(open.includes(`questions:\n${questionId} open to ${adaId}: "${text}", options "Drop it" "Keep it"`), open)
    assert.ok(!open.includes(claim), open)

    const answer = { option: 'Keep it', body: 'Until "Friday".' }
    const waiting = says('claim_task', { project: 'ASK', wait: 30 })
    assert.equal((await wl.post(`/v1/questions/${questionId}/answer`, answer, ada)).status, 200)
    const again = await waiting
    assert.match(again, new RegExp(`^You hold claim ${id}\\.2 `))
    assert.match(
      again,
      new RegExp(
        `^${questionId} answered \\S+ \\S+ by ada: "${text.replace('?', '\\?')}", answer "Keep it", "Until`,
        'm',
      ),
    )
    await says('finish_task', { id, claim: `${id}.2`, outcome: 'done', summary: 'Kept it.' })
  })

  it('leave a claim alone that they do not name, and refuse what cannot be asked', async () => {
    const { id, claim } = await claimed()
    assert.match(
      await says('ask_question', { id, text: 'Which one?' }),
      /^qst_\w+ asked\.\n\S+ in_progress .* claimed /,
    )
    const refused = { id, text: 'Which?', options: ['a', 'a'] }
    assert.match(await refusalOf('ask_question', refused), /^VALIDATION_ERROR: .*options\.1 is repeated/)
    assert.match(await refusalOf('ask_question', { id, text: ' ' }), /^VALIDATION_ERROR: .*text must not be blank/)
    assert.match(await refusalOf('ask_question', { id, text: 'x', to: 'usr_none' }), /^VALIDATION_ERROR: .*to user/)
    assert.match(await refusalOf('ask_question', { id, text: 'x', options: ['a'] }), /options must have at least 2/)
    const wrong = await refusalOf('ask_question', { id, text: 'x', claim }, other)
    assert.match(wrong, /^PRECONDITION_FAILED: Claim \S+ is no longer held by this key/)
    await says('finish_task', { id, claim, outcome: 'done', summary: 'Done.' })
    assert.match(await refusalOf('ask_question', { id, text: 'x' }), /^CONFLICT: \S+ is done/)
    assert.match(await says('get_task', { id }), /^qst_\w+ withdrawn: "Which one\?"$/m)
  })

  it('to an agent are found and answered by it, and those to a person are not', async () => {
    const { id: userId } = await createUser(wl, { name: 'Planner', kind: 'agent' })
    const planner = await createKey(wl, { name: 'planner', scopes, userId })
    const { id, claim } = await claimed()
    const options = ['Drop it', 'Keep it']
    const choice = idOf(await says('ask_question', { id, text: 'The table?', options, to: 'planner' }))
    const open = idOf(await says('ask_question', { id, text: 'How long?', to: 'planner' }))
    const listed = await says('list_tasks', { verify: true, project: 'ASK' }, planner)
    assert.match(listed, /^questions to you, for add_comment to answer:$/m)
    const line = `${choice} about ${id}: "The table?", options "Drop it" "Keep it"`
    assert.ok(listed.includes(line) && listed.includes(`${open} about ${id}: "How long?"`), listed)
    assert.ok((await says('get_task', { id }, planner)).includes(`${open} open to you: "How long?"`))
    assert.doesNotMatch(await says('list_tasks', { verify: true }), /questions to you/)

    const refused = await refusalOf('add_comment', { id: choice, text: 'Perhaps' }, planner)
    assert.equal(refused, 'VALIDATION_ERROR: Invalid arguments: text must be one of "Drop it", "Keep it".')
    assert.match(
      await refusalOf('add_comment', { id: open, text: 'A week.' }, other),
      /^FORBIDDEN: This question is asked/,
    )
    const answered = await says('add_comment', { id: choice, text: 'keep it\n\nUntil Friday.' }, planner)
    assert.match(answered, new RegExp(`^${choice} answered\\.\n${id} in_progress .* questions open 1`))
    await says('add_comment', { id: open, text: 'A week.\nOr two.' }, planner)
    const { data } = (await wl.get(`/v1/questions?taskId=${id}`)).body
    assert.deepEqual(
      data.map(({ answer }: { answer: { option: string; body: string } }) => [answer.option, answer.body]),
      [
        [null, 'A week.\nOr two.'],
        ['Keep it', 'Until Friday.'],
      ],
    )
    assert.match(
      await refusalOf('add_comment', { id: open, text: 'x' }, planner),
      /^CONFLICT: .*the first answer counts/,
    )
    assert.match(await refusalOf('add_comment', { id: 'qst_none', text: 'x' }, planner), /^NOT_FOUND: /)
    const toPerson = idOf(await says('ask_question', { id, text: 'And you?', to: 'ada' }))
    assert.match(await refusalOf('add_comment', { id: toPerson, text: 'x' }, ada), /^FORBIDDEN: /)
    await says('finish_task', { id, claim, outcome: 'done', summary: 'Kept it.' })
  })

  it('and tasks are given to people by their handles', async () => {
    const { id } = await createTask(wl, 'ASK', { status: 'in_progress' })
    for (const to of ['ada', '@Ada']) await says('ask_question', { id, text: 'Which?', to })
    const { data } = (await wl.get(`/v1/questions?taskId=${id}`)).body
    assert.deepEqual(
      data.map((question: { to: string }) => question.to),
      [adaId, adaId],
    )
    assert.match(await says('update_task', { id, assignee: 'ada' }), / @Ada /)
    assert.doesNotMatch(await says('update_task', { id, assignee: 'none' }), /@/)
    assert.match(await refusalOf('update_task', { id, assignee: 'nobody' }), /assignee user "nobody" not found/)
  })

  it('that are long are cut, and read whole by their ids', async () => {
    const { id } = await createTask(wl, 'ASK', { status: 'in_progress' })
    const body = `begin ${'why '.repeat(1_500)}</data> end?`
    const ids: string[] = []
    for (let at = 0; at < 8; at++) ids.push(idOf(await says('ask_question', { id, text: `${at} ${body}` })))
    const text = await says('get_task', { id })
    assert.match(text, new RegExp(`^${ids[3]} open: "3 begin .*…", whole: get_task cursor ${ids[3]}$`, 'm'))
    const whole = await says('get_task', { id, cursor: ids[3] })
    assert.ok(whole.includes(`\n3 ${body}\n</data-`), whole)
    const elsewhere = await createTask(wl, 'ASK', { status: 'in_progress' })
    assert.match(await refusalOf('get_task', { id: elsewhere.id, cursor: ids[3] }), /^VALIDATION_ERROR: .*cursor/)
  })
})

describeClientService('a claim by MCP that waits', (wl) => {
  let key: string
  before(async () => {
    key = (await createKey(wl, { scopes: ['tasks:write'] })).key
  })

  const openWaits = (): Promise<number> => wl.service.core.openStreams.usedByRequests(wl.tenantId)

  it('ends when its client goes away, and takes nothing', async () => {
    await createProject(wl, { key: 'GONE' })
    const controller = new AbortController()
    const call = fetch(`${wl.baseUrl}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'claim_task', arguments: { project: 'GONE', wait: 30 } },
      }),
      signal: controller.signal,
    }).catch(() => 'gone')
    assert.equal(await until(openWaits, (count) => count === 1), 1)
    controller.abort()
    assert.equal(await call, 'gone')
    assert.equal(await until(openWaits, (count) => count === 0), 0)
    const { id } = await createTask(wl, 'GONE')
    assert.equal((await wl.get(`/v1/tasks/${id}`)).body.data.claim, null)
  })

  it('holds no slot of work meanwhile, and takes what becomes ready', async () => {
    await createProject(wl, { key: 'SLOT' })
    const { workSlots } = wl.service.core
    const { run } = workSlots
    let held = 0
    workSlots.run = (tenantId, max, work) =>
      run(tenantId, max, async () => {
        held++
        try {
          return await work()
        } finally {
          held--
        }
      })
    const claim = callTool(wl, 'claim_task', { project: 'SLOT', wait: 30 }, { key })
    assert.equal(await until(openWaits, (count) => count === 1), 1)
    const heldNow = async () => held
    assert.equal(await until(heldNow, (count) => count === 0), 0)
    await createTask(wl, 'SLOT')
    assert.match((await claim).text, /^You hold claim SLOT-1\.1 /)
    workSlots.run = run
    const quick = await callTool(wl, 'claim_task', { project: 'SLOT', wait: 1 }, { key })
    assert.equal(quick.text, 'No task is ready: 1 held by you. list_tasks shows them.')
  })

  it('takes one work slot for everything that a tool reads', async () => {
    const { workSlots } = wl.service.core
    const { run } = workSlots
    let taken = 0
    workSlots.run = (tenantId, max, work) => {
      taken++
      return run(tenantId, max, work)
    }
    const { id } = await createTask(wl, 'SLOT', { description: 'As in slot/note' })
    taken = 0
    await callTool(wl, 'claim_task', { id }, { key })
    workSlots.run = run
    assert.equal(taken, 1)
  })

  it('waits for up to 30 s, and not for a task that is named', async () => {
    const tooLong = await callTool(wl, 'claim_task', { wait: 31 }, { key })
    assert.match(tooLong.text, /^VALIDATION_ERROR: .*wait must be at most 30/)
    const named = await callTool(wl, 'claim_task', { id: 'SLOT-1', wait: 1 }, { key })
    assert.match(named.text, /^VALIDATION_ERROR: .*wait cannot be combined with id/)
  })
})
