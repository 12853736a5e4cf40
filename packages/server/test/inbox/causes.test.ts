import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { expectStatus } from 'worklore-testing/expect'
import { createKey, createProject, createTask } from 'worklore-testing/factories'
import { describeService } from 'worklore-testing/service-suite'
import { until } from 'worklore-testing/until'
import { createPerson, type Entry, kindsOf, type Person } from './inbox.js'

describeService('what is put into an inbox', (wl) => {
  let ada: Person
  let bob: Person
  let projectId: string
  before(async () => {
    projectId = (await createProject(wl, { key: 'ACME', maxAttempts: 1 })).id
    ada = await createPerson(wl, 'Ada')
    bob = await createPerson(wl, 'Bob')
  })

  const newOf = async (person: Person, work: () => Promise<unknown>) => {
    const known = new Set((await person.inbox()).map(({ id }) => id))
    await work()
    return (await person.inbox()).filter(({ id }) => !known.has(id))
  }

  it('tells who a task is assigned to, with the change', async () => {
    const [entry, ...more] = await newOf(ada, () =>
      createTask(
        wl,
        'ACME',
        { title: 'Fix it', description: 'It\n\n is  broken.', assigneeId: ada.id },
        { key: bob.key },
      ),
    )
    assert.deepEqual(more, [])
    const { id, at, taskId, ...rest } = entry as unknown as Record<string, string>
    assert.match(id!, /^inb_[0-9A-Za-z]{20}$/)
    assert.ok(Date.parse(at!) > 0)
    assert.match(taskId!, /^ACME-\d+$/)
    assert.deepEqual(rest, {
      kind: 'assigned',
      key: null,
      projectId,
      title: 'Fix it',
      excerpt: 'It is broken.',
      by: { keyId: bob.keyId, keyName: 'a key', userId: bob.id },
      readAt: null,
    })
  })

  it('tells it once for each time, by PATCH and in a batch, and never for one’s own action', async () => {
    const { id } = await createTask(wl, 'ACME')
    const assign = (assigneeId: string | null, key = bob.key) => wl.patch(`/v1/tasks/${id}`, { assigneeId }, { key })
    const told = await newOf(ada, async () => {
      for (const assigneeId of [ada.id, ada.id, null, bob.id, ada.id]) expectStatus(await assign(assigneeId), 200)
      expectStatus(await assign(null), 200)
      expectStatus(await assign(ada.id, ada.key), 200)
      const operations = [{ method: 'POST', path: '/v1/tasks', body: { projectId, title: 'x', assigneeId: ada.id } }]
      expectStatus(await wl.post('/v1/batch', { operations }), 200)
      // What fails tells nobody.
      const failing = [...operations, { method: 'PATCH', path: '/v1/tasks/NONE-1', body: { title: 'x' } }]
      expectStatus(await wl.post('/v1/batch', { operations: failing }), 404)
    })
    assert.deepEqual(kindsOf(told), ['assigned', 'assigned', 'assigned'])
    assert.deepEqual(await newOf(bob, async () => expectStatus(await assign(bob.id), 200)), [])
  })

  it('tells it when an undo or an old version assigns again', async () => {
    const { id } = await createTask(wl, 'ACME', { assigneeId: ada.id })
    const other = await createKey(wl)
    const undone = await newOf(ada, async () => {
      expectStatus(await wl.patch(`/v1/tasks/${id}`, { assigneeId: null }, { key: other.key }), 200)
      expectStatus(await wl.post('/v1/undo', { keyId: other.id, dryRun: false }), 200)
    })
    assert.deepEqual(kindsOf(undone), ['assigned'])
    const restored = await newOf(ada, async () => {
      expectStatus(await wl.patch(`/v1/tasks/${id}`, { assigneeId: bob.id }), 200)
      expectStatus(await wl.post('/v1/history/restore', { task: id, version: 1 }), 200)
    })
    assert.deepEqual(kindsOf(restored), ['assigned'])
  })

  const claimed = async (fields: object, key?: string): Promise<{ id: string; release: object }> => {
    const { id } = await createTask(wl, 'ACME', { ...fields }, key ? { key } : {})
    const claim = expectStatus(await wl.post(`/v1/tasks/${id}/claim`, {}), 200).body.data.claim
    return { id, release: { headers: { 'worklore-claim': claim.token } } }
  }

  it('tells the assignee, or else the creator, that a task has used up its attempts', async () => {
    const release = async ({ id, release }: { id: string; release: object }, status = 'todo') =>
      expectStatus(await wl.post(`/v1/tasks/${id}/release`, { status }, release), 200)
    const assigned = await claimed({ title: 'Hard', assigneeId: ada.id }, bob.key)
    const [entry, ...more] = await newOf(ada, () => release(assigned))
    assert.deepEqual([entry?.kind, entry?.taskId, entry?.title, more], ['exhausted', assigned.id, 'Hard', []])
    assert.match(entry!.excerpt, /after 1 attempt\./)
    const created = await claimed({}, bob.key)
    assert.deepEqual(kindsOf(await newOf(bob, () => release(created))), ['exhausted'])
    for (const status of ['in_review', 'done']) {
      const finished = await claimed({ assigneeId: ada.id })
      assert.deepEqual(await newOf(ada, () => release(finished, status)), [])
    }
    // Once for each time.
    const { id } = assigned
    const again = await newOf(ada, async () => {
      for (const patch of [{ title: 'x' }, { attempts: 0 }]) expectStatus(await wl.patch(`/v1/tasks/${id}`, patch), 200)
      const { claim } = expectStatus(await wl.post(`/v1/tasks/${id}/claim`, {}), 200).body.data
      await release({ id, release: { headers: { 'worklore-claim': claim.token } } })
    })
    assert.deepEqual(kindsOf(again), ['exhausted'])
  })

  it('tells it also who let go of the task last', async () => {
    for (const fields of [{ assigneeId: ada.id }, {}]) {
      const { id } = await createTask(wl, 'ACME', fields, { key: ada.key })
      const { claim } = expectStatus(await wl.post(`/v1/tasks/${id}/claim`, {}, { key: ada.key }), 200).body.data
      const options = { key: ada.key, headers: { 'worklore-claim': claim.token } }
      const told = await newOf(ada, async () =>
        expectStatus(await wl.post(`/v1/tasks/${id}/release`, {}, options), 200),
      )
      assert.deepEqual([kindsOf(told), told[0]?.by.keyId], [['exhausted'], 'service'])
    }
  })

  it('tells it when fewer attempts are allowed', async () => {
    const { id: projectId } = await createProject(wl, { key: 'FEWER', maxAttempts: 3 })
    const attempt = async (id: string, status = 'todo') => {
      const { claim } = expectStatus(await wl.post(`/v1/tasks/${id}/claim`, {}), 200).body.data
      const headers = { 'worklore-claim': claim.token }
      expectStatus(await wl.post(`/v1/tasks/${id}/release`, { status }, { headers }), 200)
    }
    const twice = await createTask(wl, 'FEWER', { title: 'Twice', assigneeId: ada.id })
    const once = await createTask(wl, 'FEWER', { assigneeId: ada.id })
    const closed = await createTask(wl, 'FEWER', { assigneeId: ada.id })
    const running = await createTask(wl, 'FEWER', { assigneeId: ada.id })
    for (const { id } of [twice, closed, running]) await attempt(id)
    await attempt(twice.id)
    await attempt(once.id)
    await attempt(closed.id, 'done')
    expectStatus(await wl.post(`/v1/tasks/${running.id}/claim`, {}), 200)
    const limit = async (maxAttempts: number) =>
      expectStatus(await wl.patch(`/v1/projects/${projectId}`, { maxAttempts }), 200)
    const told = await newOf(ada, () => limit(2))
    assert.deepEqual(
      told.map(({ kind, taskId, excerpt }) => [kind, taskId, excerpt]),
      [['exhausted', twice.id, 'Not handed out any more after 2 attempts.']],
    )
    assert.deepEqual(
      (await newOf(ada, () => limit(1))).map(({ taskId }) => taskId),
      [once.id],
    )
    assert.deepEqual(await newOf(ada, () => limit(3)), [])
  })

  it('tells it when the last claim ends by a revoked key or expires, whoever notices', async () => {
    const worker = await createKey(wl)
    const { id } = await createTask(wl, 'ACME', { assigneeId: ada.id })
    expectStatus(await wl.post(`/v1/tasks/${id}/claim`, {}, { key: worker.key }), 200)
    const revoked = await newOf(ada, async () => expectStatus(await wl.delete(`/v1/keys/${worker.id}`), 200))
    assert.deepEqual(kindsOf(revoked), ['exhausted'])
    const expiring = await createTask(wl, 'ACME', { assigneeId: ada.id })
    expectStatus(await wl.post(`/v1/tasks/${expiring.id}/claim`, { leaseSeconds: 10 }), 200)
    const expired = await newOf(ada, async () => {
      wl.passTime(11_000)
      expectStatus(await wl.patch(`/v1/tasks/${expiring.id}`, { title: 'Noticed' }, { key: ada.key }), 200)
    })
    assert.deepEqual([kindsOf(expired), expired[0]?.by.keyId], [['exhausted'], 'service'])
    const unnoticed = await createTask(wl, 'ACME', { assigneeId: ada.id })
    expectStatus(await wl.post(`/v1/tasks/${unnoticed.id}/claim`, { leaseSeconds: 10 }), 200)
    wl.passTime(11_000)
    const hasCome = (entries: readonly Entry[]): boolean =>
      entries.some(({ kind, taskId }) => kind === 'exhausted' && taskId === unnoticed.id)
    assert.ok(hasCome(await until(ada.inbox, hasCome)))
  })

  const comment = async (taskId: string, body: string, key = bob.key) =>
    expectStatus(await wl.post(`/v1/tasks/${taskId}/comments`, { body }, { key }), 201).body.data

  it('tells who is mentioned in a comment', async () => {
    const { id } = await createTask(wl, 'ACME', { title: 'Talk' })
    const body = `First line\n\nI think @${ada.handle.toUpperCase()} knows, \`@bob\` does not.`
    const [entry, ...more] = await newOf(ada, () => comment(id, body))
    assert.deepEqual(more, [])
    assert.deepEqual([entry?.kind, entry?.taskId, entry?.title], ['mention', id, 'Talk'])
    assert.equal(entry?.excerpt, 'I think @ADA knows, `@bob` does not.')
    assert.deepEqual(await newOf(ada, () => comment(id, 'me: @ada', ada.key)), [])
    assert.deepEqual(await newOf(ada, () => comment(id, 'ada@example.com, @nobody, `@ada`')), [])
    const released = await newOf(ada, async () => {
      const { id, release } = await claimed({})
      expectStatus(await wl.post(`/v1/tasks/${id}/release`, { status: 'done', comment: 'For @ada' }, release), 200)
    })
    assert.deepEqual(kindsOf(released), ['mention'])
  })

  it('tells of an edit only those who are newly mentioned', async () => {
    const { id } = await createTask(wl, 'ACME')
    const { id: commentId } = await comment(id, 'Hello @ada')
    const edit = async (body: string) =>
      expectStatus(await wl.patch(`/v1/tasks/${id}/comments/${commentId}`, { body }), 200)
    assert.deepEqual(await newOf(ada, () => edit('Hello again @ada, @bob')), [])
    const mentions = (await bob.inbox()).filter(({ taskId }) => taskId === id)
    assert.deepEqual(kindsOf(mentions), ['mention'])
    assert.deepEqual(await newOf(bob, () => edit('Bye')), [])
  })

  it('tells who is mentioned in a description', async () => {
    const created = await newOf(ada, () => createTask(wl, 'ACME', { description: '* ask @ada-' }))
    assert.deepEqual([kindsOf(created), created[0]?.excerpt], [['mention'], '* ask @ada-'])
    const { id } = await createTask(wl, 'ACME', { description: 'None' })
    const edit = async (description: string) => expectStatus(await wl.patch(`/v1/tasks/${id}`, { description }), 200)
    assert.deepEqual(kindsOf(await newOf(ada, () => edit('Now @ada'))), ['mention'])
    assert.deepEqual(await newOf(ada, () => edit('Still @ada, and more')), [])
    assert.deepEqual(
      await newOf(ada, async () => expectStatus(await wl.patch(`/v1/tasks/${id}`, { title: 'x' }), 200)),
      [],
    )
  })

  it('tells who is asked or mentioned in a question, and the asker of the answer', async () => {
    const { id } = await createTask(wl, 'ACME', { title: 'Decide' })
    const ask = async (fields: object) =>
      expectStatus(await wl.post(`/v1/tasks/${id}/questions`, fields, { key: bob.key }), 201).body.data
    const mentioned = await newOf(ada, () => ask({ body: 'Does @ada know?' }))
    assert.deepEqual([kindsOf(mentioned), mentioned[0]?.excerpt], [['mention'], 'Does @ada know?'])
    const asked = await newOf(ada, () => ask({ body: 'Left or right?', to: ada.id }))
    assert.deepEqual([kindsOf(asked), asked[0]?.title], [['question'], 'Decide'])
    const { id: questionId } = (await wl.get('/v1/questions?state=open&to=me', { key: ada.key })).body.data[0]
    const answered = await newOf(bob, async () =>
      expectStatus(await wl.post(`/v1/questions/${questionId}/answer`, { body: 'Left' }, { key: ada.key }), 200),
    )
    assert.deepEqual([kindsOf(answered), answered[0]?.excerpt], [['answer'], 'Left'])
    assert.notEqual((await ada.inbox()).find((entry) => entry.id === asked[0]!.id)?.readAt, null)
  })

  it('tells of a question once who is asked and mentioned in it', async () => {
    const { id } = await createTask(wl, 'ACME')
    const body = 'May I, @ada? Or @bob?'
    const asked = await newOf(ada, async () =>
      expectStatus(await wl.post(`/v1/tasks/${id}/questions`, { body, to: ada.id }), 201),
    )
    assert.deepEqual(kindsOf(asked), ['question'])
    assert.deepEqual(kindsOf((await bob.inbox()).filter(({ taskId }) => taskId === id)), ['mention'])
  })

  it('tells of a question again when its answer is undone, and of the answer no longer', async () => {
    const { id } = await createTask(wl, 'ACME')
    expectStatus(await wl.patch(`/v1/users/${ada.id}`, { role: 'admin' }), 200)
    const admin = await createKey(wl, { scopes: ['admin'], userId: ada.id })
    const question = { body: 'Left, @ada?', to: ada.id }
    const asked = expectStatus(await wl.post(`/v1/tasks/${id}/questions`, question, { key: bob.key }), 201).body.data
    const entries = async ({ inbox }: Person) =>
      (await inbox()).filter(({ taskId }) => taskId === id).map(({ kind, by, readAt }) => [kind, by.keyId, !!readAt])
    const open = [['question', bob.keyId, false]]
    for (const round of [1, 2]) {
      const requestId = `answer-${id}-${round}`
      const headers = { 'x-request-id': requestId }
      const answer = { body: `Left ${round}` }
      expectStatus(await wl.post(`/v1/questions/${asked.id}/answer`, answer, { key: admin.key, headers }), 200)
      assert.deepEqual(await entries(ada), [['question', bob.keyId, true]])
      assert.deepEqual(await entries(bob), [['answer', admin.id, false]])
      // Also where the one who is asked undoes it.
      expectStatus(await wl.post('/v1/undo', { requestId, dryRun: false }, { key: admin.key }), 200)
      assert.deepEqual(await entries(ada), open)
      assert.deepEqual(await entries(bob), [])
    }
  })

  it('tells at most 20 users of a text', async () => {
    const people: Person[] = []
    for (let at = 0; at < 22; at++) people.push(await createPerson(wl, `Many ${at}`))
    const { id } = await createTask(wl, 'ACME')
    const names = people.map(({ handle }) => `@${handle}`)
    const { id: commentId } = await comment(id, `@nobody ${names.join(' ')}`)
    const told = async () => {
      const inboxes = await Promise.all(people.map(({ inbox }) => inbox()))
      return inboxes.map(({ length }) => length)
    }
    const first20 = people.map((_, at) => (at < 20 ? 1 : 0))
    assert.deepEqual(await told(), first20)
    expectStatus(await wl.patch(`/v1/tasks/${id}/comments/${commentId}`, { body: names.toReversed().join(' ') }), 200)
    assert.deepEqual(
      await told(),
      people.map(() => 1),
    )
  })
})
