import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { expectError, expectStatus } from 'worklore-testing/expect'
import { createKey, createProject, createTask, createUser, putItem } from 'worklore-testing/factories'
import { describeTenant } from 'worklore-testing/service-suite'

let requests = 0
const nextRequestId = (): string => `own-undo-${++requests}`

describeTenant("the undo of a key's own requests", (wl) => {
  let projectId: string
  let agent: { id: string; key: string }
  let other: { id: string; key: string }

  const as = ({ key }: { key: string }, requestId?: string) => ({
    key,
    ...(requestId && { headers: { 'x-request-id': requestId } }),
  })
  const undoing = (key: string, body: object, requestId?: string) =>
    wl.post('/v1/undo', { dryRun: false, ...body }, as({ key }, requestId))
  const undo = async (key: string, requestId: string, more: object = {}, ownRequestId?: string) =>
    expectStatus(await undoing(key, { requestId, ...more }, ownRequestId), 200).body.data
  const taskOf = async (id: string) => expectStatus(await wl.get(`/v1/tasks/${id}`), 200).body.data
  /** Patches a task and returns the id of the request. */
  const patch = async (id: string, body: object, by: { key: string } = agent): Promise<string> => {
    const requestId = nextRequestId()
    expectStatus(await wl.patch(`/v1/tasks/${id}`, body, as(by, requestId)), 200)
    return requestId
  }

  before(async () => {
    projectId = (await createProject(wl)).id
    agent = await createKey(wl, { scopes: ['tasks:write', 'knowledge:write'] })
    other = await createKey(wl, { scopes: ['tasks:write', 'knowledge:write'] })
  })

  it('needs no admin scope, and covers tasks, comments, questions and knowledge', async () => {
    const task = await createTask(wl, projectId)
    await putItem(wl, 'own/item', 'Before')
    const requestId = nextRequestId()
    const by = as(agent, requestId)
    expectStatus(await wl.patch(`/v1/tasks/${task.id}`, { title: 'Changed' }, by), 200)
    expectStatus(await wl.post(`/v1/tasks/${task.id}/comments`, { body: 'Seen' }, by), 201)
    expectStatus(await wl.post(`/v1/tasks/${task.id}/questions`, { body: 'Why?' }, by), 201)
    await putItem(wl, 'own/item', 'After', {}, by)
    const made = await createTask(wl, projectId, {}, by)
    assert.equal((await undo(agent.key, requestId, { dryRun: true })).undone.length, 5)
    assert.equal((await taskOf(task.id)).title, 'Changed')
    const undoId = nextRequestId()
    const report = await undo(agent.key, requestId, { keyId: agent.id }, undoId)
    assert.deepEqual([report.undone.length, report.conflicts], [5, []])
    const { title, commentCount, openQuestions } = await taskOf(task.id)
    assert.deepEqual([title, commentCount, openQuestions], ['A task', 0, 0])
    assert.equal((await wl.get('/v1/knowledge/own/item')).body.data.content, 'Before')
    expectError(await wl.get(`/v1/tasks/${made.id}`), 'NOT_FOUND')
    // The undo is itself one of the key's requests, so it can be undone.
    assert.deepEqual((await undo(agent.key, undoId)).conflicts, [])
    assert.equal((await taskOf(task.id)).title, 'Changed')
    assert.equal((await taskOf(made.id)).title, 'A task')
  })

  it('treats the request id of another key as unknown', async () => {
    const mine = await createTask(wl, projectId)
    const theirs = await createTask(wl, projectId)
    const requestId = nextRequestId()
    expectStatus(await wl.patch(`/v1/tasks/${theirs.id}`, { title: 'Theirs' }, as(other, requestId)), 200)
    const nothing = { dryRun: false, undone: [], conflicts: [], unchanged: [], nextCursor: null }
    assert.deepEqual(await undo(agent.key, requestId), nothing)
    assert.deepEqual(await undo(agent.key, 'no-such-request'), nothing)
    expectStatus(await wl.patch(`/v1/tasks/${mine.id}`, { title: 'Mine' }, as(agent, requestId)), 200)
    const { undone } = await undo(agent.key, requestId)
    assert.deepEqual(
      undone.map(({ task }: { task: string }) => task),
      [mine.id],
    )
    assert.equal((await taskOf(theirs.id)).title, 'Theirs')
  })

  it('refuses everything that only an admin may undo', async () => {
    const task = await createTask(wl, projectId)
    const requestId = await patch(task.id, { title: 'Changed' })
    for (const body of [
      { keyId: agent.id },
      { keyId: other.id, requestId },
      { claim: `${task.id}.1` },
      { keyId: agent.id, worker: 'one' },
      { requestId, includeConflicts: true },
    ]) {
      assert.equal(expectError(await undoing(agent.key, body), 'FORBIDDEN').requiredScope, 'admin')
    }
    assert.equal((await taskOf(task.id)).title, 'Changed')
  })

  it('leaves records that were changed later, by others or by another request of the same key', async () => {
    const task = await createTask(wl, projectId)
    const first = await patch(task.id, { title: 'One' })
    const second = await patch(task.id, { priority: 'high' })
    const [conflict] = (await undo(agent.key, first)).conflicts
    assert.deepEqual([conflict.task, conflict.reason], [task.id, 'changed'])
    // A later change that was undone is no conflict.
    assert.deepEqual((await undo(agent.key, second)).conflicts, [])
    assert.deepEqual((await undo(agent.key, first)).conflicts, [])
    assert.equal((await taskOf(task.id)).title, 'A task')

    const third = await patch(task.id, { title: 'Two' })
    await patch(task.id, { labels: ['theirs'] }, other)
    assert.equal((await undo(agent.key, third)).conflicts[0].laterChange.actor.keyId, other.id)
    const { title, labels } = await taskOf(task.id)
    assert.deepEqual([title, labels], ['Two', ['theirs']])
  })

  it('does not resurrect an earlier change that a wider undo took back', async () => {
    const task = await createTask(wl, projectId)
    await patch(task.id, { title: 'One' })
    const second = await patch(task.id, { priority: 'high' })
    await patch(task.id, { labels: ['third'] })
    expectStatus(await wl.post('/v1/undo', { keyId: agent.id, projectId, dryRun: false }), 200)
    assert.equal((await undo(agent.key, second)).conflicts.length, 1)
    const { title, priority } = await taskOf(task.id)
    assert.deepEqual([title, priority], ['A task', 'medium'])
  })

  it('needs the write scope of each record', async () => {
    const key = await createKey(wl, { scopes: ['tasks:write', 'knowledge:write'] })
    const task = await createTask(wl, projectId)
    await putItem(wl, 'own/scoped', 'Before')
    const requestId = await patch(task.id, { title: 'Changed' }, key)
    await putItem(wl, 'own/scoped', 'After', {}, as(key, requestId))
    expectStatus(await wl.patch(`/v1/keys/${key.id}`, { scopes: ['tasks:read', 'knowledge:write'] }), 200)
    const partly = await undo(key.key, requestId)
    assert.deepEqual([partly.undone.length, partly.conflicts.length], [1, 1])
    assert.match(partly.conflicts[0].message, /lacks the scope "tasks:write"/)
    // Records that the key cannot read are not mentioned.
    const item = nextRequestId()
    await putItem(wl, 'own/scoped', 'Again', {}, as(key, item))
    expectStatus(await wl.patch(`/v1/keys/${key.id}`, { scopes: ['tasks:read'] }), 200)
    assert.deepEqual((await undo(key.key, item)).conflicts, [])
    assert.equal((await wl.get('/v1/knowledge/own/scoped')).body.data.content, 'Again')
    assert.equal((await taskOf(task.id)).title, 'Changed')
  })

  it('needs access to the former and the current projects of the records', async () => {
    const left = await createProject(wl)
    const secret = await createProject(wl, { visibility: 'private' })
    const user = await createUser(wl)
    const key = await createKey(wl, { userId: user.id })
    const member = (id: string) => wl.put(`/v1/projects/${id}/members/${user.id}`, { role: 'member' })
    expectStatus(await member(secret.id), 200)
    const inside = await createTask(wl, secret.id)
    const deleted = await createTask(wl, left.id)
    const movedIn = await createTask(wl, left.id)
    const movedOut = await createTask(wl, secret.id)
    const requestId = await patch(inside.id, { title: 'Changed' }, key)
    expectStatus(await wl.patch(`/v1/tasks/${movedIn.id}`, { title: 'Changed' }, as(key, requestId)), 200)
    expectStatus(await wl.delete(`/v1/tasks/${deleted.id}`, as(key, requestId)), 200)
    const moving = nextRequestId()
    expectStatus(await wl.post(`/v1/tasks/${movedOut.id}/move`, { projectId: left.id }, as(key, moving)), 200)
    expectStatus(await wl.post(`/v1/tasks/${movedIn.id}/move`, { projectId: secret.id }), 200)
    expectStatus(await wl.delete(`/v1/projects/${secret.id}/members/${user.id}`), 200)

    const report = await undo(key.key, requestId)
    assert.deepEqual(
      report.undone.map(({ task }: { task: string }) => task),
      [deleted.id],
    )
    assert.deepEqual(report.conflicts, [])
    const refused = await undo(key.key, moving)
    assert.deepEqual([refused.undone.length, refused.conflicts[0]?.reason], [0, 'refused'])
    assert.equal((await taskOf(movedOut.id)).projectId, left.id)
    assert.equal((await taskOf(inside.id)).title, 'Changed')
  })

  it('lets viewers take back their comments, and nothing else', async () => {
    const viewed = await createProject(wl)
    const user = await createUser(wl)
    const key = await createKey(wl, { userId: user.id })
    const task = await createTask(wl, viewed.id)
    const requestId = await patch(task.id, { title: 'Changed' }, key)
    expectStatus(await wl.put(`/v1/projects/${viewed.id}/members/${user.id}`, { role: 'viewer' }), 200)
    expectStatus(await wl.post(`/v1/tasks/${task.id}/comments`, { body: 'Seen' }, as(key, requestId)), 201)
    const { undone, conflicts } = await undo(key.key, requestId)
    assert.deepEqual([undone.length, conflicts.length], [1, 1])
    assert.match(conflicts[0].message, /viewer/)
    const { title, commentCount } = await taskOf(task.id)
    assert.deepEqual([title, commentCount], ['Changed', 0])
  })

  it('respects the claims of others', async () => {
    const to = await createProject(wl)
    const parent = await createTask(wl, projectId)
    const child = await createTask(wl, projectId, { parentId: parent.id })
    const requestId = nextRequestId()
    expectStatus(await wl.post(`/v1/tasks/${parent.id}/move`, { projectId: to.id }, as(agent, requestId)), 200)
    expectStatus(await wl.post(`/v1/tasks/${child.id}/claim`, {}, other), 200)
    const { undone, conflicts } = await undo(agent.key, requestId)
    assert.deepEqual(undone, [])
    const reasons = conflicts.map(({ task, reason }: { task: string; reason: string }) => [task, reason])
    assert.deepEqual(
      reasons.sort(),
      [
        [parent.id, 'refused'],
        [child.id, 'changed'],
      ].sort(),
    )
    assert.equal((await taskOf(parent.id)).projectId, to.id)
  })

  it('never sets a check to passed, nor a task to done without its checks', async () => {
    const evidence = { state: 'passed', evidence: 'Tried' }
    const task = await createTask(wl, projectId, { checks: [{ text: 'a' }] }, as(agent))
    const decide = (body: object, requestId = nextRequestId()) =>
      wl.post(`/v1/tasks/${task.id}/checks/c1`, body, as(agent, requestId))
    const stateOf = async () => {
      const { status, checks } = await taskOf(task.id)
      return [status, checks[0].state]
    }
    // The undo of a decision opens the check again.
    const passed = nextRequestId()
    expectStatus(await decide(evidence, passed), 200)
    assert.equal((await undo(agent.key, passed)).undone.length, 1)
    assert.deepEqual(await stateOf(), ['todo', 'open'])
    // A new description requires new evidence, and so does restoring the old one.
    expectStatus(await decide(evidence), 200)
    const described = await patch(task.id, { description: 'Another' })
    assert.deepEqual(await stateOf(), ['todo', 'open'])
    assert.equal((await undo(agent.key, described)).undone.length, 1)
    assert.deepEqual(await stateOf(), ['todo', 'open'])
    // Undoing a failure does not set the check back to passed.
    expectStatus(await decide(evidence), 200)
    const failed = nextRequestId()
    expectStatus(await decide({ state: 'failed', evidence: 'Broken' }, failed), 200)
    assert.equal((await undo(agent.key, failed)).undone.length, 1)
    assert.deepEqual(await stateOf(), ['todo', 'open'])
    // Reopening a check cannot be undone, because that would decide it.
    expectStatus(await decide(evidence), 200)
    const opened = nextRequestId()
    expectStatus(await decide({ state: 'open' }, opened), 200)
    assert.match((await undo(agent.key, opened)).conflicts[0].message, /does not decide checks/)
    assert.deepEqual(await stateOf(), ['todo', 'open'])
    // Undoing the reopening of a task does not set it to done without evidence.
    expectStatus(await decide(evidence), 200)
    const finished = await patch(task.id, { status: 'done' })
    const reopened = await patch(task.id, { status: 'todo' })
    const [conflict] = (await undo(agent.key, reopened)).conflicts
    assert.match(conflict.message, /cannot be done yet/)
    assert.deepEqual(await stateOf(), ['todo', 'open'])
    expectStatus(await decide(evidence), 200)
    assert.equal((await undo(agent.key, finished)).conflicts.length, 1)
  })
})

describeTenant('the undo of the changes of an agent', (wl) => {
  it("is not stopped if the caller has released the agent's task", async () => {
    const { id: projectId } = await createProject(wl)
    const agent = await createKey(wl)
    const claimed = async () => {
      const { id } = await createTask(wl, projectId)
      const { token } = expectStatus(await wl.post(`/v1/tasks/${id}/claim`, {}, agent), 200).body.data.claim
      const headers = { 'worklore-claim': token }
      expectStatus(await wl.patch(`/v1/tasks/${id}`, { title: 'Spoilt' }, { key: agent.key, headers }), 200)
      return { id, token }
    }
    const [released, finished] = [await claimed(), await claimed()]
    expectStatus(await wl.patch(`/v1/tasks/${released.id}`, { status: 'todo' }), 200)
    expectStatus(await wl.patch(`/v1/tasks/${finished.id}`, { status: 'done' }), 200)
    const { undone, conflicts } = expectStatus(await wl.post('/v1/undo', { keyId: agent.id, dryRun: false }), 200).body
      .data
    assert.deepEqual(
      [undone, conflicts].map((records) => records.map(({ task }: { task: string }) => task)),
      [[released.id], [finished.id]],
    )
    const { title, status } = (await wl.get(`/v1/tasks/${released.id}`)).body.data
    assert.deepEqual([title, status], ['A task', 'todo'])
  })
})
