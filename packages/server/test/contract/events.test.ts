import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createProject, createTask, createUser, putItem, createKey as requestKey } from 'worklore-testing/factories'
import { rowsOf, type TestService } from 'worklore-testing/harness'
import { describeService } from 'worklore-testing/service-suite'
import { operatorCall } from '../../src/operations/call.js'
import { createKey } from '../../src/tenancy/keys/service.js'

interface EventRow {
  sequence: number
  type: string
  subject: string
  project_id: string
  actor: string
  data: string
  previous: string | null
}

const eventsOf = async (wl: TestService): Promise<EventRow[]> =>
  rowsOf<EventRow>(wl, 'select * from events order by sequence')

/** The events that some work left behind. */
const eventsDuring = async (wl: TestService, work: () => Promise<unknown>): Promise<EventRow[]> => {
  const before = (await eventsOf(wl)).length
  await work()
  return (await eventsOf(wl)).slice(before)
}

const typesOf = (events: EventRow[]): string[] => events.map(({ type }) => type)

describeService('events', (wl) => {
  it('are written for every change, one each, with what was changed by whom', async () => {
    const seen: EventRow[] = []
    const expectOne = async (type: string, subject: string, work: () => Promise<unknown>): Promise<EventRow> => {
      const events = await eventsDuring(wl, work)
      assert.deepEqual(typesOf(events), [type])
      assert.equal(events[0]!.subject, subject)
      assert.equal(JSON.parse(events[0]!.actor).keyName, 'admin')
      seen.push(...events)
      return events[0]!
    }
    const created = await eventsDuring(wl, () => createProject(wl, { key: 'ACME' }))
    assert.deepEqual(typesOf(created), ['project.created'])
    const project = JSON.parse(created[0]!.data)
    const task = '/v1/tasks/ACME-1'
    const made = await expectOne('task.created', 'ACME-1', () => createTask(wl, 'ACME', { title: 'Before' }))
    assert.equal(made.project_id, project.id)
    const changed = await expectOne('task.updated', 'ACME-1', () => wl.patch(task, { title: 'After', labels: [] }))
    assert.deepEqual(JSON.parse(changed.previous!), { title: 'Before' })
    assert.deepEqual(JSON.parse(changed.data), (await wl.get(task)).body.data)
    await expectOne('task.deleted', 'ACME-1', () => wl.delete(task))
    await expectOne('project.updated', project.id, () => wl.patch('/v1/projects/ACME', { name: 'New' }))
    await expectOne('knowledge.created', 'a/b', () => putItem(wl, 'a/b', 'one'))
    const written = await expectOne('knowledge.updated', 'a/b', () => putItem(wl, 'a/b', 'two'))
    assert.deepEqual([JSON.parse(written.data).content, JSON.parse(written.previous!)], ['two', { content: 'one' }])
    await expectOne('knowledge.deleted', 'a/b', () => wl.delete('/v1/knowledge/a/b'))
    const user = await createUser(wl)
    await expectOne('user.updated', user.id, () => wl.patch(`/v1/users/${user.id}`, { name: 'New' }))
    await expectOne('user.deleted', user.id, () => wl.delete(`/v1/users/${user.id}`))
    const key = await requestKey(wl)
    await expectOne('key.updated', key.id, () => wl.patch(`/v1/keys/${key.id}`, { name: 'New' }))
    await expectOne('key.rotated', key.id, () => wl.post(`/v1/keys/${key.id}/rotate`, {}))
    await expectOne('key.revoked', key.id, () => wl.delete(`/v1/keys/${key.id}`))
    await expectOne('project.deleted', project.id, () => wl.delete('/v1/projects/ACME'))
  })

  it('say which request made the change and through which interface it came', async () => {
    const { nextAfter } = (await wl.get('/v1/events?after=latest')).body.pagination
    await wl.post('/v1/users', { name: 'Ada' }, { headers: { 'x-request-id': 'trace-42' } })
    for (const userAgent of ['worklore-cli/9.9.9 node/20', 'curl/8 worklore-cli/1']) {
      const headers = { 'x-request-id': 'trace-43', 'user-agent': userAgent }
      await wl.post('/v1/users', { name: 'Bob' }, { headers })
    }
    await createKey(operatorCall(wl.service.core.db, Date.now, (await wl.get('/v1/me')).body.data.tenant.id), {
      name: 'by hand',
      scopes: ['tasks:read'],
    })
    const { data } = (await wl.get(`/v1/events?after=${nextAfter}`)).body
    assert.deepEqual(
      data.map(({ type, requestId, via }: Record<string, unknown>) => [type, requestId, via]),
      [
        ['user.created', 'trace-42', 'http'],
        ['user.created', 'trace-43', 'cli'],
        ['user.created', 'trace-43', 'http'],
        ['key.created', null, 'cli'],
      ],
    )
  })

  it('are not written where nothing changes or the request fails', async () => {
    await createProject(wl, { key: 'SAME', name: 'Same' })
    await createTask(wl, 'SAME', { title: 'Same' })
    await putItem(wl, 'same', 'same')
    const user = await createUser(wl, { name: 'Same' })
    const key = await requestKey(wl, { name: 'Same' })
    const events = await eventsDuring(wl, async () => {
      await wl.patch('/v1/tasks/SAME-1', { title: ' Same ', labels: [], assigneeId: null, dueDate: null })
      await wl.patch('/v1/tasks/SAME-1', {})
      await wl.patch('/v1/projects/SAME', { name: 'Same' })
      await putItem(wl, 'same', 'same')
      await wl.patch(`/v1/users/${user.id}`, { name: 'Same', email: null })
      await wl.patch(`/v1/keys/${key.id}`, { name: 'Same' })
      await wl.patch('/v1/tasks/SAME-1', { status: 'wrong' })
      await wl.patch('/v1/tasks/SAME-1', { title: 'x' }, { headers: { 'if-match': '"9"' } })
      await wl.post('/v1/tasks', { projectId: 'SAME', title: 'x', assigneeId: 'usr_none' })
      await wl.delete('/v1/projects/SAME')
      await wl.post('/v1/projects', { key: 'SAME', name: 'x' })
      await wl.get('/v1/tasks')
    })
    assert.deepEqual(typesOf(events), [])
  })

  it('are one for a project that is deleted by force with all it holds', async () => {
    await createProject(wl, { key: 'FORCE' })
    for (let at = 0; at < 3; at++) await createTask(wl, 'FORCE')
    await putItem(wl, 'inside', 'x', { projectId: 'FORCE' })
    const events = await eventsDuring(wl, () => wl.delete('/v1/projects/FORCE?force=true'))
    assert.deepEqual(typesOf(events), ['project.deleted'])
  })

  it('tell of every task and key that a deleted user leaves', async () => {
    await createProject(wl, { key: 'LEFT' })
    const user = await createUser(wl)
    for (let at = 0; at < 2; at++) await createTask(wl, 'LEFT', { assigneeId: user.id })
    await requestKey(wl, { userId: user.id })
    const events = await eventsDuring(wl, () => wl.delete(`/v1/users/${user.id}`))
    assert.deepEqual(typesOf(events), ['task.updated', 'task.updated', 'key.revoked', 'user.deleted'])
  })

  it('are one for a request that is sent many times with one Idempotency-Key', async () => {
    await createProject(wl, { key: 'ONCE' })
    const headers = { 'idempotency-key': 'once' }
    const events = await eventsDuring(wl, () =>
      Promise.all(
        Array.from({ length: 20 }, () => wl.post('/v1/tasks', { projectId: 'ONCE', title: 'x' }, { headers })),
      ),
    )
    assert.deepEqual(typesOf(events), ['task.created'])
  })

  it('have rising sequences without a gap, whatever arrives at once', async () => {
    await createProject(wl, { key: 'RUSH' })
    await Promise.all(
      Array.from({ length: 60 }, (_, at) => {
        if (at % 3 === 0) return wl.post('/v1/tasks', { projectId: 'RUSH', title: 'x', assigneeId: 'usr_none' })
        return at % 3 === 1 ? createTask(wl, 'RUSH') : putItem(wl, `rush/${at % 7}`, `${at}`)
      }),
    )
    const events = await eventsOf(wl)
    assert.deepEqual(
      events.map(({ sequence }) => sequence),
      events.map((_, at) => at + 1),
    )
  })

  it('never hold a secret', async () => {
    const { key } = await requestKey(wl)
    assert.ok(!JSON.stringify(await eventsOf(wl)).includes(key.slice(12)))
  })
})
