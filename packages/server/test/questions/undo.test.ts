import assert from 'node:assert/strict'
import { it } from 'node:test'
import { expectError, expectStatus } from 'worklore-testing/expect'
import { createKey, createProject, createTask } from 'worklore-testing/factories'
import { describeTenant } from 'worklore-testing/service-suite'

describeTenant('the history of questions', (wl) => {
  const get = async (path: string) => expectStatus(await wl.get(path), 200).body.data
  const ask = async (taskId: string, key: string, headers = {}) =>
    expectStatus(await wl.post(`/v1/tasks/${taskId}/questions`, { body: 'Which?' }, { key, headers }), 201).body.data
  const answer = (id: string, key: string) => wl.post(`/v1/questions/${id}/answer`, { body: 'That' }, { key })
  const undo = async (body: object) =>
    expectStatus(await wl.post('/v1/undo', { dryRun: false, ...body }), 200).body.data
  const stateOf = async (id: string) => {
    const { state, answer } = await get(`/v1/questions/${id}`)
    return [state, answer]
  }
  const readyIn = async (project: string) => (await get(`/v1/tasks?projectId=${project}&ready=true`)).length

  it('tells who asked, answered and withdrew', async () => {
    await createProject(wl, { key: 'HIS' })
    await createTask(wl, 'HIS')
    const [asker, admin] = [await createKey(wl), await createKey(wl, { scopes: ['admin'] })]
    const { id } = await ask('HIS-1', asker.key)
    expectStatus(await answer(id, admin.key), 200)
    const [asked] = await get(`/v1/history?keyId=${asker.id}`)
    assert.deepEqual(
      [asked.type, asked.task, asked.question, asked.version, asked.changes.state],
      ['question.asked', 'HIS-1', id, 1, { from: null, to: 'open' }],
    )
    const [answered] = await get(`/v1/history?keyId=${admin.id}`)
    assert.deepEqual([answered.type, answered.changes.state], ['question.answered', { from: 'open', to: 'answered' }])
    assert.equal(answered.changes.answer.to.body, 'That')
    const ofTask = await get('/v1/events?order=desc&subject=HIS-1')
    assert.deepEqual(
      ofTask.map(({ type }: { type: string }) => type),
      ['question.answered', 'question.asked', 'task.created'],
    )
    const reader = await createKey(wl, { scopes: ['knowledge:read'] })
    assert.deepEqual(
      (await wl.get('/v1/history', reader)).body.data.filter(({ question }: { question?: string }) => question),
      [],
    )
    assert.deepEqual((await wl.get('/v1/events?types=question.*', reader)).body.data, [])
  })

  it('withdraws what an undone key asked, and opens again what it answered', async () => {
    await createProject(wl, { key: 'UND' })
    await createTask(wl, 'UND')
    const [asker, admin] = [await createKey(wl), await createKey(wl, { scopes: ['admin'] })]
    const [first, second] = [await ask('UND-1', asker.key), await ask('UND-1', asker.key)]
    expectStatus(await answer(first.id, admin.key), 200)
    const dry = await undo({ keyId: admin.id, dryRun: true })
    const report = await undo({ keyId: admin.id })
    assert.deepEqual({ ...report, dryRun: true }, dry)
    const [undone] = report.undone
    assert.deepEqual([undone.question, undone.task, undone.action, undone.version], [first.id, 'UND-1', 'reverted', 3])
    assert.deepEqual(await stateOf(first.id), ['open', null])
    assert.equal((await get('/v1/tasks/UND-1')).openQuestions, 2)
    const [again] = await get('/v1/events?order=desc&types=question.*')
    assert.deepEqual([again.type, again.undoes], ['question.asked', undone.undoes])
    assert.equal((await undo({ keyId: admin.id })).unchanged.length, 1)

    expectStatus(await answer(first.id, admin.key), 200)
    const { undone: withdrawn, conflicts } = await undo({ keyId: asker.id })
    assert.deepEqual([withdrawn[0].question, withdrawn[0].action], [second.id, 'reverted'])
    assert.deepEqual([conflicts[0].question, conflicts[0].reason], [first.id, 'changed'])
    assert.deepEqual(await stateOf(second.id), ['withdrawn', null])
    assert.equal(await readyIn('UND'), 1)
    const forced = await undo({ keyId: asker.id, includeConflicts: true })
    assert.deepEqual([forced.undone.length, forced.unchanged[0].question], [1, second.id])
    assert.deepEqual(await stateOf(first.id), ['withdrawn', null])
  })

  it('puts back what a claim did, and undoes an undo', async () => {
    await createProject(wl, { key: 'CLA' })
    await createTask(wl, 'CLA')
    const worker = await createKey(wl)
    const { claim } = expectStatus(await wl.post('/v1/tasks/next', { projectId: 'CLA' }, worker), 200).body.data
    const { id } = await ask('CLA-1', worker.key, { 'worklore-claim': claim.token })
    const requestId = 'undo-of-the-claim'
    expectStatus(
      await wl.post('/v1/undo', { claim: claim.token, dryRun: false }, { headers: { 'x-request-id': requestId } }),
      200,
    )
    assert.deepEqual(await stateOf(id), ['withdrawn', null])
    assert.equal(await readyIn('CLA'), 1)
    await undo({ requestId })
    assert.deepEqual(await stateOf(id), ['open', null])
    assert.equal(await readyIn('CLA'), 0)
  })

  it('has a task handed out again whose question is undone', async () => {
    await createProject(wl, { key: 'ASK', maxAttempts: 1 })
    await createTask(wl, 'ASK')
    const worker = await createKey(wl)
    const { claim } = expectStatus(await wl.post('/v1/tasks/next', { projectId: 'ASK' }, worker), 200).body.data
    const headers = { 'worklore-claim': claim.token, 'x-request-id': 'the-question' }
    const { id } = await ask('ASK-1', worker.key, headers)
    await undo({ requestId: 'the-question' })
    assert.deepEqual(await stateOf(id), ['withdrawn', null])
    const { status, attempts, claim: after } = await get('/v1/tasks/ASK-1')
    assert.deepEqual([status, attempts, after, await readyIn('ASK')], ['todo', 0, null, 1])
    assert.deepEqual((await undo({ requestId: 'the-question' })).undone, [])
  })

  it('has a task handed out again whose end under a claim is undone', async () => {
    await createProject(wl, { key: 'END' })
    await createTask(wl, 'END')
    const worker = await createKey(wl)
    const { claim } = expectStatus(await wl.post('/v1/tasks/next', { projectId: 'END' }, worker), 200).body.data
    const headers = { 'worklore-claim': claim.token, 'x-request-id': 'the-end' }
    const released = { status: 'done', result: 'Wrong' }
    expectStatus(await wl.post('/v1/tasks/END-1/release', released, { key: worker.key, headers }), 200)
    const [undone] = (await undo({ requestId: 'the-end' })).undone
    const { status, attempts, result } = await get('/v1/tasks/END-1')
    assert.deepEqual([undone.action, status, attempts, result], ['reverted', 'todo', 1, null])
    assert.equal(await readyIn('END'), 1)
    await createTask(wl, 'END', { status: 'in_progress' })
    const byHand = { key: worker.key, headers: { 'x-request-id': 'by-hand' } }
    expectStatus(await wl.patch('/v1/tasks/END-2', { status: 'todo' }, byHand), 200)
    await undo({ requestId: 'by-hand' })
    assert.equal((await get('/v1/tasks/END-2')).status, 'in_progress')
  })

  it('opens the questions again of a task whose closing is undone, and no others', async () => {
    await createProject(wl, { key: 'CLO' })
    await createTask(wl, 'CLO')
    const [asker, closer] = [await createKey(wl), await createKey(wl)]
    const { id } = await ask('CLO-1', asker.key)
    expectStatus(await wl.patch('/v1/tasks/CLO-1', { status: 'done' }, closer), 200)
    const { undone, conflicts } = await undo({ keyId: closer.id })
    assert.deepEqual([undone.length, conflicts.length], [2, 0])
    assert.deepEqual(await stateOf(id), ['open', null])
    const { status, openQuestions } = await get('/v1/tasks/CLO-1')
    assert.deepEqual([status, openQuestions, await readyIn('CLO')], ['todo', 1, 0])

    const admin = await createKey(wl, { scopes: ['admin'] })
    expectStatus(await answer(id, admin.key), 200)
    expectStatus(await wl.patch('/v1/tasks/CLO-1', { status: 'done' }), 200)
    const refused = await undo({ keyId: admin.id })
    assert.deepEqual([refused.undone.length, refused.conflicts[0].reason], [0, 'refused'])
    assert.match(refused.conflicts[0].message, /CLO-1 is done/)
    assert.deepEqual((await stateOf(id))[0], 'answered')
  })

  it('closes the questions of a task that goes back to a closed version', async () => {
    await createProject(wl, { key: 'OLD' })
    await createTask(wl, 'OLD', { status: 'done' })
    expectStatus(await wl.patch('/v1/tasks/OLD-1', { status: 'todo' }), 200)
    const { id } = await ask('OLD-1', wl.adminKey)
    expectStatus(await wl.post('/v1/history/restore', { task: 'OLD-1', version: 1 }), 200)
    assert.deepEqual(await stateOf(id), ['withdrawn', null])
    assert.equal((await get('/v1/tasks/OLD-1')).openQuestions, 0)
    expectError(await wl.get('/v1/trash?kind=question'), 'VALIDATION_ERROR')
  })
})
