import assert from 'node:assert/strict'
import { it } from 'node:test'
import { addLink, signIn } from 'worklore-testing/console-session'
import { expectError, expectStatus } from 'worklore-testing/expect'
import { createKey, createProject, createTask, createUser } from 'worklore-testing/factories'
import type { RequestOptions } from 'worklore-testing/harness'
import { describeService } from 'worklore-testing/service-suite'
import { answerQuestion } from '../../src/work/tasks/questions/service.js'

interface Entry {
  kind: string
  user_id: string
  read_at: number | null
  doc: string
}

describeService('answering a question', (wl) => {
  const ask = async (body: object, options?: RequestOptions) =>
    expectStatus(await wl.post('/v1/tasks/WHO-1/questions', { body: 'Which?', ...body }, options), 201).body.data
  const answer = (id: string, options?: RequestOptions) =>
    wl.post(`/v1/questions/${id}/answer`, { body: 'That one' }, options)
  const inbox = (): Promise<Entry[]> =>
    Promise.resolve(
      wl.service.core.db.all<Entry>(
        'select kind, user_id, read_at, doc from inbox_entries where tenant_id = ? order by id',
        [wl.tenantId],
      ),
    )

  it('is for the user who is asked, for any person where none is, and for admins', async () => {
    await createProject(wl, { key: 'WHO' })
    await createTask(wl, 'WHO', { title: 'To decide' })
    const [ada, bot] = [await createUser(wl), await createUser(wl, { name: 'Bot', kind: 'agent' })]
    const keyOf = (userId: string | null) => createKey(wl, userId === null ? {} : { userId })
    const [ofAda, ofBot, ofNobody] = [await keyOf(ada.id), await keyOf(bot.id), await keyOf(null)]
    const bob = await keyOf((await createUser(wl, { name: 'Bob' })).id)

    const toAda = await ask({ to: ada.id })
    for (const other of [ofBot, ofNobody, bob]) {
      const refused = expectError(await answer(toAda.id, other), 'FORBIDDEN')
      assert.equal(refused.reason, 'verifier')
      assert.match(refused.message, new RegExp(`"Ada" \\(${ada.id}\\)`))
    }
    expectStatus(await answer(toAda.id, ofAda), 200)
    expectStatus(await answer((await ask({ to: bot.id })).id, ofBot), 200)

    const open = await ask({})
    for (const agent of [ofBot, ofNobody]) {
      const refused = expectError(await answer(open.id, agent), 'FORBIDDEN')
      assert.equal(refused.reason, 'verifier')
      assert.match(refused.message, /person/)
    }
    expectStatus(await answer(open.id, bob), 200)
    expectStatus(await answer((await ask({ to: ada.id })).id), 200)

    const reader = await createKey(wl, { scopes: ['tasks:read'], userId: ada.id })
    const { id } = await ask({ to: ada.id })
    assert.equal(expectError(await answer(id, reader), 'FORBIDDEN').requiredScope, 'tasks:write')
    expectStatus(await wl.get(`/v1/questions/${id}`, reader), 200)
    expectStatus(await answer(id, ofAda), 200)
  })

  it('is for whoever opened the console by a link, not for a program with the same key, nor through MCP', async () => {
    const { id, key } = await createKey(wl)
    const question = await ask({})
    expectError(await answer(question.id, { key }), 'FORBIDDEN')
    const byKey = await signIn(wl, { key })
    expectError(await byKey.post(`/v1/questions/${question.id}/answer`, { body: 'x' }), 'FORBIDDEN')
    const byLink = await signIn(wl, { link: await addLink(wl, id) })
    expectStatus(await byLink.post(`/v1/questions/${question.id}/answer`, { body: 'x' }), 200)

    const ada = await createUser(wl)
    const { id: keyId } = await createKey(wl, { userId: ada.id })
    for (const to of [{}, { to: ada.id }]) {
      const asked = await ask(to)
      const { db, clock } = wl.service.core
      const actor = { tenantId: wl.tenantId, keyId, keyName: 'Ada', userId: ada.id, scopes: ['tasks:write'] as const }
      const call = {
        ...{ db, clock, actor: { ...actor, projectIds: null, keyExpiresAt: null } },
        origin: { requestId: null, via: 'mcp' as const, address: null, operation: 'test' },
      }
      await assert.rejects(answerQuestion(call, asked.id, { body: 'x' }), { code: 'FORBIDDEN' })
      await answerQuestion({ ...call, origin: { ...call.origin, via: 'http' } }, asked.id, { body: 'x' })
    }
  })

  it('tells the user who is asked and the one who asked, once', async () => {
    const [ada, bob] = [await createUser(wl), await createUser(wl, { name: 'Bob' })]
    const [asker, asked] = [await createKey(wl, { userId: ada.id }), await createKey(wl, { userId: bob.id })]
    const own = async () => (await inbox()).filter(({ user_id }) => user_id === ada.id || user_id === bob.id)
    await ask({ to: ada.id }, asker)
    assert.deepEqual(await own(), [], 'nobody is told of their own question')
    const { id } = await ask({ to: bob.id }, asker)
    const [told] = await own()
    assert.deepEqual([told!.kind, told!.user_id, told!.read_at], ['question', bob.id, null])
    assert.deepEqual([JSON.parse(told!.doc).title, JSON.parse(told!.doc).excerpt], ['To decide', 'Which?'])
    expectStatus(await answer(id, asked), 200)
    const [read, answered, ...more] = await own()
    assert.notEqual(read!.read_at, null, 'what is answered is read')
    assert.deepEqual([answered!.kind, answered!.user_id, more.length], ['answer', ada.id, 0])
    assert.equal(JSON.parse(answered!.doc).excerpt, 'That one')

    await ask({ to: bob.id }, asker)
    expectStatus(await wl.patch('/v1/tasks/WHO-1', { status: 'cancelled' }), 200)
    assert.ok((await own()).every(({ kind, read_at }) => kind !== 'question' || read_at !== null))
    expectStatus(await wl.patch('/v1/tasks/WHO-1', { status: 'todo' }), 200)
  })

  it('counts once, however many answer at once', async () => {
    const { id } = await ask({ options: ['a', 'b'] })
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, at) =>
        wl.post(`/v1/questions/${id}/answer`, { option: 'ab'[at % 2], body: `${at}` }),
      ),
    )
    const won = answers.filter(({ status }) => status === 200)
    assert.equal(won.length, 1)
    for (const lost of answers.filter((each) => each !== won[0])) {
      assert.equal(expectError(lost, 'CONFLICT').reason, 'answered')
    }
    assert.deepEqual((await wl.get(`/v1/questions/${id}`)).body, won[0]!.body)
    const events = (await wl.get('/v1/events?order=desc&types=question.answered')).body.data
    assert.equal(events.filter(({ data }: { data: { id: string } }) => data.id === id).length, 1)
    assert.equal((await wl.get('/v1/tasks/WHO-1')).body.data.openQuestions, 0)
  })

  it('is open to any person once the user who was asked is deleted', async () => {
    const [ada, bob] = [await createUser(wl), await createUser(wl, { name: 'Bob' })]
    const { key } = await createKey(wl, { userId: bob.id })
    await createTask(wl, 'WHO', { title: 'In the trash' })
    const [open, answered, deleted] = [
      await ask({ to: ada.id }),
      await ask({ to: ada.id }),
      expectStatus(await wl.post('/v1/tasks/WHO-2/questions', { body: 'x', to: ada.id }), 201).body.data,
    ]
    expectStatus(await answer(answered.id), 200)
    expectStatus(await wl.delete('/v1/tasks/WHO-2'), 200)
    expectError(await answer(open.id, { key }), 'FORBIDDEN')
    const { nextAfter } = (await wl.get('/v1/events?after=latest')).body.pagination
    expectStatus(await wl.delete(`/v1/users/${ada.id}`), 200)
    const told = (await wl.get(`/v1/events?after=${nextAfter}&types=question.*`)).body.data
    assert.deepEqual(
      told.map(({ type, previous, data }: { type: string; previous: object; data: { id: string } }) => [
        type,
        previous,
        data.id,
      ]),
      [['question.asked', { to: ada.id }, open.id]],
    )
    for (const id of [open.id, answered.id]) assert.equal((await wl.get(`/v1/questions/${id}`)).body.data.to, null)
    expectStatus(await answer(open.id, { key }), 200)
    const [entry] = (await wl.get('/v1/trash?kind=task')).body.data
    expectStatus(await wl.post(`/v1/trash/${entry.id}/restore`, {}), 200)
    assert.equal((await wl.get(`/v1/questions/${deleted.id}`)).body.data.to, null)
    expectStatus(await answer(deleted.id, { key }), 200)
  })
})
