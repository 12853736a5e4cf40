import assert from 'node:assert/strict'
import { it } from 'node:test'
import { expectError, expectInvalid, expectStatus } from 'worklore-testing/expect'
import { createKey, createProject, createTask, putItem } from 'worklore-testing/factories'
import { addTenant } from 'worklore-testing/operator'
import { describeService } from 'worklore-testing/service-suite'
import { until } from 'worklore-testing/until'

const scopes = ['tasks:write', 'knowledge:write']

describeService('undo', (wl) => {
  const undo = async (body: object) => {
    const answer = await wl.post('/v1/undo', body)
    expectStatus(answer, 200)
    return answer.body.data
  }
  const get = async (path: string) => (await wl.get(path)).body.data
  // biome-ignore lint/suspicious/noExplicitAny: records of every kind
  const names = (records: any[]) =>
    records.map(({ task, comment, knowledge, project, action }) => [comment ?? task ?? knowledge ?? project, action])

  it('takes back what a key did, and nothing of others', async () => {
    await createProject(wl, { key: 'UNDO' })
    const agent = await createKey(wl, { scopes })
    const other = await createKey(wl, { scopes })
    const [kept, shared, gone] = [
      await createTask(wl, 'UNDO'),
      await createTask(wl, 'UNDO'),
      await createTask(wl, 'UNDO'),
    ]
    await putItem(wl, 'undo/item', 'Before')
    await putItem(wl, 'undo/moved', 'Moved')
    const { key } = agent
    await wl.patch(`/v1/tasks/${kept.id}`, { title: 'Spoilt', labels: ['x'], status: 'done' }, { key })
    await wl.patch(`/v1/tasks/${kept.id}`, { description: 'Spoilt too' }, { key })
    await wl.patch(`/v1/tasks/${shared.id}`, { title: 'Spoilt' }, { key })
    await wl.patch(`/v1/tasks/${shared.id}`, { priority: 'urgent' }, { key: other.key })
    expectStatus(await wl.delete(`/v1/tasks/${gone.id}`, { key }), 200)
    const made = await createTask(wl, 'UNDO', { title: 'Made' }, { key })
    const comment = (await wl.post(`/v1/tasks/${kept.id}/comments`, { body: 'Spam' }, { key })).body.data
    await putItem(wl, 'undo/item', 'Spoilt', {}, { key })
    await wl.post('/v1/knowledge/move', { from: 'undo/moved', to: 'undo/elsewhere' }, { key })
    await putItem(wl, 'undo/elsewhere', 'Spoilt', {}, { key })
    const { nextAfter } = (await wl.get('/v1/events?after=latest')).body.pagination

    const planned = await undo({ keyId: agent.id })
    assert.equal(planned.dryRun, true)
    assert.equal((await get(`/v1/tasks/${kept.id}`)).title, 'Spoilt', 'a dry run changes nothing')
    assert.equal((await wl.get('/v1/events?after=latest')).body.pagination.nextAfter, nextAfter)
    const requestId = 'the-undo'
    const report = (
      await wl.post('/v1/undo', { keyId: agent.id, dryRun: false }, { headers: { 'x-request-id': requestId } })
    ).body.data
    assert.deepEqual({ ...report, dryRun: true }, planned)
    assert.deepEqual(names(report.undone), [
      ['undo/elsewhere', 'moved'],
      ['undo/item', 'reverted'],
      [comment.id, 'deleted'],
      [made.id, 'deleted'],
      [gone.id, 'restored'],
      [kept.id, 'reverted'],
    ])
    const told = ({ title, changes }: { title: string | null; changes: object }) => [title, changes]
    assert.deepEqual(report.undone.map(told), [
      [
        null,
        {
          content: { from: 'Spoilt', to: 'Moved' },
          key: { from: 'undo/elsewhere', to: 'undo/moved' },
        },
      ],
      [null, { content: { from: 'Spoilt', to: 'Before' } }],
      ['Spoilt', {}],
      ['Made', {}],
      ['A task', {}],
      [
        'A task',
        {
          title: { from: 'Spoilt', to: 'A task' },
          description: { from: 'Spoilt too', to: '' },
          status: { from: 'done', to: 'todo' },
          labels: { from: ['x'], to: [] },
        },
      ],
    ])
    assert.deepEqual(names(report.conflicts), [[shared.id, undefined]])
    assert.equal(report.conflicts[0].title, 'Spoilt')
    const [conflict] = report.conflicts
    assert.deepEqual(conflict.change.changes, { title: { from: 'A task', to: 'Spoilt' } })
    assert.deepEqual(conflict.laterChange.changes, { priority: { from: 'medium', to: 'urgent' } })
    assert.deepEqual([conflict.change.actor.keyId, conflict.laterChange.actor.keyId], [agent.id, other.id])

    const { title, labels, status, description } = await get(`/v1/tasks/${kept.id}`)
    assert.deepEqual([title, labels, status, description], ['A task', [], 'todo', ''])
    assert.equal((await get('/v1/knowledge/undo/item')).content, 'Before')
    assert.equal((await get('/v1/knowledge/undo/moved')).content, 'Moved')
    expectError(await wl.get('/v1/knowledge/undo/elsewhere'), 'NOT_FOUND')
    expectError(await wl.get(`/v1/tasks/${made.id}`), 'NOT_FOUND')
    assert.equal((await get(`/v1/tasks/${gone.id}`)).title, 'A task')
    const events = (await wl.get(`/v1/events?after=${nextAfter}`)).body.data
    assert.ok(events.length >= 6 && events.every(({ undoes }: { undoes?: string }) => undoes?.startsWith('evt_')))

    const again = await undo({ keyId: agent.id, dryRun: false })
    assert.deepEqual([again.undone, again.conflicts.length], [[], 1])
    const forced = await undo({ keyId: agent.id, dryRun: false, includeConflicts: true })
    assert.deepEqual(names(forced.undone), [[shared.id, 'reverted']])
    const { priority } = await get(`/v1/tasks/${shared.id}`)
    assert.equal(priority, 'medium')

    const undone = await undo({ requestId, dryRun: false })
    assert.deepEqual(undone.conflicts, [])
    assert.equal((await get(`/v1/tasks/${kept.id}`)).title, 'Spoilt')
    assert.equal((await get('/v1/knowledge/undo/elsewhere')).content, 'Spoilt')
    assert.equal((await get(`/v1/tasks/${made.id}`)).title, 'Made')
    expectError(await wl.get(`/v1/tasks/${gone.id}`), 'NOT_FOUND')
    const actions = (await wl.get('/v1/audit?action=undo.*')).body.data
    assert.equal(actions.length, 4)
  })

  it('takes back what was done under a claim, and leaves the end of a lease to the service', async () => {
    await createProject(wl, { key: 'LEASE' })
    const task = await createTask(wl, 'LEASE')
    const { key } = await createKey(wl, { scopes })
    const { claim } = (await wl.post(`/v1/tasks/${task.id}/claim`, { leaseSeconds: 10 }, { key })).body.data
    const headers = { 'worklore-claim': claim.token }
    await putItem(wl, 'lease', 'Learned', {}, { key, headers })
    await wl.patch(`/v1/tasks/${task.id}`, { title: 'Changed' }, { key, headers })
    wl.passTime(3_600_000)
    await wl.patch(`/v1/tasks/${task.id}`, { title: 'Changed' })
    assert.equal((await get(`/v1/tasks/${task.id}`)).status, 'todo')
    const report = await undo({ claim: claim.token, dryRun: false })
    assert.deepEqual(names(report.undone), [
      [task.id, 'reverted'],
      ['lease', 'deleted'],
    ])
    const { title, attempts } = await get(`/v1/tasks/${task.id}`)
    assert.deepEqual([title, attempts], ['A task', 0])
  })

  it('has a task handed out again whose claim is over, and leaves one in progress that nobody had claimed', async () => {
    const named = (status: string, category: string) => ({ status, name: status, category })
    const statuses = [
      named('new', 'todo'),
      named('todo', 'todo'),
      named('doing', 'in_progress'),
      named('review', 'in_review'),
      named('done', 'done'),
      named('dropped', 'cancelled'),
    ]
    await createProject(wl, { key: 'HELD', statuses })
    const admin = await createKey(wl, { scopes: ['admin'] })
    const worker = await createKey(wl, { scopes })
    const ids: string[] = []
    for (let at = 0; at < 8; at++) ids.push((await createTask(wl, 'HELD')).id)
    const [updated, deleted, released, edited, kept, takenOver, byHand, restored] = ids as [string, ...string[]]
    const claimOf = async (id = '', lease = {}) =>
      expectStatus(await wl.post(`/v1/tasks/${id}/claim`, lease, worker), 200).body.data.claim
    for (const id of [updated, deleted, released, kept, takenOver, restored])
      await claimOf(id, { leaseSeconds: 86_400 })
    await claimOf(edited, { leaseSeconds: 10 })
    expectStatus(await wl.patch(`/v1/tasks/${byHand}`, { status: 'doing' }), 200)

    const patch = async (id = '', body = {}) => expectStatus(await wl.patch(`/v1/tasks/${id}`, body, admin), 200)
    await patch(updated, { status: 'review', title: 'Spoilt' })
    await patch(deleted, { title: 'Spoilt' })
    expectStatus(await wl.delete(`/v1/tasks/${deleted}`, admin), 200)
    await patch(released, { status: 'todo', labels: ['spoilt'] })
    await patch(edited, { title: 'Spoilt' })
    await patch(kept, { title: 'Spoilt' })
    expectStatus(await wl.post(`/v1/tasks/${takenOver}/claim`, { takeover: true }, admin), 200)
    await patch(byHand, { status: 'done' })
    // The lease of one task is over by now, which nobody has noticed.
    wl.passTime(60_000)
    const report = await undo({ keyId: admin.id, dryRun: false })
    assert.deepEqual(report.conflicts, [])
    assert.equal(report.undone.length, 7)
    const stateOf = async (id = '') => {
      const { status, claim, title } = await get(`/v1/tasks/${id}`)
      return [status, claim?.keyId ?? null, title]
    }
    for (const id of [updated, deleted, released, edited, takenOver]) {
      assert.deepEqual([id, ...(await stateOf(id))], [id, 'new', null, 'A task'])
    }
    assert.deepEqual(await stateOf(kept), ['doing', worker.id, 'A task'])
    assert.deepEqual(await stateOf(byHand), ['doing', null, 'A task'])

    // So does a version that is restored, unless the task is claimed now.
    const restore = async (id = '', version = 2) =>
      expectStatus(await wl.post('/v1/history/restore', { task: id, version }), 200).body.data
    await patch(restored, { status: 'done', title: 'Spoilt' })
    assert.deepEqual([(await restore(restored)).status, (await stateOf(restored))[2]], ['new', 'A task'])
    const { token } = await claimOf(restored)
    await patch(restored, { title: 'Spoilt' })
    const again = await restore(restored)
    assert.deepEqual([again.status, again.title, again.claim.token], ['doing', 'A task', token])
    assert.equal((await restore(byHand)).status, 'doing')
    const ready = (await get('/v1/tasks?projectId=HELD&ready=true')).map(({ id }: { id: string }) => id)
    assert.deepEqual(ready.sort(), [updated, deleted, released, edited, takenOver].sort())
  })

  it('loses nothing that others write meanwhile', async () => {
    await createProject(wl, { key: 'BESIDE' })
    const agent = await createKey(wl, { scopes })
    const other = await createKey(wl, { scopes })
    const ids: string[] = []
    for (let at = 0; at < 20; at++) ids.push((await createTask(wl, 'BESIDE')).id)
    for (const id of ids) await wl.patch(`/v1/tasks/${id}`, { title: 'Spoilt' }, { key: agent.key })
    const planned = await undo({ keyId: agent.id })
    assert.equal(planned.undone.length, 20)
    const change = (id: string) => wl.patch(`/v1/tasks/${id}`, { priority: 'urgent' }, { key: other.key })
    await change(ids[0]!)
    const [report] = await Promise.all([undo({ keyId: agent.id, dryRun: false }), ...ids.slice(1).map(change)])
    const conflicts = report.conflicts.map(({ task }: { task: string }) => task)
    assert.ok(conflicts.includes(ids[0]), 'what changed since the dry run is a conflict')
    assert.equal(conflicts.length + report.undone.length, 20)
    for (const id of ids) {
      const { title, priority } = await get(`/v1/tasks/${id}`)
      assert.deepEqual([id, title, priority], [id, conflicts.includes(id) ? 'Spoilt' : 'A task', 'urgent'])
    }
  })

  it('goes on page by page', async () => {
    await createProject(wl, { key: 'MANY' })
    const agent = await createKey(wl, { scopes })
    for (let at = 0; at < 3; at++) {
      const operations = Array.from({ length: 50 }, () => ({
        method: 'POST',
        path: '/v1/tasks',
        body: { projectId: 'MANY', title: 'Junk' },
      }))
      expectStatus(await wl.post('/v1/batch', { operations }, { key: agent.key }), 200)
    }
    let count = 0
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await undo({ keyId: agent.id, dryRun: false, ...(cursor && { cursor }) })
      assert.ok(page.undone.length <= 200)
      count += page.undone.length
      cursor = page.nextCursor
    }
    assert.equal(count, 150)
    assert.equal((await wl.get('/v1/tasks?projectId=MANY')).body.pagination.total, 0)
  })

  it('restores a project that was deleted, and removes one that was created', async () => {
    const admin = await createKey(wl, { scopes: ['admin'] })
    const { key } = admin
    await createProject(wl, { key: 'LOST' })
    await createTask(wl, 'LOST')
    expectStatus(await wl.delete('/v1/projects/LOST?force=true', { key }), 200)
    await createProject(wl, { key: 'MADE' }, { key })
    await createTask(wl, 'MADE', {}, { key })
    const report = await undo({ keyId: admin.id, dryRun: false })
    assert.deepEqual(
      report.undone.map(({ action }: { action: string }) => action),
      ['deleted', 'deleted', 'restored'],
    )
    const restored = await until(
      () => wl.get('/v1/tasks/LOST-1'),
      ({ status }) => status === 200,
    )
    expectStatus(restored, 200)
    expectError(await wl.get('/v1/projects/MADE'), 'NOT_FOUND')
  })

  it('refuses what is unclear', async () => {
    const agent = await createKey(wl, { scopes })
    const other = await createKey(wl, { scopes })
    const headers = { 'x-request-id': 'shared-request' }
    await putItem(wl, 'shared/a', 'a', {}, { key: agent.key, headers })
    await putItem(wl, 'shared/b', 'b', {}, { key: other.key, headers })
    const several = expectError(await wl.post('/v1/undo', { requestId: 'shared-request' }), 'CONFLICT')
    assert.deepEqual(several.keyIds.toSorted(), [agent.id, other.id].toSorted())
    const one = await undo({ requestId: 'shared-request', keyId: agent.id })
    assert.deepEqual(names(one.undone), [['shared/a', 'deleted']])
    expectInvalid(await wl.post('/v1/undo', {}), 'keyId')
    expectInvalid(await wl.post('/v1/undo', { keyId: agent.id, claim: 'ACME-1.1' }), 'keyId')
    expectInvalid(await wl.post('/v1/undo', { keyId: agent.id, since: '2999-01-01' }), 'since')
    expectInvalid(await wl.post('/v1/undo', { keyId: agent.id, cursor: 'x' }), 'cursor')
    expectError(await wl.post('/v1/undo', { keyId: agent.id }, { key: other.key }), 'FORBIDDEN')
    const stranger = await addTenant(wl)
    expectError(await wl.post('/v1/undo', { keyId: agent.id }, { key: stranger }), 'NOT_FOUND')
    assert.equal((await get('/v1/knowledge/shared/a')).content, 'a')
  })
})
