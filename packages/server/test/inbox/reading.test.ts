import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { signIn } from 'worklore-testing/console-session'
import { engines } from 'worklore-testing/engines'
import { expectError, expectInvalid, expectStatus } from 'worklore-testing/expect'
import { createKey, createProject, createTask, createUser } from 'worklore-testing/factories'
import { startService } from 'worklore-testing/harness'
import { createTestTenant } from 'worklore-testing/operator'
import { describeService } from 'worklore-testing/service-suite'
import { agedInboxEntries } from '../../src/changelog/inbox/maintenance.js'
import { deleteAgedRows } from '../../src/db/aged-rows.js'
import { anyCommit } from '../../src/db/commit-notifier.js'
import { inboxTopic } from '../../src/db/topics.js'
import { createPerson, type Person } from './inbox.js'

describeService('an inbox', (wl) => {
  before(async () => {
    await createProject(wl, { key: 'ACME' })
    await createProject(wl, { key: 'OTHER' })
  })

  const assign = ({ id }: Person, projectId = 'ACME', fields: object = {}) =>
    createTask(wl, projectId, { assigneeId: id, ...fields })

  const read = (person: Person, body: unknown) => wl.post('/v1/inbox/read', body, { key: person.key })

  it('is listed newest first, in pages', async () => {
    const ada = await createPerson(wl, 'Ada')
    const taskIds: string[] = []
    for (let at = 0; at < 7; at++) taskIds.unshift((await assign(ada)).id)
    const seen: string[] = []
    for (let cursor = ''; cursor !== null; ) {
      const page = expectStatus(
        await wl.get(`/v1/inbox?limit=3${cursor && `&cursor=${cursor}`}`, { key: ada.key }),
        200,
      )
      seen.push(...page.body.data.map(({ taskId }: { taskId: string }) => taskId))
      cursor = page.body.pagination.nextCursor
      // What comes meanwhile shifts nothing.
      await assign(ada)
    }
    assert.deepEqual(seen, taskIds)
    const { nextCursor } = (await wl.get('/v1/inbox?limit=3', { key: ada.key })).body.pagination
    expectInvalid(await wl.get(`/v1/inbox?state=all&cursor=${nextCursor}`, { key: ada.key }), 'cursor')
    expectInvalid(
      await wl.get('/v1/inbox?state=read&limit=0&waitSeconds=31&x=1', { key: ada.key }),
      'state',
      'limit',
      'waitSeconds',
      'x',
    )
  })

  it('knows what was read', async () => {
    const ada = await createPerson(wl, 'Ada')
    const bob = await createPerson(wl, 'Bob')
    for (let at = 0; at < 5; at++) await assign(ada)
    await assign(bob)
    const [newest, second, third, fourth, oldest] = await ada.inbox()
    const ids = [newest!.id, newest!.id, (await bob.inbox())[0]!.id, 'inb_none']
    assert.deepEqual(expectStatus(await read(ada, { ids }), 200).body.data, { read: 1 })
    assert.equal((await bob.inbox('state=unread')).length, 1)
    const unread = async () => (await ada.inbox('')).map(({ id }) => id)
    assert.deepEqual(await unread(), [second!.id, third!.id, fourth!.id, oldest!.id])
    assert.deepEqual(expectStatus(await read(ada, { upTo: third!.id }), 200).body.data, { read: 3 })
    assert.deepEqual(await unread(), [second!.id])
    assert.deepEqual(
      (await ada.inbox()).map(({ readAt }) => readAt !== null),
      [true, false, true, true, true],
    )
    assert.deepEqual(expectStatus(await read(ada, { ids: [newest!.id] }), 200).body.data, { read: 0 })
    for (const body of [{}, { ids: [], upTo: newest!.id }, { ids: [newest!.id], upTo: newest!.id }]) {
      expectInvalid(await read(ada, body), 'ids')
    }
    expectInvalid(await read(ada, { upTo: (await bob.inbox())[0]!.id }), 'upTo')
    expectInvalid(await read(ada, { ids: 'x', all: true }), 'ids', 'all')
  })

  it('belongs to a user: a key without one is told how to get one', async () => {
    const { id, key } = await createKey(wl)
    for (const answer of [
      await wl.get('/v1/inbox', { key }),
      await wl.get('/v1/inbox?waitSeconds=30', { key }),
      await wl.post('/v1/inbox/read', { ids: ['inb_x'] }, { key }),
    ]) {
      const { message, hint } = expectError(answer, 'VALIDATION_ERROR')
      assert.match(message, /belongs to no user/)
      assert.ok(hint.includes(`PATCH /v1/keys/${id}`))
    }
    const browser = await signIn(wl, { key })
    assert.deepEqual(expectStatus(await browser.get('/v1/inbox?waitSeconds=30'), 200).body.data, [])
    assert.deepEqual(expectStatus(await browser.post('/v1/inbox/read', { ids: ['inb_x'] }), 200).body.data, { read: 0 })
    const user = await createUser(wl)
    expectStatus(await wl.patch(`/v1/keys/${id}`, { userId: user.id }), 200)
    assert.deepEqual(expectStatus(await wl.get('/v1/inbox', { key }), 200).body.data, [])
  })

  it('shows only what the key may read', async () => {
    const ada = await createPerson(wl, 'Ada')
    await assign(ada, 'ACME')
    const other = await assign(ada, 'OTHER')
    const limited = await createKey(wl, { userId: ada.id, projectIds: ['OTHER'], scopes: ['tasks:read'] })
    const { data } = expectStatus(await wl.get('/v1/inbox', { key: limited.key }), 200).body
    assert.deepEqual(
      data.map(({ taskId }: { taskId: string }) => taskId),
      [other.id],
    )
    // What it does not show it does not mark either.
    const ids = (await ada.inbox()).map(({ id }) => id)
    for (const body of [{ ids }, { upTo: ids[0] }]) {
      expectStatus(await wl.post('/v1/inbox/read', body, { key: limited.key }), 200)
    }
    assert.equal((await ada.inbox()).filter(({ readAt }) => readAt === null).length, 1)
    const knowledge = await createKey(wl, { userId: ada.id, scopes: ['knowledge:read'] })
    assert.deepEqual(expectStatus(await wl.get('/v1/inbox', { key: knowledge.key }), 200).body.data, [])
  })

  it('is out of reach for another tenant', async () => {
    const ada = await createPerson(wl, 'Ada')
    await assign(ada)
    const { adminKey: key } = await createTestTenant(wl)
    const user = await createUser(wl, { role: 'admin' }, { key })
    const own = expectStatus(await wl.post('/v1/keys', { name: 'x', scopes: ['admin'], userId: user.id }, { key }), 201)
    const options = { key: own.body.data.key }
    assert.deepEqual(expectStatus(await wl.get('/v1/inbox?state=all', options), 200).body.data, [])
    const [entry] = await ada.inbox()
    assert.deepEqual((await wl.post('/v1/inbox/read', { ids: [entry!.id] }, options)).body.data, { read: 0 })
    expectInvalid(await wl.post('/v1/inbox/read', { upTo: entry!.id }, options), 'upTo')
  })

  it('hides what is in the trash, and forgets what is purged', async () => {
    const ada = await createPerson(wl, 'Ada')
    const task = await assign(ada)
    const kept = await assign(ada)
    const shown = async () => (await ada.inbox()).map(({ taskId }) => taskId)
    const entryOf = async (kind: string) => (await wl.get(`/v1/trash?kind=${kind}`)).body.data[0].id
    expectStatus(await wl.delete(`/v1/tasks/${task.id}`), 200)
    assert.deepEqual(await shown(), [kept.id])
    expectStatus(await wl.post(`/v1/trash/${await entryOf('task')}/restore`, {}), 200)
    assert.deepEqual(await shown(), [kept.id, task.id])
    expectStatus(await wl.delete(`/v1/tasks/${task.id}`), 200)
    expectStatus(await wl.delete(`/v1/trash/${await entryOf('task')}`), 200)
    assert.deepEqual(await shown(), [kept.id])

    const text = 'unmistakable @ada'.replace('ada', ada.handle)
    const path = `/v1/tasks/${kept.id}/comments`
    const { id } = expectStatus(await wl.post(path, { body: text }), 201).body.data
    assert.equal((await ada.inbox())[0]!.excerpt, text)
    expectStatus(await wl.delete(`${path}/${id}`), 200)
    assert.deepEqual(await shown(), [kept.id])
    expectStatus(await wl.post(`/v1/trash/${await entryOf('comment')}/restore`, {}), 200)
    assert.equal((await ada.inbox())[0]!.excerpt, text)
    expectStatus(await wl.delete(`${path}/${id}`), 200)
    expectStatus(await wl.delete(`/v1/trash/${await entryOf('comment')}`), 200)
    const { db } = wl.service.core
    const rows = await db.all<{ doc: string }>('select doc from inbox_entries where tenant_id = ? and user_id = ?', [
      wl.tenantId,
      ada.id,
    ])
    assert.deepEqual([rows.length, rows.some(({ doc }) => doc.includes('unmistakable'))], [1, false])
  })

  it('hides what is in a deleted project, until that is restored', async () => {
    const ada = await createPerson(wl, 'Ada')
    const project = await createProject(wl, { key: 'GOES' })
    const task = await assign(ada, 'GOES')
    expectStatus(await wl.delete(`/v1/projects/${project.id}?force=true`), 200)
    assert.deepEqual(await ada.inbox(), [])
    const [entry] = (await wl.get('/v1/trash?kind=project')).body.data
    expectStatus(await wl.post(`/v1/trash/${entry.id}/restore`, {}), 200)
    while ((await ada.inbox()).length === 0) await pause(20)
    assert.deepEqual(
      (await ada.inbox()).map(({ taskId }) => taskId),
      [task.id],
    )
  })

  it('goes with its user', async () => {
    const ada = await createPerson(wl, 'Ada')
    await assign(ada)
    expectStatus(await wl.delete(`/v1/users/${ada.id}`), 200)
    const { db } = wl.service.core
    const rows = await db.all('select id from inbox_entries where tenant_id = ? and user_id = ?', [wl.tenantId, ada.id])
    assert.equal(rows.length, 0)
  })

  it('holds the newest 1,000 entries', async () => {
    const ada = await createPerson(wl, 'Ada')
    const operation = { method: 'POST', path: '/v1/tasks', body: { projectId: 'ACME', title: 'x', assigneeId: ada.id } }
    for (let made = 0; made < 1_100; made += 100) {
      expectStatus(await wl.post('/v1/batch', { operations: Array(100).fill(operation) }), 200)
    }
    const last = await assign(ada)
    const entries: { taskId: string }[] = []
    for (let cursor = ''; cursor !== null; ) {
      const { data, pagination } = (
        await wl.get(`/v1/inbox?limit=100${cursor && `&cursor=${cursor}`}`, { key: ada.key })
      ).body
      entries.push(...data)
      cursor = pagination.nextCursor
    }
    assert.equal(entries.length, 1_000)
    assert.equal(entries[0]!.taskId, last.id)
    const { db } = wl.service.core
    const row = await db.get<{ count: number }>(
      'select count(*) as count from inbox_entries where tenant_id = ? and user_id = ?',
      [wl.tenantId, ada.id],
    )
    assert.ok(row!.count < 1_100, `${row!.count} are kept`)
  })

  it('forgets entries after 90 days', async () => {
    const ada = await createPerson(wl, 'Ada')
    await assign(ada)
    const { db, clock } = wl.service.core
    const day = 86_400_000
    await deleteAgedRows(db, agedInboxEntries, wl.tenantId, clock() + 89 * day)
    assert.equal((await ada.inbox()).filter(({ readAt }) => readAt === null).length, 1)
    await deleteAgedRows(db, agedInboxEntries, wl.tenantId, clock() + 91 * day)
    assert.deepEqual(await ada.inbox(), [])
  })

  it('can be waited for', async () => {
    const ada = await createPerson(wl, 'Ada')
    const startedAt = performance.now()
    const empty = expectStatus(await wl.get('/v1/inbox?waitSeconds=1', { key: ada.key }), 200)
    assert.deepEqual(empty.body.data, [])
    assert.ok(performance.now() - startedAt >= 990)
    const waiting = wl.get('/v1/inbox?waitSeconds=30', { key: ada.key })
    await pause(50)
    const task = await assign(ada)
    const { data } = expectStatus(await waiting, 200).body
    assert.deepEqual(
      data.map(({ taskId }: { taskId: string }) => taskId),
      [task.id],
    )
    assert.deepEqual((await wl.get('/v1/inbox?waitSeconds=30', { key: ada.key })).body.data, data)
    expectStatus(await read(ada, { upTo: data[0].id }), 200)
    const revoked = wl.get('/v1/inbox?waitSeconds=30', { key: ada.key })
    await pause(50)
    expectStatus(await wl.delete(`/v1/keys/${ada.keyId}`), 200)
    expectError(await revoked, 'UNAUTHORIZED')
  })

  it('can be followed from an entry on, whatever is unread', async () => {
    const ada = await createPerson(wl, 'Ada')
    const [first, second] = [await assign(ada), await assign(ada)]
    const taskIds = async (query: string) => (await ada.inbox(query)).map(({ taskId }) => taskId)
    const [newest, oldest] = await ada.inbox('')
    assert.deepEqual(await taskIds(`after=${oldest!.id}`), [second.id])
    assert.deepEqual(await taskIds(`after=${newest!.id}`), [])
    const startedAt = performance.now()
    assert.deepEqual(await taskIds(`after=${newest!.id}&waitSeconds=1`), [])
    assert.ok(performance.now() - startedAt >= 990)
    const waiting = taskIds(`after=${newest!.id}&waitSeconds=30`)
    await pause(50)
    const third = await assign(ada)
    assert.deepEqual(await waiting, [third.id])
    const [last] = await ada.inbox('')
    expectStatus(await read(ada, { upTo: last!.id }), 200)
    assert.deepEqual(await taskIds(`after=${oldest!.id}`), [])
    assert.deepEqual(await taskIds(`after=${oldest!.id}&state=all`), [third.id, second.id])

    const page = await wl.get(`/v1/inbox?state=all&after=${oldest!.id}&limit=1`, { key: ada.key })
    const { nextCursor } = page.body.pagination
    const rest = await wl.get(`/v1/inbox?state=all&after=${oldest!.id}&limit=1&cursor=${nextCursor}`, { key: ada.key })
    assert.deepEqual([rest.body.data[0].taskId, rest.body.pagination.hasMore], [second.id, false])
    expectInvalid(await wl.get(`/v1/inbox?state=all&limit=1&cursor=${nextCursor}`, { key: ada.key }), 'cursor')
    expectInvalid(await wl.get('/v1/inbox?after=inb_x', { key: ada.key }), 'after')
    expectInvalid(await wl.get(`/v1/inbox?after=${first.id}`, { key: ada.key }), 'after')

    // An entry that is purged with its task is still a place in the inbox.
    for (const { id } of [second, third]) {
      expectStatus(await wl.delete(`/v1/tasks/${id}`), 200)
      const [entry] = (await wl.get('/v1/trash?kind=task')).body.data
      expectStatus(await wl.delete(`/v1/trash/${entry.id}`), 200)
    }
    const fourth = await assign(ada)
    for (const { id } of [newest!, last!]) assert.deepEqual(await taskIds(`after=${id}&state=all`), [fourth.id])
    assert.deepEqual(await taskIds(`after=${oldest!.id}&state=all`), [fourth.id])
  })

  it('answers 304 until something changes', async () => {
    const ada = await createPerson(wl, 'Ada')
    await assign(ada)
    const first = await wl.get('/v1/inbox', { key: ada.key })
    const known = { key: ada.key, headers: { 'if-none-match': first.headers.etag! } }
    assert.equal((await wl.get('/v1/inbox', known)).status, 304)
    expectStatus(await read(ada, { ids: [first.body.data[0].id] }), 200)
    assert.deepEqual(expectStatus(await wl.get('/v1/inbox', known), 200).body.data, [])
  })
})

describe('an inbox on two nodes', () => {
  it('wakes who waits on the other one', async () => {
    const engine = engines.find(({ name }) => name === 'postgres')!
    const one = await startService(engine)
    const two = await startService(engine, { store: one.store })
    try {
      await createProject(one, { key: 'ACME' })
      const ada = await createPerson(one, 'Ada')
      const told = new Promise<void>((resolve) => {
        two.service.core.db.listen((commits) => {
          if (commits !== anyCommit && commits.has(inboxTopic(ada.id))) resolve()
        })
      })
      const waiting = two.get('/v1/inbox?waitSeconds=30', { key: ada.key })
      await pause(100)
      const task = await createTask(one, 'ACME', { assigneeId: ada.id })
      assert.equal((await waiting).body.data[0].taskId, task.id)
      await told
    } finally {
      await two.stop()
      await one.stop()
    }
  })
})
