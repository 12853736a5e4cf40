import assert from 'node:assert/strict'
import { it } from 'node:test'
import { expectError, expectInvalid, expectStatus } from 'worklore-testing/expect'
import { createKey, createProject, createTask, createUser } from 'worklore-testing/factories'
import type { RequestOptions } from 'worklore-testing/harness'
import { createTestTenant } from 'worklore-testing/operator'
import { describeTenant } from 'worklore-testing/service-suite'

describeTenant('asking a question', (wl) => {
  const get = async (path: string) => expectStatus(await wl.get(path), 200).body.data
  const ask = async (taskId: string, body: object, options?: RequestOptions) =>
    expectStatus(await wl.post(`/v1/tasks/${taskId}/questions`, body, options), 201).body.data
  const eventsAfter = async (after: number) => {
    const { data } = (await wl.get(`/v1/events?after=${after}`)).body
    return data.map(({ type }: { type: string }) => type)
  }
  const now = async (): Promise<number> => (await wl.get('/v1/events?after=latest')).body.pagination.nextAfter

  it('answers the question, and holds the task back', async () => {
    await createProject(wl, { key: 'ASK' })
    const task = await createTask(wl, 'ASK')
    const after = await now()
    const answer = await wl.post('/v1/tasks/ASK-1/questions', { body: 'Drop it?', options: [' Yes ', 'No'] })
    const question = expectStatus(answer, 201).body.data
    const { id, createdAt, createdBy, ...rest } = question
    assert.match(id, /^qst_[0-9A-Za-z]{20}$/)
    assert.equal(createdBy.keyId, task.createdBy.keyId)
    assert.deepEqual(rest, {
      taskId: 'ASK-1',
      body: 'Drop it?',
      options: ['Yes', 'No'],
      to: null,
      state: 'open',
      answer: null,
      version: 1,
    })
    assert.deepEqual([answer.headers.location, answer.headers.etag], [`/v1/questions/${id}`, '"1"'])
    assert.deepEqual(await eventsAfter(after), ['question.asked'])
    const held = await wl.get('/v1/tasks/ASK-1')
    assert.deepEqual([held.body.data.openQuestions, held.body.data.version, held.headers.etag], [1, 1, '"1.1"'])
    const [card] = await get('/v1/tasks/cards?projectId=ASK')
    assert.equal(card.openQuestions, 1)
    assert.deepEqual(await get('/v1/tasks?projectId=ASK&ready=true'), [])
    assert.equal((await get('/v1/tasks?projectId=ASK&ready=false')).length, 1)
    assert.equal((await wl.post('/v1/tasks/next', { projectId: 'ASK' })).body.data, null)

    const dependent = await createTask(wl, 'ASK', { parentId: 'ASK-1' })
    assert.equal((await get('/v1/tasks?projectId=ASK&ready=true'))[0].id, dependent.id, 'that task alone')
    expectStatus(await wl.delete(`/v1/tasks/${dependent.id}`), 200)
    expectStatus(await wl.post('/v1/tasks/ASK-1/claim', {}), 200)
    expectStatus(await wl.post('/v1/tasks/ASK-1/release', {}, { headers: { 'worklore-claim': 'ASK-1.1' } }), 200)
    assert.deepEqual(await get('/v1/tasks?projectId=ASK&ready=true'), [])

    const answered = await wl.post(`/v1/questions/${id}/answer`, { option: 'Yes', body: 'After Friday.' })
    const { at, by, ...said } = expectStatus(answered, 200).body.data.answer
    assert.deepEqual(said, { option: 'Yes', body: 'After Friday.' })
    assert.deepEqual([answered.body.data.state, answered.body.data.version], ['answered', 2])
    assert.equal(by.keyId, createdBy.keyId)
    assert.ok(at >= createdAt)
    assert.equal((await get('/v1/tasks/ASK-1')).openQuestions, 0)
    assert.equal((await get('/v1/tasks?projectId=ASK&ready=true'))[0].id, 'ASK-1')
    const [event] = (await wl.get('/v1/events?order=desc&types=question.*')).body.data
    assert.deepEqual([event.type, event.previous], ['question.answered', { state: 'open', answer: null }])
    assert.deepEqual(event.data, answered.body.data)
  })

  it('ends the claim that it is asked under, without using up the attempt', async () => {
    await createProject(wl, { key: 'LET', maxAttempts: 1 })
    await createTask(wl, 'LET')
    const { key } = await createKey(wl)
    const claimed = expectStatus(await wl.post('/v1/tasks/next', { projectId: 'LET' }, { key }), 200).body.data
    const headers = { 'worklore-claim': claimed.claim.token }
    const after = await now()
    const question = await ask('LET-1', { body: 'Which?' }, { key, headers })
    assert.deepEqual(await eventsAfter(after), ['task.released', 'question.asked'])
    const { claim, status, attempts, version, openQuestions } = await get('/v1/tasks/LET-1')
    assert.deepEqual([claim, status, attempts, version, openQuestions], [null, 'todo', 0, 3, 1])
    const [{ data, previous }] = (await wl.get('/v1/events?order=desc&types=task.released')).body.data
    assert.deepEqual([data.openQuestions, previous.status, previous.attempts], [1, 'in_progress', 1])
    assert.equal(previous.claim.token, claimed.claim.token)
    const lost = expectError(
      await wl.post('/v1/tasks/LET-1/questions', { body: 'x' }, { key, headers }),
      'PRECONDITION_FAILED',
    )
    assert.equal(lost.reason, 'claim_lost')
    expectStatus(await wl.post(`/v1/questions/${question.id}/answer`, { body: 'This one' }), 200)
    assert.equal((await wl.post('/v1/tasks/next', { projectId: 'LET' }, { key })).body.data.id, 'LET-1')
  })

  it('keeps the claim where that is asked for, where no claim is named, and where it is for another task', async () => {
    await createProject(wl, { key: 'KEEP' })
    for (let at = 0; at < 2; at++) await createTask(wl, 'KEEP')
    const { token } = expectStatus(await wl.post('/v1/tasks/KEEP-1/claim', {}), 200).body.data.claim
    const headers = { 'worklore-claim': token }
    const claimOf = async () => (await get('/v1/tasks/KEEP-1')).claim?.token
    await ask('KEEP-1', { body: 'x', keepClaim: true }, { headers })
    assert.equal(await claimOf(), token)
    await ask('KEEP-1', { body: 'x' })
    assert.equal(await claimOf(), token)
    await ask('KEEP-2', { body: 'x' }, { headers })
    assert.equal(await claimOf(), token)
    assert.deepEqual(
      [(await get('/v1/tasks/KEEP-1')).openQuestions, (await get('/v1/tasks/KEEP-2')).openQuestions],
      [2, 1],
    )
    await ask('KEEP-1', { body: 'x' }, { headers })
    assert.equal(await claimOf(), undefined)
    assert.equal((await get('/v1/tasks/KEEP-1')).openQuestions, 3)
  })

  it('is withdrawn by the asker or an admin, and when the task is closed', async () => {
    await createProject(wl, { key: 'WITH' })
    await createTask(wl, 'WITH')
    const [asker, other] = [await createKey(wl), await createKey(wl)]
    const [first, second, third] = [
      await ask('WITH-1', { body: '1' }, asker),
      await ask('WITH-1', { body: '2' }, asker),
      await ask('WITH-1', { body: '3' }, asker),
    ]
    const path = `/v1/questions/${first.id}`
    assert.equal(expectError(await wl.post(`${path}/withdraw`, undefined, other), 'FORBIDDEN').reason, 'verifier')
    const withdrawn = expectStatus(await wl.post(`${path}/withdraw`, undefined, asker), 200).body.data
    assert.deepEqual([withdrawn.state, withdrawn.answer, withdrawn.version], ['withdrawn', null, 2])
    expectError(await wl.post(`${path}/withdraw`, undefined, asker), 'CONFLICT')
    expectError(await wl.post(`${path}/answer`, { body: 'x' }), 'CONFLICT')
    expectStatus(await wl.post(`/v1/questions/${second.id}/answer`, { body: 'So' }), 200)
    assert.equal(
      expectError(await wl.post(`/v1/questions/${second.id}/withdraw`, undefined, asker), 'CONFLICT').reason,
      'answered',
    )
    const after = await now()
    const closed = expectStatus(await wl.patch('/v1/tasks/WITH-1', { status: 'done' }), 200).body.data
    assert.equal(closed.openQuestions, 0)
    assert.deepEqual(await eventsAfter(after), ['task.updated', 'question.withdrawn'])
    assert.equal((await get(`/v1/questions/${third.id}`)).state, 'withdrawn')
    assert.equal((await get(`/v1/questions/${second.id}`)).state, 'answered')
    assert.equal(expectError(await wl.post('/v1/tasks/WITH-1/questions', { body: 'x' }), 'CONFLICT').reason, 'closed')
    expectStatus(await wl.patch('/v1/tasks/WITH-1', { status: 'todo' }), 200)
    assert.deepEqual((await get('/v1/tasks?projectId=WITH&ready=true')).length, 1)
  })

  it('is refused where something is wrong with it, and nothing is written', async () => {
    await createProject(wl, { key: 'BAD' })
    await createTask(wl, 'BAD')
    const { adminKey } = await createTestTenant(wl)
    const stranger = await createUser(wl, {}, { key: adminKey })
    const after = await now()
    const path = '/v1/tasks/BAD-1/questions'
    const bad: [body: unknown, ...paths: string[]][] = [
      [{}, 'body'],
      [{ body: '' }, 'body'],
      [{ body: ' \n' }, 'body'],
      [{ body: 'a\0b' }, 'body'],
      [{ body: 'x'.repeat(8_193) }, 'body'],
      [{ body: 'ü'.repeat(4_097) }, 'body'],
      [{ body: 'x', options: ['one'] }, 'options'],
      [{ body: 'x', options: Array.from({ length: 11 }, (_, at) => `${at}`) }, 'options'],
      [{ body: 'x', options: ['a', 'b', ' a'] }, 'options.2'],
      [{ body: ' ', options: ['a', ' '] }, 'body', 'options.1'],
      [{ body: 'x', options: ['a', 1] }, 'options.1'],
      [{ body: 'x', to: stranger.id }, 'to'],
      [{ body: 'x', to: 'usr_unknown' }, 'to'],
      [{ body: 'x', to: 'usr\0' }, 'to'],
      [{ body: 'x', keepClaim: 'yes' }, 'keepClaim'],
      [{ body: 'x', state: 'answered' }, 'state'],
    ]
    for (const [body, ...paths] of bad) expectInvalid(await wl.post(path, body), ...paths)
    expectError(await wl.post('/v1/tasks/BAD-2/questions', { body: 'x' }), 'NOT_FOUND')
    expectError(await wl.post(path, { body: 'x' }, { key: adminKey }), 'NOT_FOUND')
    assert.equal(await now(), after)
    expectStatus(await wl.post(path, { body: 'ü'.repeat(4_096) }), 201)

    const full = Array.from({ length: 19 }, () => ({ method: 'POST', path, body: { body: 'x' } }))
    expectStatus(await wl.post('/v1/batch', { operations: full }), 200)
    assert.match(expectError(await wl.post(path, { body: 'one more' }), 'CONFLICT').message, /20 open questions/)
    assert.equal((await get('/v1/tasks/BAD-1')).openQuestions, 20)
  })

  it('is refused an answer that does not fit', async () => {
    await createProject(wl, { key: 'FIT' })
    await createTask(wl, 'FIT')
    const chosen = await ask('FIT-1', { body: 'x', options: ['a', 'b'] })
    const free = await ask('FIT-1', { body: 'x' })
    const after = await now()
    const bad: [id: string, body: unknown, path: string][] = [
      [chosen.id, {}, 'option'],
      [chosen.id, { option: 'c' }, 'option'],
      [chosen.id, { body: 'a' }, 'option'],
      [chosen.id, { option: 'a', body: ' ' }, 'body'],
      [free.id, {}, 'option'],
      [free.id, { option: 'a' }, 'option'],
      [free.id, { body: 'x'.repeat(8_193) }, 'body'],
      [free.id, { body: 'x', by: 'me' }, 'by'],
    ]
    for (const [id, body, path] of bad) expectInvalid(await wl.post(`/v1/questions/${id}/answer`, body), path)
    expectError(await wl.post('/v1/questions/qst_none/answer', { body: 'x' }), 'NOT_FOUND')
    expectError(await wl.post('/v1/questions/qst_none/withdraw', {}), 'NOT_FOUND')
    for (const id of ['qst_none', '%00', '%F0%9F%99%82', 'a'.repeat(1_000)]) {
      assert.ok([400, 404].includes((await wl.get(`/v1/questions/${id}`)).status), id)
      assert.ok([400, 404].includes((await wl.get(`/v1/questions/${id}?waitSeconds=5`)).status), id)
      assert.ok([400, 404].includes((await wl.get(`/v1/questions?taskId=${id}`)).status), id)
    }
    assert.equal(await now(), after)
    expectStatus(await wl.post(`/v1/questions/${chosen.id}/answer`, { option: ' b' }), 200)
    const again = expectError(await wl.post(`/v1/questions/${chosen.id}/answer`, { option: 'c' }), 'CONFLICT')
    assert.equal(again.reason, 'answered')
  })

  it('is part of a batch, under the claim of the batch too', async () => {
    await createProject(wl, { key: 'BAT' })
    await createTask(wl, 'BAT')
    const { token } = expectStatus(await wl.post('/v1/tasks/BAT-1/claim', {}), 200).body.data.claim
    const operations = [
      { method: 'POST', path: '/v1/tasks/BAT-1/comments', body: { body: 'Stopped here' } },
      { method: 'POST', path: '/v1/tasks/BAT-1/questions', body: { body: 'Which?' }, as: 'first' },
      { method: 'POST', path: '/v1/tasks/BAT-1/questions', body: { body: 'Why?' }, as: 'second' },
      { method: 'POST', path: '/v1/questions/@first/withdraw', as: 'gone' },
      { method: 'POST', path: '/v1/questions/@second/answer', body: { body: 'So' } },
    ]
    const { data } = expectStatus(
      await wl.post('/v1/batch', { operations }, { headers: { 'worklore-claim': token } }),
      200,
    ).body
    assert.deepEqual(
      data.map(({ status }: { status: number }) => status),
      [201, 201, 201, 200, 200],
    )
    const { claim, openQuestions, status } = await get('/v1/tasks/BAT-1')
    assert.deepEqual([claim, openQuestions, status], [null, 0, 'todo'])
    const failing = [
      { method: 'POST', path: '/v1/tasks/BAT-1/questions', body: { body: 'x' }, as: 'q' },
      { method: 'POST', path: '/v1/questions/@q/answer', body: { option: 'none' } },
    ]
    assert.equal(expectError(await wl.post('/v1/batch', { operations: failing }), 'VALIDATION_ERROR').index, 1)
    assert.equal((await get('/v1/questions?taskId=BAT-1')).length, 2)
  })
})
