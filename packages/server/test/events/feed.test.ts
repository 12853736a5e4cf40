import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { engines } from 'worklore-testing/engines'
import { startService, type TestService } from 'worklore-testing/harness'
import { quietBoundMs } from 'worklore-testing/long-run'
import { trimEvents } from '../../src/subscribers/events/maintenance.js'

for (const engine of engines) {
  describe(`GET /v1/events on ${engine.name}`, () => {
    let wl: TestService
    let acme: string
    before(async () => {
      wl = await startService(engine)
      acme = (await wl.post('/v1/projects', { key: 'ACME', name: 'Acme' })).body.data.id
      await wl.post('/v1/projects', { key: 'OTHER', name: 'Other' })
    })
    after(() => wl.stop())

    const feed = async (query: string, key?: string) => (await wl.get(`/v1/events${query}`, key ? { key } : {})).body
    const typesOf = (body: { data: { type: string }[] }) => body.data.map(({ type }) => type)
    const latest = async (): Promise<number> => (await feed('?after=latest')).pagination.nextAfter
    const createTask = (title: string, projectId = 'ACME') => wl.post('/v1/tasks', { projectId, title })
    const keyWith = async (fields: object): Promise<string> =>
      (await wl.post('/v1/keys', { name: 'reader', ...fields })).body.data.key

    it('tells every change once, in order, with its actor and what was before', async () => {
      const from = await latest()
      const task = (await createTask('one')).body.data
      await wl.patch(`/v1/tasks/${task.id}`, { title: 'two', priority: 'high' })
      await wl.patch(`/v1/tasks/${task.id}`, { title: 'two' })
      await wl.put('/v1/knowledge/a/b', { content: 'text' })
      await wl.put('/v1/knowledge/a/b', { content: 'text' })
      await wl.delete(`/v1/tasks/${task.id}`)
      const user = (await wl.post('/v1/users', { name: 'Ada' })).body.data
      const { data, pagination } = await feed(`?after=${from}`)
      assert.deepEqual(typesOf({ data }), [
        'task.created',
        'task.updated',
        'knowledge.created',
        'task.deleted',
        'user.created',
      ])
      assert.deepEqual(
        data.map(({ sequence }: { sequence: number }) => sequence),
        [1, 2, 3, 4, 5].map((n) => from + n),
      )
      const [created, updated, , , ofUser] = data
      assert.match(created.id, /^evt_/)
      assert.deepEqual(created.data, task)
      assert.equal(created.projectId, acme)
      assert.equal(created.previous, null)
      assert.deepEqual(updated.previous, { title: 'one', priority: 'medium' })
      assert.equal(updated.actor.keyName, 'admin')
      assert.deepEqual(ofUser.data, user)
      assert.equal(ofUser.projectId, null)
      assert.deepEqual(pagination, { limit: 100, hasMore: false, nextAfter: from + 5 })
    })

    it('pages by nextAfter, from the oldest where no place is given', async () => {
      const seen: number[] = []
      let page = await feed('?limit=2')
      for (;;) {
        seen.push(...page.data.map(({ sequence }: { sequence: number }) => sequence))
        if (!page.pagination.hasMore) break
        page = await feed(`?limit=2&after=${page.pagination.nextAfter}`)
      }
      assert.deepEqual(
        seen,
        Array.from({ length: seen.length }, (_, i) => i + 1),
      )
    })

    it('narrows by type and project, and moves on past the rest', async () => {
      const from = await latest()
      await createTask('a')
      await createTask('b', 'OTHER')
      await wl.put('/v1/knowledge/wide', { content: '1' })
      await wl.put('/v1/knowledge/narrow', { content: '1', projectId: 'OTHER' })
      assert.deepEqual(typesOf(await feed(`?after=${from}&types=knowledge.*`)), [
        'knowledge.created',
        'knowledge.created',
      ])
      const other = await feed(`?after=${from}&projectId=OTHER`)
      assert.deepEqual(typesOf(other), ['task.created', 'knowledge.created'])
      const none = await feed(`?after=${from}&types=user.created,key.revoked`)
      assert.deepEqual(none, { data: [], pagination: { limit: 100, hasMore: false, nextAfter: from + 4 } })
    })

    it('shows a key what it may read, and moves on past the rest', async () => {
      const tasksOnly = await keyWith({ scopes: ['tasks:read'] })
      const knowledgeOnly = await keyWith({ scopes: ['knowledge:write'] })
      const limited = await keyWith({ scopes: ['tasks:read', 'knowledge:read'], projectIds: ['ACME'] })
      const from = await latest()
      await createTask('of acme')
      await createTask('of other', 'OTHER')
      await wl.put('/v1/knowledge/for-all', { content: '1' })
      await wl.put('/v1/knowledge/for-other', { content: '1', projectId: 'OTHER' })
      await wl.post('/v1/users', { name: 'Bob' })
      await wl.post('/v1/projects', { key: 'THIRD', name: 'Third' })
      await keyWith({ scopes: ['tasks:read'] })
      const seenBy = async (key: string) => {
        const body = await feed(`?after=${from}`, key)
        assert.equal(body.pagination.nextAfter, from + 7)
        return body.data.map(({ type, data }: { type: string; data: Record<string, string> }) =>
          [type, data.title ?? data.key ?? data.name].join(' '),
        )
      }
      assert.deepEqual(await seenBy(tasksOnly), [
        'task.created of acme',
        'task.created of other',
        'user.created Bob',
        'project.created THIRD',
      ])
      assert.deepEqual(await seenBy(knowledgeOnly), [
        'knowledge.created for-all',
        'knowledge.created for-other',
        'user.created Bob',
        'project.created THIRD',
      ])
      assert.deepEqual(await seenBy(limited), ['task.created of acme', 'knowledge.created for-all', 'user.created Bob'])
      assert.equal((await seenBy(wl.adminKey)).length, 7)
      assert.equal((await wl.get('/v1/events?projectId=OTHER', { key: limited })).status, 403)
      assert.deepEqual((await feed(`?after=${from}&types=key.*,webhook.*`, tasksOnly)).data, [])
    })

    it('waits for the first event that may be seen, and no longer', async () => {
      const key = await keyWith({ scopes: ['tasks:read'] })
      const from = await latest()
      const startedAt = performance.now()
      const waiting = feed(`?after=${from}&wait=20&types=task.*`, key)
      await new Promise((done) => setTimeout(done, 100))
      await wl.put('/v1/knowledge/unseen', { content: '1' })
      await new Promise((done) => setTimeout(done, 100))
      await createTask('seen')
      assert.deepEqual(typesOf(await waiting), ['task.created'])
      assert.ok(performance.now() - startedAt < quietBoundMs(2_000))
      const { data, pagination } = await feed(`?after=latest&wait=1`)
      assert.deepEqual(data, [])
      assert.equal(pagination.hasMore, false)
    })

    it('ends a wait when the key is revoked', async () => {
      const made = (await wl.post('/v1/keys', { name: 'short', scopes: ['tasks:read'] })).body.data
      const waiting = wl.get('/v1/events?after=latest&wait=20', { key: made.key })
      await new Promise((done) => setTimeout(done, 50))
      await wl.delete(`/v1/keys/${made.id}`)
      assert.equal((await waiting).status, 401)
    })

    it('refuses what is not a place in the log', async () => {
      for (const query of [
        'after=-1',
        'after=x',
        'after=99999999',
        'types=task.vanished',
        'wait=31',
        'limit=0',
        'projectId=NO',
      ]) {
        assert.equal((await wl.get(`/v1/events?${query}`)).status, 400, query)
      }
    })

    it('answers 410 with the oldest event left where the place was trimmed', async () => {
      const cut = await latest()
      const cutMs = Date.now() + 1
      await new Promise((done) => setTimeout(done, 5))
      await createTask('after the cut')
      await trimEvents(wl.service.core.db, cutMs)
      const { status, body } = await wl.get('/v1/events?after=0')
      assert.equal(status, 410)
      assert.equal(body.error.code, 'GONE')
      assert.equal(body.error.oldest, cut + 1)
      assert.equal((await wl.get(`/v1/events?after=${cut - 1}`)).status, 410)
      assert.deepEqual(typesOf(await feed(`?after=${cut}`)), ['task.created'])
      assert.deepEqual(typesOf(await feed('')), ['task.created'])
      assert.equal((await wl.get('/v1/events/stream?after=1')).status, 410)
      await trimEvents(wl.service.core.db, Date.now() + 1_000)
      assert.equal((await wl.get(`/v1/events?after=${cut}`)).body.error.oldest, cut + 2)
      assert.deepEqual((await feed('')).data, [])
    })
  })
}
