import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { ConflictError, ForbiddenError, type Question, type Retry, type Task, type Worklore } from '../src/index.js'
import { onEveryEngine } from './on-every-engine.js'

onEveryEngine('questions and checks', (stage) => {
  let agent: Worklore
  let ada: Worklore
  let adaId: string
  let adaKey: string
  before(async () => {
    const { wl, clientWith } = stage
    await wl.projects.create({ key: 'ACME', name: 'Acme' })
    adaId = (await wl.users.create({ name: 'Ada', kind: 'human' })).id
    const keyOf = async (name: string, userId?: string): Promise<string> =>
      (await wl.keys.create({ name, scopes: ['tasks:write'], userId })).key!
    agent = clientWith({ apiKey: await keyOf('agent') })
    adaKey = await keyOf('ada', adaId)
    ada = clientWith({ apiKey: adaKey })
  })

  const created = (): Promise<Task> => stage.wl.tasks.create({ projectId: 'ACME', title: 'Decide' })
  const openQuestion = async (taskId: string): Promise<Question> => {
    for (;;) {
      const { data } = await ada.questions.list({ taskId, state: 'open' })
      if (data[0]) return data[0]
    }
  }

  it('resolves with the answer, over lost connections', async () => {
    const { id } = await created()
    const retries: Retry[] = []
    const patient = stage.clientWith({ onRetry: (retry) => retries.push(retry) })
    const asking = patient.tasks.ask(id, { body: 'Which?', options: ['a', 'b'], to: adaId })
    const question = await openQuestion(id)
    const waiting = patient.questions.wait(question.id)
    stage.proxy.queue.push('reset', 'bad gateway', 'unavailable', 'reset')
    const again = patient.questions.wait(question.id)
    while (retries.length < 4) await new Promise((resolve) => setTimeout(resolve, 20))
    assert.deepEqual(
      (await ada.questions.answer(question.id, { option: 'b', body: 'It is cheaper.' })).state,
      'answered',
    )
    for (const { state, answer } of await Promise.all([asking, waiting, again])) {
      assert.deepEqual([state, answer?.option, answer?.body], ['answered', 'b', 'It is cheaper.'])
    }
    assert.equal((await agent.questions.get(question.id)).answer?.by.userId, adaId)
    await assert.rejects(ada.questions.answer(question.id, { option: 'a' }), (error) => {
      return error instanceof ConflictError && error.reason === 'answered'
    })
  })

  it('gives the question as it is when it is withdrawn or the time is over, and the reason of a signal', async () => {
    const { id } = await created()
    const late = await agent.tasks.ask(id, { body: 'Anyone?' }, { waitSeconds: 1 })
    assert.deepEqual([late.state, late.answer], ['open', null])
    const waiting = agent.questions.wait(late.id)
    await assert.rejects(agent.questions.answer(late.id, { body: 'Me.' }), (error) => {
      return error instanceof ForbiddenError && error.reason === 'verifier'
    })
    await agent.questions.withdraw(late.id)
    assert.equal((await waiting).state, 'withdrawn')
    const reason = new Error('enough')
    const controller = new AbortController()
    const asking = agent.tasks.ask(id, { body: 'Still?' }, { signal: controller.signal })
    const { id: questionId } = await openQuestion(id)
    controller.abort(reason)
    await assert.rejects(asking, reason)
    assert.equal((await agent.questions.get(questionId)).state, 'open')
  })

  it('lets go of a claim that a question is asked under, which is no loss', async () => {
    const { id } = await created()
    let isLost = false
    const claim = await agent.tasks.claim(id, { leaseSeconds: 10, onLost: () => (isLost = true) })
    const kept = await claim.fenced().questions.create(id, { body: 'By the way?', keepClaim: true })
    await claim.renew()
    await claim.fenced().questions.create(id, { body: 'Which?' })
    const task = await agent.tasks.get(id)
    assert.deepEqual([task.status, task.claim, task.attempts, task.openQuestions], ['todo', null, 0, 2])
    await claim[Symbol.asyncDispose]()
    assert.equal(isLost, false)
    assert.equal(claim.lost.aborted, false)
    assert.equal((await ada.questions.answer(kept.id, { body: 'Yes.' })).answer?.body, 'Yes.')
    const batched = await agent.tasks.claim(id)
    await batched.fenced().batch((batch) => [batch.questions.create(id, { body: 'And this?' })])
    await batched[Symbol.asyncDispose]()
    assert.equal((await agent.tasks.get(id)).openQuestions, 2)
  })

  it('follows an inbox over lost connections, each entry once', async () => {
    const { id } = await created()
    const controller = new AbortController()
    const watch = ada.inbox.watch({ signal: controller.signal })
    const said: string[] = []
    const reason = new Error('enough')
    const watching = (async () => {
      for await (const { kind, excerpt } of watch) if (kind === 'mention') said.push(excerpt)
    })().catch((error) => error)
    const until = async (count: number): Promise<void> => {
      while (said.length < count) await new Promise((resolve) => setTimeout(resolve, 20))
    }
    for (const [at, text] of ['First for @ada', 'Second for @ada'].entries()) {
      stage.proxy.queue.push('none', 'reset', 'bad gateway')
      await stage.wl.tasks.comments(id).create({ body: text })
      await until(at + 1)
    }
    controller.abort(reason)
    assert.equal(await watching, reason)
    assert.deepEqual(said, ['First for @ada', 'Second for @ada'])
    const { data } = await ada.inbox.list()
    assert.ok(data.every(({ readAt }) => readAt === null))
    assert.equal((await ada.inbox.read({ upTo: data[0]!.id })).read, data.length)
    assert.deepEqual((await ada.inbox.list()).data, [])
    const all = (await ada.inbox.list({ state: 'all' })).data.map((entry) => entry.id)
    assert.ok(data.every((entry) => all.includes(entry.id)))
  })

  it('follows an inbox from the newest entry on, whatever is unread', async () => {
    const { id } = await created()
    const say = (text: string) => stage.wl.tasks.comments(id).create({ body: `${text} for @ada` })
    await say('One')
    const [known] = (await ada.inbox.list()).data
    const queries: string[] = []
    const fetch: typeof globalThis.fetch = (input, init) => {
      const { pathname, search } = new URL(String(input))
      if (pathname === '/v1/inbox') queries.push(search)
      return globalThis.fetch(input, init)
    }
    const controller = new AbortController()
    const watch = stage.clientWith({ apiKey: adaKey, fetch }).inbox.watch({ signal: controller.signal })
    for (let entry = await watch.next(); entry.value?.id !== known!.id; ) entry = await watch.next()
    const next = watch.next()
    await say('Two')
    assert.equal((await next).value?.excerpt, 'Two for @ada')
    const after = new URLSearchParams({ limit: '100', waitSeconds: '30', after: known!.id })
    assert.deepEqual(queries, ['?limit=100&waitSeconds=30', `?${after}`])
    controller.abort()
    await assert.rejects(watch.next())
  })

  it('decides checks and hands in a result', async () => {
    const checks = [{ text: 'The tests pass' }, { text: 'Approved', verifier: 'human' as const }]
    const { id } = await agent.tasks.create({ projectId: 'ACME', title: 'Checked', checks })
    const refused = await agent.tasks.update(id, { status: 'done' }).catch((error) => error)
    assert.ok(refused instanceof ConflictError)
    assert.equal(refused.reason, 'checks')
    assert.deepEqual(
      refused.checks?.map((check) => check.id),
      ['c1', 'c2'],
    )
    const passed = { state: 'passed', evidence: '214 passed' } as const
    await assert.rejects(agent.tasks.decideCheck(id, 'c2', passed), ForbiddenError)
    const decided = await ada.tasks.decideCheck(id, 'c2', passed)
    assert.equal(decided.checks[1]!.state, 'passed')
    const [, done] = await agent.batch((batch) => [
      batch.tasks.decideCheck(id, 'c1', passed, { ifMatch: decided }),
      batch.tasks.update(id, { status: 'done', result: 'It works.' }),
    ])
    assert.deepEqual([done.status, done.result], ['done', 'It works.'])
    const claim = await agent.tasks.claim((await created()).id)
    const released = await claim.release({ status: 'in_review', result: 'Look at it.' })
    assert.equal(released.result, 'Look at it.')
  })
})
