import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { expectError, expectInvalid, expectStatus } from 'worklore-testing/expect'
import { createProject, createTask, createUser } from 'worklore-testing/factories'
import { describeService } from 'worklore-testing/service-suite'

const utcTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/

describeService('tasks', (wl) => {
  let projectId: string
  let userId: string
  before(async () => {
    projectId = (await createProject(wl, { key: 'ACME' })).id
    userId = (await createUser(wl)).id
  })

  it('gives a new task its id, its defaults, its times and its place', async () => {
    const answer = expectStatus(await wl.post('/v1/tasks', { projectId, title: 'First' }), 201)
    const task = answer.body.data
    assert.equal(task.id, 'ACME-1')
    assert.equal(answer.headers.location, '/v1/tasks/ACME-1')
    assert.equal(answer.headers.etag, '"1"')
    assert.match(task.createdAt, utcTime)
    const { createdAt, createdBy, ...rest } = task
    assert.equal(createdBy.keyName, 'admin')
    assert.deepEqual(rest, {
      id: 'ACME-1',
      projectId,
      title: 'First',
      description: '',
      result: null,
      status: 'todo',
      statusCategory: 'todo',
      priority: 'medium',
      labels: [],
      assignee: null,
      dueDate: null,
      checks: [],
      version: 1,
      updatedAt: createdAt,
      blockedBy: [],
      parentId: null,
      notBefore: null,
      externalId: null,
      metadata: {},
      resources: [],
      attempts: 0,
      claim: null,
      openBlockers: 0,
      children: { total: 0, open: 0 },
      commentCount: 0,
      openQuestions: 0,
      stale: [],
      rank: Date.parse(task.createdAt) * 1_024,
    })
    assert.deepEqual((await wl.get('/v1/tasks/ACME-1')).body, { data: task })
  })

  it('keeps every field that is given, and takes the project by its key', async () => {
    const fields = {
      title: 'Full',
      description: 'Line one\r\nline two 🙂',
      status: 'in_review',
      priority: 'urgent',
      labels: ['b', 'a', '日本'],
      dueDate: '2026-01-31',
    }
    const task = await createTask(wl, 'ACME', { ...fields, assigneeId: userId })
    const { title, description, status, priority, labels, dueDate } = task
    assert.deepEqual({ title, description, status, priority, labels, dueDate }, fields)
    assert.deepEqual(task.assignee, { id: userId, name: 'Ada' })
    assert.equal(task.projectId, projectId)
    assert.deepEqual((await wl.get(`/v1/tasks/${task.id}`)).body.data, task)
  })

  it('trims titles and counts their characters, not their bytes', async () => {
    assert.equal((await createTask(wl, 'ACME', { title: ' \t trimmed \n' })).title, 'trimmed')
    const longest = '🙂'.repeat(500)
    assert.equal((await createTask(wl, 'ACME', { title: ` ${longest} ` })).title, longest)
    expectInvalid(await wl.post('/v1/tasks', { projectId, title: '🙂'.repeat(501) }), 'title')
    for (const title of ['', ' \n ']) expectInvalid(await wl.post('/v1/tasks', { projectId, title }), 'title')
  })

  it('bounds the description by 64 KiB of UTF-8', async () => {
    const longest = 'é'.repeat(32_768)
    assert.equal((await createTask(wl, 'ACME', { description: longest })).description, longest)
    expectInvalid(await wl.post('/v1/tasks', { projectId, title: 'x', description: `${longest}a` }), 'description')
  })

  it('keeps the order of labels, drops repeats and refuses what a filter could not name', async () => {
    assert.deepEqual((await createTask(wl, 'ACME', { labels: ['z', 'a', 'z', 'm', 'a'] })).labels, ['z', 'a', 'm'])
    const fifty = Array.from({ length: 50 }, (_, at) => `${at}`.padStart(64, 'l'))
    assert.deepEqual((await createTask(wl, 'ACME', { labels: fifty })).labels, fifty)
    const refused: [labels: unknown, path: string][] = [
      [[...fifty, 'more'], 'labels'],
      ['bug', 'labels'],
      [['ok', ''], 'labels.1'],
      [['ok', '  '], 'labels.1'],
      [['a,b'], 'labels.0'],
      [['l'.repeat(65)], 'labels.0'],
      [[7], 'labels.0'],
      [null, 'labels'],
    ]
    for (const [labels, path] of refused) {
      expectInvalid(await wl.post('/v1/tasks', { projectId, title: 'x', labels }), path)
    }
  })

  it('takes a due date as a real date or as a timestamp, which it returns in UTC', async () => {
    const taken: Record<string, string> = {
      '2026-01-31': '2026-01-31',
      '2028-02-29': '2028-02-29',
      '2026-01-31T09:00:00Z': '2026-01-31T09:00:00.000Z',
      '2026-01-31T09:00:00.123456Z': '2026-01-31T09:00:00.123Z',
      '2026-01-31T09:00:00+02:00': '2026-01-31T07:00:00.000Z',
      '2026-01-31T23:30-05:00': '2026-02-01T04:30:00.000Z',
    }
    for (const [dueDate, expected] of Object.entries(taken)) {
      assert.equal((await createTask(wl, 'ACME', { dueDate })).dueDate, expected)
    }
    const refused = [
      '2026-02-29',
      '2026-13-01',
      '2026-1-1',
      '31.01.2026',
      'tomorrow',
      '',
      '2026-01-31T09:00:00',
      '2026-02-30T09:00:00Z',
      '2026-01-31T24:00:00Z',
      '2026-01-31T09:60:00Z',
      '9999-12-31T23:59:59-12:00',
      '20260131',
    ]
    for (const dueDate of refused) {
      expectInvalid(await wl.post('/v1/tasks', { projectId, title: dueDate || 'none', dueDate }), 'dueDate')
    }
    expectInvalid(await wl.post('/v1/tasks', { projectId, title: 'x', dueDate: 1769850000 }), 'dueDate')
  })

  it('knows five statuses, any of which may follow any, and four priorities', async () => {
    const { id } = await createTask(wl, 'ACME')
    const statuses = ['todo', 'in_progress', 'in_review', 'done', 'cancelled']
    for (const from of statuses) {
      for (const to of statuses) {
        await wl.patch(`/v1/tasks/${id}`, { status: from })
        assert.equal((await wl.patch(`/v1/tasks/${id}`, { status: to })).body.data.status, to)
      }
    }
    for (const priority of ['low', 'medium', 'high', 'urgent']) {
      assert.equal((await createTask(wl, 'ACME', { priority })).priority, priority)
    }
    for (const status of ['open', 'TODO', '', null, 1]) {
      expectInvalid(await wl.post('/v1/tasks', { projectId, title: 'x', status }), 'status')
    }
    expectInvalid(await wl.post('/v1/tasks', { projectId, title: 'x', priority: 'highest' }), 'priority')
    expectInvalid(await wl.patch(`/v1/tasks/${id}`, { status: 'open', dueDate: 'none' }), 'status', 'dueDate')
  })

  it('reports all schema errors of a body together', async () => {
    expectInvalid(await wl.post('/v1/tasks', {}), 'projectId', 'title')
    const body = { projectId: 7, title: null, priority: 'x', labels: 'x', colour: 'red', parentId: 'ACME-999' }
    expectInvalid(await wl.post('/v1/tasks', body), 'projectId', 'title', 'priority', 'labels', 'colour')
  })

  it('reports all errors of a body that fits the schema together', async () => {
    expectInvalid(await wl.post('/v1/tasks', { projectId, title: ' ', dueDate: 'never' }), 'title', 'dueDate')
    const nowhere = { assigneeId: 'usr_none', parentId: 'ACME-999', blockedBy: ['ACME-998'] }
    const paths = ['assigneeId', 'parentId', 'blockedBy.0']
    expectInvalid(await wl.post('/v1/tasks', { projectId: 'NOPE', title: 'x', ...nowhere }), 'projectId', ...paths)
    expectInvalid(
      await wl.post('/v1/tasks', { projectId: 'NOPE', title: ' ', ...nowhere }),
      'projectId',
      'title',
      ...paths,
    )
    const { id } = await createTask(wl, 'ACME')
    expectInvalid(await wl.patch(`/v1/tasks/${id}`, nowhere), ...paths)
    expectInvalid(
      await wl.patch(`/v1/tasks/${id}`, { ...nowhere, status: 'open', dueDate: 'never' }),
      'status',
      'dueDate',
      ...paths,
    )
    const { assigneeId, ...links } = nowhere
    expectInvalid(await wl.post('/v1/tasks', { projectId, title: 'x', ...links }), 'parentId', 'blockedBy.0')
    expectInvalid(await wl.patch(`/v1/tasks/${id}`, links), 'parentId', 'blockedBy.0')
    expectInvalid(await wl.patch(`/v1/tasks/${id}`, { status: 'open', assigneeId }), 'status', 'assigneeId')
  })

  it('validates the form of a body before it looks up the task, and its references afterwards', async () => {
    const missing = '/v1/tasks/ACME-9999'
    expectInvalid(await wl.patch(missing, { dueDate: 'never' }), 'dueDate')
    expectError(await wl.patch(missing, { assigneeId: 'usr_none' }), 'NOT_FOUND')
    const { id } = await createTask(wl, 'ACME')
    const send = (headers: Record<string, string>) =>
      wl.patch(`/v1/tasks/${id}`, { assigneeId: 'usr_none' }, { headers })
    expectError(await send({ 'if-match': '"9"' }), 'PRECONDITION_FAILED')
    assert.equal(expectError(await send({ 'worklore-claim': `${id}.9` }), 'PRECONDITION_FAILED').reason, 'claim_lost')
    expectInvalid(await send({}), 'assigneeId')
  })

  it('refuses a project or an assignee that does not exist', async () => {
    for (const unknown of ['NOPE', 'prj_00000000000000000000', 'acme']) {
      expectInvalid(await wl.post('/v1/tasks', { projectId: unknown, title: 'x' }), 'projectId')
    }
    for (const assigneeId of ['usr_00000000000000000000', 'Ada', '']) {
      expectInvalid(await wl.post('/v1/tasks', { projectId, title: 'x', assigneeId }), 'assigneeId')
      expectInvalid(await wl.patch('/v1/tasks/ACME-1', { assigneeId }), 'assigneeId')
    }
  })

  it('changes only the fields that are sent', async () => {
    const before = await createTask(wl, 'ACME', { description: 'kept', labels: ['a'], assigneeId: userId })
    wl.passTime(5)
    const { body } = expectStatus(await wl.patch(`/v1/tasks/${before.id}`, { title: ' New ', priority: 'low' }), 200)
    const { updatedAt, ...after } = body.data
    const { updatedAt: earlier, ...expected } = { ...before, title: 'New', priority: 'low', version: 2 }
    assert.deepEqual(after, expected)
    assert.ok(updatedAt > earlier)
    assert.deepEqual((await wl.get(`/v1/tasks/${before.id}`)).body, body)
  })

  it('clears the assignee and the due date with null, and the labels with an empty list', async () => {
    const { id } = await createTask(wl, 'ACME', { assigneeId: userId, dueDate: '2026-01-31', labels: ['a'] })
    const { body } = await wl.patch(`/v1/tasks/${id}`, { assigneeId: null, dueDate: null, labels: [] })
    assert.deepEqual([body.data.assignee, body.data.dueDate, body.data.labels, body.data.version], [null, null, [], 2])
    const back = await wl.patch(`/v1/tasks/${id}`, { assigneeId: userId, dueDate: '2026-02-01' })
    assert.deepEqual([back.body.data.assignee.id, back.body.data.dueDate], [userId, '2026-02-01'])
    for (const field of ['title', 'description', 'status', 'priority', 'labels']) {
      expectInvalid(await wl.patch(`/v1/tasks/${id}`, { [field]: null }), field)
    }
  })

  it('refuses to set what cannot be written', async () => {
    const { id } = await createTask(wl, 'ACME')
    const unwritable = ['id', 'projectId', 'createdAt', 'updatedAt', 'createdBy', 'version', 'assignee', 'number']
    for (const field of unwritable) {
      expectInvalid(await wl.patch(`/v1/tasks/${id}`, { [field]: 'x', title: 'not taken either' }), field)
    }
    assert.equal((await wl.get(`/v1/tasks/${id}`)).body.data.title, 'A task')
    expectInvalid(await wl.post('/v1/tasks', { projectId, title: 'x', id: 'ACME-900' }), 'id')
  })

  it('shows the new name of an assignee who is renamed', async () => {
    const user = await createUser(wl, { name: 'Before' })
    const { id } = await createTask(wl, 'ACME', { assigneeId: user.id })
    await wl.patch(`/v1/users/${user.id}`, { name: 'After' })
    assert.deepEqual((await wl.get(`/v1/tasks/${id}`)).body.data.assignee, { id: user.id, name: 'After' })
  })

  it('deletes a task once', async () => {
    const { id } = await createTask(wl, 'ACME', { labels: ['gone'] })
    const answer = expectStatus(await wl.delete(`/v1/tasks/${id}`), 200)
    assert.deepEqual(answer.body, { data: { id, deleted: true } })
    expectError(await wl.delete(`/v1/tasks/${id}`), 'NOT_FOUND')
    expectError(await wl.get(`/v1/tasks/${id}`), 'NOT_FOUND')
    expectError(await wl.patch(`/v1/tasks/${id}`, { title: 'x' }), 'NOT_FOUND')
    assert.equal((await wl.get('/v1/tasks?label=gone')).body.data.length, 0)
  })

  it('finds no task by an id that is none', async () => {
    for (const id of ['ACME', 'ACME-0', 'ACME-01', 'acme-1', 'ACME-1-1', 'ACME-999999', '%F0%9F%99%82', "'", '%00']) {
      const { status } = await wl.get(`/v1/tasks/${id}`)
      assert.ok(status === 404 || (id === '%00' && status === 400), `${id} → ${status}`)
    }
  })
})
