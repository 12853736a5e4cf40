import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { expectInvalid, expectStatus } from 'worklore-testing/expect'
import { createProject, createTask, createUser } from 'worklore-testing/factories'
import { describeService } from 'worklore-testing/service-suite'

describeService('task filters', (wl) => {
  let project: { id: string }
  let ada: { id: string }
  let ben: { id: string }

  before(async () => {
    project = await createProject(wl, { key: 'AA' })
    await createProject(wl, { key: 'BB' })
    ada = await createUser(wl)
    ben = await createUser(wl, { name: 'Ben' })
    await createTask(wl, 'AA', { status: 'todo', priority: 'low', labels: ['bug', 'ui'], assigneeId: ada.id })
    await createTask(wl, 'AA', { status: 'in_progress', priority: 'high', labels: ['ui'], dueDate: '2026-03-01' })
    await createTask(wl, 'AA', { status: 'done', assigneeId: ben.id, dueDate: '2026-03-02T12:00:00Z' })
    await createTask(wl, 'BB', { status: 'todo', priority: 'urgent', labels: ['100%_done', "o'clock"] })
    await createTask(wl, 'BB', { status: 'cancelled', labels: ['Bug'], dueDate: '2026-03-03' })
  })

  const idsOf = async (query: string): Promise<string[]> => {
    const { body } = expectStatus(await wl.get(`/v1/tasks?sort=createdAt&${query}`), 200)
    assert.equal(body.pagination.total, body.data.length)
    return body.data.map(({ id }: { id: string }) => id).sort()
  }

  it('take one value', async () => {
    assert.deepEqual(await idsOf(''), ['AA-1', 'AA-2', 'AA-3', 'BB-1', 'BB-2'])
    assert.deepEqual(await idsOf('projectId=BB'), ['BB-1', 'BB-2'])
    assert.deepEqual(await idsOf(`projectId=${project.id}`), ['AA-1', 'AA-2', 'AA-3'])
    assert.deepEqual(await idsOf('status=todo'), ['AA-1', 'BB-1'])
    assert.deepEqual(await idsOf('priority=medium'), ['AA-3', 'BB-2'])
    assert.deepEqual(await idsOf(`assignee=${ada.id}`), ['AA-1'])
    assert.deepEqual(await idsOf('label=ui'), ['AA-1', 'AA-2'])
  })

  it('take a comma list that means any of them', async () => {
    assert.deepEqual(await idsOf('status=todo,in_progress'), ['AA-1', 'AA-2', 'BB-1'])
    assert.deepEqual(await idsOf('priority=low,urgent'), ['AA-1', 'BB-1'])
    assert.deepEqual(await idsOf('label=bug,Bug'), ['AA-1', 'BB-2'])
    assert.deepEqual(await idsOf('label=bug,ui'), ['AA-1', 'AA-2'])
    assert.deepEqual(await idsOf(`assignee=${ada.id},${ben.id}`), ['AA-1', 'AA-3'])
    assert.deepEqual(await idsOf(`projectId=${project.id},BB`), await idsOf(''))
    assert.deepEqual(await idsOf(`projectId=${project.id},AA`), ['AA-1', 'AA-2', 'AA-3'])
  })

  it('know tasks of no one', async () => {
    assert.deepEqual(await idsOf('assignee=none'), ['AA-2', 'BB-1', 'BB-2'])
    assert.deepEqual(await idsOf(`assignee=none,${ben.id}`), ['AA-2', 'AA-3', 'BB-1', 'BB-2'])
  })

  it('take labels literally', async () => {
    assert.deepEqual(await idsOf('label=100%25_done'), ['BB-1'])
    assert.deepEqual(await idsOf('label=%25'), [])
    assert.deepEqual(await idsOf('label=o%27clock'), ['BB-1'])
    assert.deepEqual(await idsOf('label=BUG'), [])
  })

  it('compare due dates, and leave out tasks without one', async () => {
    assert.deepEqual(await idsOf('dueBefore=2026-03-02'), ['AA-2'])
    assert.deepEqual(await idsOf('dueBefore=2026-03-03'), ['AA-2', 'AA-3'])
    assert.deepEqual(await idsOf('dueAfter=2026-03-01'), ['AA-3', 'BB-2'])
    assert.deepEqual(await idsOf('dueAfter=2026-03-01T00:00:00Z&dueBefore=2026-03-02T14:00:00%2B01:00'), ['AA-3'])
    assert.deepEqual(await idsOf('dueAfter=2026-03-03'), [])
  })

  it('find what changed after a time', async () => {
    wl.passTime(1_000)
    const since = new Date(Date.parse((await wl.patch('/v1/tasks/AA-1', { title: 'new' })).body.data.updatedAt) - 1)
    assert.deepEqual(await idsOf(`updatedAfter=${since.toISOString()}`), ['AA-1'])
    assert.deepEqual(await idsOf('updatedAfter=2000-01-01'), await idsOf(''))
  })

  it('hold all at once', async () => {
    assert.deepEqual(await idsOf(`projectId=AA&status=todo,done&assignee=${ada.id}&priority=low&label=bug`), ['AA-1'])
    assert.deepEqual(await idsOf('projectId=BB&label=ui'), [])
  })

  it('match nothing for an assignee or a label that no one has', async () => {
    assert.deepEqual(await idsOf('assignee=usr_unknown'), [])
    assert.deepEqual(await idsOf('label=unknown'), [])
  })

  it('refuse what cannot be meant', async () => {
    const refused: [query: string, path: string][] = [
      ['projectId=NOPE', 'projectId'],
      ['projectId=AA,NOPE', 'projectId'],
      ['status=open', 'status'],
      ['status=todo,open', 'status'],
      ['status=', 'status'],
      ['status=todo,', 'status'],
      ['priority=highest', 'priority'],
      ['assignee=', 'assignee'],
      ['label=,', 'label'],
      ['dueBefore=soon', 'dueBefore'],
      ['dueAfter=2026-02-30', 'dueAfter'],
      ['updatedAfter=2026-01-01T00:00:00', 'updatedAfter'],
      ['q=text', 'q'],
      ['Status=todo', 'Status'],
    ]
    for (const [query, path] of refused) expectInvalid(await wl.get(`/v1/tasks?${query}`), path)
    expectInvalid(await wl.get('/v1/tasks?status=open&priority=x&dueBefore=y&limit=0'), 'priority', 'limit')
    expectInvalid(await wl.get('/v1/tasks?status=open&dueBefore=y'), 'status', 'dueBefore')
    expectInvalid(await wl.get('/v1/tasks?projectId=NOPE&dueBefore=y'), 'projectId', 'dueBefore')
    expectInvalid(await wl.get('/v1/tasks?projectId=NOPE&status=open'), 'projectId', 'status')
  })
})
