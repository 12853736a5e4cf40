import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { expectError, expectInvalid, expectStatus } from 'worklore-testing/expect'
import { createKey, createProject, createTask, createUser } from 'worklore-testing/factories'
import type { Answer } from 'worklore-testing/harness'
import { describeTenant } from 'worklore-testing/service-suite'

describeTenant('checks of tasks', (wl) => {
  let agent: string
  let reviewer: string
  let person: string

  before(async () => {
    await createProject(wl, { key: 'CHK' })
    const bot = await createUser(wl, { name: 'Bot', kind: 'agent' })
    const ada = await createUser(wl, { name: 'Ada', kind: 'human' })
    agent = (await createKey(wl, { name: 'agent', userId: bot.id })).key
    reviewer = (await createKey(wl, { name: 'reviewer' })).key
    person = (await createKey(wl, { name: 'person', userId: ada.id })).key
  })

  const checked = (checks: unknown[], fields = {}) => createTask(wl, 'CHK', { checks, ...fields })
  const decide = (id: string, check: string, body: unknown, key = reviewer): Promise<Answer> =>
    wl.post(`/v1/tasks/${id}/checks/${check}`, body, { key })
  const taskOf = async (id: string) => expectStatus(await wl.get(`/v1/tasks/${id}`), 200).body.data
  const statesOf = async (id: string) =>
    (await taskOf(id)).checks.map(({ state }: { state: string }) => state).join(' ')
  const idsOf = async (query: string, key?: string) =>
    expectStatus(await wl.get(`/v1/tasks?projectId=CHK&limit=100&${query}`, key ? { key } : {}), 200).body.data.map(
      ({ id }: { id: string }) => id,
    )
  const expectReason = (answer: Answer, status: number, reason: string) => {
    assert.equal(answer.status, status, answer.text)
    assert.equal(answer.body.error.reason, reason, answer.text)
    return answer.body.error
  }
  const claim = async (id: string, key = agent): Promise<string> =>
    expectStatus(await wl.post(`/v1/tasks/${id}/claim`, {}, { key }), 200).body.data.claim.token
  const passed = { state: 'passed', evidence: 'npm test: 12 passed' }

  it('are part of a task, and counted on its card', async () => {
    const task = await checked([{ text: 'Tests pass' }, { text: 'Read by someone', verifier: 'other' }])
    assert.deepEqual(
      [task.result, task.checks],
      [
        null,
        [
          { id: 'c1', text: 'Tests pass', verifier: 'anyone', state: 'open', evidence: null, by: null, at: null },
          { id: 'c2', text: 'Read by someone', verifier: 'other', state: 'open', evidence: null, by: null, at: null },
        ],
      ],
    )
    const { data } = expectStatus(await decide(task.id, 'c1', passed), 200).body
    assert.deepEqual([data.version, data.checks[0].state, data.checks[0].evidence], [2, 'passed', passed.evidence])
    assert.equal(data.checks[0].by.keyName, 'reviewer')
    expectStatus(await decide(task.id, 'c2', { state: 'failed', evidence: 'unclear' }), 200)
    // The same decision again changes nothing.
    const again = expectStatus(await decide(task.id, 'c2', { state: 'failed', evidence: 'unclear' }), 200)
    assert.equal(again.body.data.version, 3)
    const cards = expectStatus(await wl.get('/v1/tasks/cards?projectId=CHK'), 200).body.data
    const card = cards.find(({ id }: { id: string }) => id === task.id)
    assert.deepEqual([card.checks, card.result], [{ total: 2, open: 0, failed: 1 }, undefined])
  })

  it('keep a task from being done by every way', async () => {
    const task = await checked([{ text: 'Tests pass' }, { text: 'Approved', verifier: 'human' }])
    const error = expectReason(await wl.patch(`/v1/tasks/${task.id}`, { status: 'done' }), 409, 'checks')
    assert.deepEqual(error.checks, [
      { id: 'c1', text: 'Tests pass', verifier: 'anyone', state: 'open' },
      { id: 'c2', text: 'Approved', verifier: 'human', state: 'open' },
    ])
    assert.match(error.message, /c1 "Tests pass" is open: pass it with evidence\. c2 "Approved" is open: .*a human/)
    const token = await claim(task.id)
    const options = { key: agent, headers: { 'worklore-claim': token } }
    expectReason(await wl.post(`/v1/tasks/${task.id}/release`, { status: 'done' }, options), 409, 'checks')
    const closing = { method: 'PATCH', path: `/v1/tasks/${task.id}`, body: { status: 'done' } }
    const batch = await wl.post('/v1/batch', { operations: [closing] })
    expectReason(batch, 409, 'checks')
    const create = { projectId: 'CHK', title: 'Done at once', status: 'done', checks: [{ text: 'Tests pass' }] }
    expectReason(await wl.post('/v1/tasks', create), 409, 'checks')
    assert.equal((await taskOf(task.id)).status, 'in_progress')
    expectStatus(await wl.patch(`/v1/tasks/${task.id}`, { status: 'cancelled' }), 200)
  })

  it('are decided and the task closed in one batch', async () => {
    const task = await checked([{ text: 'Tests pass' }])
    const operations = [
      { method: 'POST', path: `/v1/tasks/${task.id}/checks/c1`, body: passed },
      { method: 'PATCH', path: `/v1/tasks/${task.id}`, body: { status: 'done', result: 'It works' } },
    ]
    expectStatus(await wl.post('/v1/batch', { operations }), 200)
    const { status, result } = await taskOf(task.id)
    assert.deepEqual([status, result], ['done', 'It works'])
    expectReason(await decide(task.id, 'c1', { state: 'open' }), 409, 'closed')
  })

  it('are decided by whom their verifier allows', async () => {
    const task = await checked([
      { text: 'Read by someone', verifier: 'other' },
      { text: 'Approved', verifier: 'human' },
    ])
    const token = await claim(task.id)
    const other = expectReason(await decide(task.id, 'c1', passed, agent), 403, 'verifier')
    assert.match(other.message, /someone else/)
    const second = (await createKey(wl, { name: 'agent again', userId: (await taskOf(task.id)).claim.userId })).key
    expectReason(await decide(task.id, 'c1', passed, second), 403, 'verifier')
    expectReason(await decide(task.id, 'c2', passed, reviewer), 403, 'verifier')
    expectReason(await decide(task.id, 'c2', { state: 'waived', evidence: 'no time' }, reviewer), 403, 'verifier')
    // Not by anyone who handed it in, not even after the claim.
    const options = { key: agent, headers: { 'worklore-claim': token } }
    expectStatus(await wl.post(`/v1/tasks/${task.id}/release`, { status: 'in_review' }, options), 200)
    expectReason(await decide(task.id, 'c1', passed, agent), 403, 'verifier')
    expectStatus(await decide(task.id, 'c1', passed, reviewer), 200)
    expectStatus(await decide(task.id, 'c2', passed, person), 200)
    expectStatus(await wl.patch(`/v1/tasks/${task.id}`, { status: 'done' }), 200)

    // Whoever worked on it and reopens it stays one who did; the others are free again.
    const again = await checked([{ text: 'Read by someone', verifier: 'other' }])
    for (const key of [agent, reviewer]) {
      expectStatus(await wl.patch(`/v1/tasks/${again.id}`, { status: 'in_progress' }, { key }), 200)
      expectStatus(await wl.patch(`/v1/tasks/${again.id}`, { status: 'todo' }, { key }), 200)
    }
    expectStatus(await wl.patch(`/v1/tasks/${again.id}`, { status: 'cancelled' }, { key: agent }), 200)
    expectStatus(await wl.patch(`/v1/tasks/${again.id}`, { status: 'todo' }, { key: agent }), 200)
    expectReason(await decide(again.id, 'c1', passed, agent), 403, 'verifier')
    expectStatus(await decide(again.id, 'c1', passed, reviewer), 200)
  })

  it('are not decided with another key of whoever worked, after their keys were taken from the user', async () => {
    const user = await createUser(wl, { name: 'Leaver', kind: 'agent' })
    const keys = [await createKey(wl, { userId: user.id }), await createKey(wl, { userId: user.id })]
    const [first, second] = keys.map(({ key }) => key) as [string, string]
    const work = async (key: string): Promise<string> => {
      const { id } = await checked([{ text: 'Read by someone', verifier: 'other' }])
      const headers = { 'worklore-claim': await claim(id, key) }
      expectStatus(await wl.post(`/v1/tasks/${id}/release`, { status: 'in_review' }, { key, headers }), 200)
      return id
    }
    const before = await work(first)
    for (const { id } of keys) expectStatus(await wl.patch(`/v1/keys/${id}`, { userId: null }), 200)
    const after = await work(first)
    for (const id of [before, after]) {
      expectReason(await decide(id, 'c1', passed, second), 403, 'verifier')
      assert.ok(!(await idsOf('canVerify=true', second)).includes(id))
      assert.ok((await idsOf('canVerify=true', reviewer)).includes(id))
    }
    // A key that is another user's now is another person's.
    const successor = await createUser(wl, { name: 'Successor', kind: 'agent' })
    expectStatus(await wl.patch(`/v1/keys/${keys[1]!.id}`, { userId: successor.id }), 200)
    expectStatus(await decide(before, 'c1', passed, second), 200)
  })

  it('are waived by a human or an admin, which is audited', async () => {
    const task = await checked([{ text: 'Tests pass' }, { text: 'Approved', verifier: 'human' }])
    expectStatus(await decide(task.id, 'c1', { state: 'waived', evidence: 'no tests yet' }, person), 200)
    expectStatus(await wl.post(`/v1/tasks/${task.id}/checks/c2`, { state: 'waived', evidence: 'urgent' }), 200)
    expectStatus(await wl.patch(`/v1/tasks/${task.id}`, { status: 'done' }, { key: agent }), 200)
    const { data } = expectStatus(await wl.get('/v1/audit?action=check.waived'), 200).body
    const ours = data.filter(({ subject }: { subject: string }) => subject === task.id)
    assert.deepEqual(
      ours.map(({ details }: { details: { checkId: string; reason: string } }) => [details.checkId, details.reason]),
      [
        ['c2', 'urgent'],
        ['c1', 'no tests yet'],
      ],
    )
  })

  it('are open again after new work, before the gate of the same request', async () => {
    const task = await checked([{ text: 'a' }, { text: 'b' }, { text: 'c' }])
    const states = { c1: 'passed', c2: 'failed', c3: 'waived' }
    const decideAll = async () => {
      for (const [id, state] of Object.entries(states)) {
        expectStatus(await wl.post(`/v1/tasks/${task.id}/checks/${id}`, { state, evidence: 'e' }), 200)
      }
      assert.equal(await statesOf(task.id), 'passed failed waived')
    }
    await decideAll()
    expectStatus(await wl.patch(`/v1/tasks/${task.id}`, { labels: ['x'] }), 200)
    assert.equal(await statesOf(task.id), 'passed failed waived')
    expectStatus(await wl.patch(`/v1/tasks/${task.id}`, { description: 'Something else' }), 200)
    assert.equal(await statesOf(task.id), 'open failed waived')
    await decideAll()
    const token = await claim(task.id)
    assert.equal(await statesOf(task.id), 'open failed waived')
    const options = { key: agent, headers: { 'worklore-claim': token } }
    expectStatus(await wl.post(`/v1/tasks/${task.id}/release`, {}, options), 200)
    expectStatus(await decide(task.id, 'c2', passed), 200)
    expectStatus(await decide(task.id, 'c1', passed), 200)
    const renamed = { title: 'Another title', status: 'done' }
    expectReason(await wl.patch(`/v1/tasks/${task.id}`, renamed), 409, 'checks')
    expectStatus(await wl.patch(`/v1/tasks/${task.id}`, { status: 'done' }), 200)
    expectStatus(await wl.patch(`/v1/tasks/${task.id}`, { status: 'todo' }), 200)
    assert.equal(await statesOf(task.id), 'open open waived')
    const history = expectStatus(await wl.get(`/v1/history?task=${task.id}&limit=1`), 200).body.data
    assert.match(JSON.stringify(history), /checks/)
  })

  it('are replaced, removed and reworded by those who may', async () => {
    const own = await createTask(wl, 'CHK', { checks: [{ text: 'a' }, { text: 'b' }] }, { key: agent })
    const patch = (body: unknown, key: string) => wl.patch(`/v1/tasks/${own.id}`, body, { key })
    expectReason(await patch({ checks: [] }, reviewer), 403, 'verifier')
    expectReason(
      await patch(
        {
          checks: [
            { id: 'c1', text: 'easier' },
            { id: 'c2', text: 'b' },
          ],
        },
        reviewer,
      ),
      403,
      'verifier',
    )
    // To add one and to put them in another order takes nothing.
    const added = await patch({ checks: [{ id: 'c2', text: 'b' }, { text: 'new' }, { id: 'c1', text: 'a' }] }, reviewer)
    assert.deepEqual(
      expectStatus(added, 200).body.data.checks.map(({ id }: { id: string }) => id),
      ['c2', 'c3', 'c1'],
    )
    // Until the first claim its creator may; no id is used again.
    expectStatus(await patch({ checks: [{ id: 'c1', text: 'a' }] }, agent), 200)
    const next = expectStatus(await patch({ checks: [{ id: 'c1', text: 'a' }, { text: 'd' }] }, agent), 200)
    assert.deepEqual(
      next.body.data.checks.map(({ id }: { id: string }) => id),
      ['c1', 'c4'],
    )
    const token = await claim(own.id)
    const held = { key: agent, headers: { 'worklore-claim': token } }
    expectReason(await wl.patch(`/v1/tasks/${own.id}`, { checks: [], status: 'done' }, held), 403, 'verifier')
    expectReason(await patch({ checks: [{ id: 'c1', text: 'a', verifier: 'anyone' }] }, agent), 403, 'verifier')
    // Without its verifier a check keeps the one that it has.
    const human = await createTask(wl, 'CHK', { checks: [{ text: 'Approved', verifier: 'human' }] })
    const kept = await wl.patch(`/v1/tasks/${human.id}`, { checks: [{ id: 'c1', text: 'Approved' }] }, { key: agent })
    assert.equal(expectStatus(kept, 200).body.data.checks[0].verifier, 'human')
    expectStatus(await patch({ checks: [{ id: 'c1', text: 'reworded' }] }, person), 200)
  })

  it('come from the project first', async () => {
    const defaultChecks = [{ text: 'Tests pass' }, { text: 'Approved', verifier: 'human' }]
    const project = await createProject(wl, { key: 'DEF', defaultChecks })
    const stored = [{ text: 'Tests pass', verifier: 'anyone' }, defaultChecks[1]]
    assert.deepEqual(project.defaultChecks, stored)
    const same = expectStatus(await wl.patch('/v1/projects/DEF', { defaultChecks: stored }), 200).body.data
    assert.equal(same.version, project.version, 'a default that is spelled out is no change')
    const { checks } = await createTask(wl, 'DEF', { checks: [{ text: 'Mine' }] })
    assert.deepEqual(
      checks.map(({ id, text, verifier }: Record<string, string>) => [id, text, verifier]),
      [
        ['c1', 'Tests pass', 'anyone'],
        ['c2', 'Approved', 'human'],
        ['c3', 'Mine', 'anyone'],
      ],
    )
    assert.deepEqual((await createTask(wl, 'DEF', { status: 'done' })).checks, [])
    const many = Array.from({ length: 19 }, (_, at) => ({ text: `check ${at}` }))
    const error = expectError(
      await wl.post('/v1/tasks', { projectId: 'DEF', title: 'x', checks: many }),
      'VALIDATION_ERROR',
    )
    assert.match(error.message, /at most 18 checks/)
    expectStatus(await wl.patch('/v1/projects/DEF', { defaultChecks: [] }), 200)
    assert.deepEqual((await createTask(wl, 'DEF')).checks, [])
    const undone = { keyId: (await wl.get('/v1/me')).body.data.key.id, projectId: 'DEF', dryRun: true }
    expectStatus(await wl.post('/v1/undo', undone), 200)
  })

  it('come from the project also when a task that was created closed is reopened', async () => {
    const defaultChecks = [{ text: 'Tests pass' }, { text: 'Approved', verifier: 'human' }]
    await createProject(wl, { key: 'REO', defaultChecks })
    const textsOf = async (id: string) =>
      (await taskOf(id)).checks.map((check: Record<string, string>) => `${check.id} ${check.text} ${check.verifier}`)
    const patch = (id: string, body: object, key = agent) => wl.patch(`/v1/tasks/${id}`, body, { key })
    for (const status of ['cancelled', 'done']) {
      const { id } = await createTask(wl, 'REO', { status }, { key: agent })
      expectStatus(await patch(id, { status: 'todo' }), 200)
      assert.deepEqual(await textsOf(id), ['c1 Tests pass anyone', 'c2 Approved human'])
      // Not even its creator is rid of them.
      expectReason(await patch(id, { checks: [] }), 403, 'verifier')
      expectReason(await patch(id, { status: 'done' }), 409, 'checks')
      const reopening = { method: 'PATCH', path: `/v1/tasks/${id}`, body: { status: 'in_progress' } }
      const finishing = { method: 'PATCH', path: `/v1/tasks/${id}`, body: { status: 'done' } }
      expectReason(await wl.post('/v1/batch', { operations: [reopening, finishing] }, { key: agent }), 409, 'checks')
    }
    // It has those that it named as well, and none twice.
    const named = await createTask(wl, 'REO', { status: 'cancelled', checks: [{ text: 'Mine' }, defaultChecks[1]] })
    expectStatus(await patch(named.id, { status: 'todo' }), 200)
    assert.deepEqual(await textsOf(named.id), ['c3 Tests pass anyone', 'c1 Mine anyone', 'c2 Approved human'])
    expectStatus(await patch(named.id, { status: 'cancelled' }), 200)
    expectStatus(await patch(named.id, { status: 'todo' }), 200)
    assert.equal((await textsOf(named.id)).length, 3)
    const full = { status: 'cancelled', checks: Array.from({ length: 19 }, (_, at) => ({ text: `check ${at}` })) }
    const { id } = await createTask(wl, 'REO', full)
    const error = expectError(await patch(id, { status: 'todo' }), 'CONFLICT')
    assert.match(error.message, /19 checks, its project adds 2, and at most 20/)
    expectStatus(await patch(id, { status: 'todo', checks: [{ id: 'c1', text: 'check 0' }] }, person), 200)
    assert.equal((await taskOf(id)).checks.length, 3)
    // An old version is reopened by the same rule.
    const old = await createTask(wl, 'REO', { checks: [] })
    expectStatus(await patch(old.id, { checks: [] }, person), 200)
    expectStatus(await patch(old.id, { status: 'cancelled' }), 200)
    expectStatus(await wl.post('/v1/history/restore', { task: old.id, version: 2 }), 200)
    assert.equal((await textsOf(old.id)).length, 2)
  })

  it('that another human adds are not for the creator to remove', async () => {
    const { id } = await createTask(wl, 'CHK', { checks: [{ text: 'a' }, { text: 'b' }] }, { key: agent })
    const patch = (checks: unknown[], key = agent) => wl.patch(`/v1/tasks/${id}`, { checks }, { key })
    const [a, b] = [
      { id: 'c1', text: 'a' },
      { id: 'c2', text: 'b' },
    ]
    expectStatus(await patch([a, { ...b, text: 'b, really' }, { text: 'By a person' }], person), 200)
    expectStatus(
      await patch([a, { ...b, text: 'b, really' }, { id: 'c3', text: 'By a person' }, { text: 'd' }], reviewer),
      200,
    )
    const kept = [
      { ...b, text: 'b, really' },
      { id: 'c3', text: 'By a person' },
    ]
    expectReason(await patch([kept[0]]), 403, 'verifier')
    expectReason(await patch([kept[1], b]), 403, 'verifier')
    expectReason(await patch([]), 403, 'verifier')
    expectStatus(await patch(kept), 200)
    // What a person adds to a task of their own stays theirs.
    const own = await createTask(wl, 'CHK', {}, { key: person })
    const change = (checks: unknown[]) => wl.patch(`/v1/tasks/${own.id}`, { checks }, { key: person })
    expectStatus(await change([{ text: 'x' }]), 200)
    expectStatus(await change([]), 200)
  })

  it('are found by lists', async () => {
    await createProject(wl, { key: 'FLT' })
    const ids = async (query: string, key?: string) =>
      expectStatus(
        await wl.get(`/v1/tasks?projectId=FLT&sort=createdAt&${query}`, key ? { key } : {}),
        200,
      ).body.data.map(({ id }: { id: string }) => id)
    await createTask(wl, 'FLT')
    await createTask(wl, 'FLT', { checks: [{ text: 'a' }] })
    await createTask(wl, 'FLT', { checks: [{ text: 'a', verifier: 'other' }] })
    await createTask(wl, 'FLT', { checks: [{ text: 'a', verifier: 'human' }], labels: ['x'] })
    expectStatus(await decide('FLT-2', 'c1', { state: 'failed', evidence: 'no' }), 200)
    assert.deepEqual(await ids('checks=none'), ['FLT-1'])
    assert.deepEqual(await ids('checks=failed'), ['FLT-2'])
    assert.deepEqual(await ids('checks=open'), ['FLT-3', 'FLT-4'])
    assert.deepEqual(await ids('checks=open&label=x'), ['FLT-4'])
    assert.deepEqual(await ids('canVerify=true', person), [])
    for (const id of ['FLT-3', 'FLT-4']) {
      expectStatus(await wl.patch(`/v1/tasks/${id}`, { status: 'in_review' }, { key: agent }), 200)
    }
    assert.deepEqual(await ids('canVerify=true', agent), [])
    assert.deepEqual(await ids('canVerify=true', reviewer), ['FLT-3'])
    assert.deepEqual(await ids('canVerify=true', person), ['FLT-3', 'FLT-4'])
    const reader = (await createKey(wl, { scopes: ['tasks:read'] })).key
    assert.deepEqual(await ids('canVerify=true', reader), [])
    const counts = expectStatus(await wl.get('/v1/tasks/counts?projectId=FLT&checks=open'), 200).body.data
    assert.deepEqual([counts.in_review, counts.total], [2, 2])
    expectError(await wl.get('/v1/tasks?checks=some'), 'VALIDATION_ERROR')
    assert.ok(Array.isArray(await idsOf('checks=open')))
  })

  it('survive the trash, an undo and the restore of a version', async () => {
    const task = await checked([{ text: 'a' }, { text: 'b' }])
    await claim(task.id)
    expectStatus(await wl.patch(`/v1/tasks/${task.id}`, { status: 'in_review' }), 200)
    expectStatus(await decide(task.id, 'c1', passed), 200)
    expectStatus(await decide(task.id, 'c2', passed), 200)
    expectStatus(await wl.patch(`/v1/tasks/${task.id}`, { status: 'done' }, { key: reviewer }), 200)
    const done = (await taskOf(task.id)).version
    expectStatus(await wl.patch(`/v1/tasks/${task.id}`, { status: 'todo' }, { key: agent }), 200)
    assert.equal(await statesOf(task.id), 'open open')
    // A version brings no decision back, so it does not pass the gate.
    const restore = (key: string) => wl.post('/v1/history/restore', { task: task.id, version: done }, { key })
    expectReason(await restore(agent), 409, 'checks')
    // Nor may it take checks away.
    expectStatus(
      await wl.patch(
        `/v1/tasks/${task.id}`,
        { checks: [{ text: 'c' }, { id: 'c1', text: 'a' }, { id: 'c2', text: 'b' }] },
        { key: agent },
      ),
      200,
    )
    const before = await wl.post('/v1/history/restore', { task: task.id, version: 1 }, { key: agent })
    expectReason(before, 403, 'verifier')
    // An undo does.
    const decided = await checked([{ text: 'a' }])
    expectStatus(await decide(decided.id, 'c1', passed), 200)
    expectStatus(await wl.patch(`/v1/tasks/${decided.id}`, { status: 'done' }, { key: reviewer }), 200)
    const requestId = 'reopening-by-mistake'
    const headers = { 'x-request-id': requestId }
    expectStatus(await wl.patch(`/v1/tasks/${decided.id}`, { status: 'todo' }, { key: agent, headers }), 200)
    assert.equal(await statesOf(decided.id), 'open')
    expectStatus(await wl.post('/v1/undo', { requestId, dryRun: false }), 200)
    const back = await taskOf(decided.id)
    assert.deepEqual([back.status, back.checks[0].state], ['done', 'passed'])

    const gone = await checked([{ text: 'a', verifier: 'other' }])
    await claim(gone.id)
    expectStatus(await wl.patch(`/v1/tasks/${gone.id}`, { status: 'todo' }), 200)
    expectStatus(await wl.delete(`/v1/tasks/${gone.id}`), 200)
    const [entry] = expectStatus(await wl.get('/v1/trash?limit=1'), 200).body.data
    expectStatus(await wl.post(`/v1/trash/${entry.id}/restore`, {}), 200)
    assert.equal(await statesOf(gone.id), 'open')
    expectReason(await decide(gone.id, 'c1', passed, agent), 403, 'verifier')
  })

  it('say what is wrong with a request and change nothing', async () => {
    const task = await checked([{ text: 'a' }])
    const other = await checked([{ text: 'x' }, { text: 'y' }])
    expectError(await decide(task.id, 'c2', passed), 'NOT_FOUND')
    expectError(await decide(task.id, 'c1', { state: 'ok', evidence: 'e' }), 'VALIDATION_ERROR')
    for (const state of ['passed', 'failed', 'waived']) {
      const error = expectError(await decide(task.id, 'c1', { state }), 'VALIDATION_ERROR')
      assert.match(error.message, /evidence is required/)
    }
    for (const evidence of ['  ', '\u200b', ' \u200d\u2060\ufeff\u00ad\u3164\u{e0061}\n\u0007']) {
      expectInvalid(await decide(task.id, 'c1', { state: 'passed', evidence }), 'evidence')
      expectInvalid(await wl.patch(`/v1/tasks/${task.id}`, { checks: [{ text: evidence }] }), 'checks.0.text')
      expectInvalid(await wl.post(`/v1/tasks/${task.id}/questions`, { body: evidence }), 'body')
      expectInvalid(await wl.post(`/v1/tasks/${task.id}/comments`, { body: evidence }), 'body')
    }
    expectError(await decide(task.id, 'c1', { state: 'passed', evidence: 'é'.repeat(1_025) }), 'VALIDATION_ERROR')
    const patch = (checks: unknown) => wl.patch(`/v1/tasks/${other.id}`, { checks })
    expectError(await patch(Array.from({ length: 21 }, () => ({ text: 'x' }))), 'VALIDATION_ERROR')
    const twice = await patch([
      { id: 'c1', text: 'x' },
      { id: 'c1', text: 'x' },
    ])
    assert.match(expectError(twice, 'VALIDATION_ERROR').message, /c1/)
    for (const checks of [
      [{ text: '' }],
      [{ text: ' ' }],
      [{ text: 'x'.repeat(501) }],
      [{ text: 'x', verifier: 'me' }],
      [{}],
      'x',
    ]) {
      expectError(await patch(checks), 'VALIDATION_ERROR')
    }
    expectError(await wl.patch(`/v1/tasks/${task.id}`, { result: 'é'.repeat(4_097) }), 'VALIDATION_ERROR')
    const mismatch = await wl.post(`/v1/tasks/${task.id}/checks/c1`, passed, { headers: { 'if-match': '"7"' } })
    expectError(mismatch, 'PRECONDITION_FAILED')
    assert.deepEqual([(await taskOf(task.id)).version, (await taskOf(other.id)).version], [1, 1])
  })

  it('take a result with a release', async () => {
    const task = await createTask(wl, 'CHK')
    const options = { key: agent, headers: { 'worklore-claim': await claim(task.id) } }
    const release = { status: 'done', result: 'Two faults **fixed**' }
    const { data } = expectStatus(await wl.post(`/v1/tasks/${task.id}/release`, release, options), 200).body
    assert.deepEqual([data.status, data.result], ['done', release.result])
    const [event] = (await wl.get('/v1/events?types=task.released&limit=100')).body.data.slice(-1)
    assert.equal(event.previous.result, null)
  })
})
