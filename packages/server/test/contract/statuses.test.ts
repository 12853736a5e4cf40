import assert from 'node:assert/strict'
import { it } from 'node:test'
import { expectError, expectInvalid, expectStatus } from 'worklore-testing/expect'
import { createKey, createProject, createTask } from 'worklore-testing/factories'
import { describeService } from 'worklore-testing/service-suite'

const status = (slug: string, category: string, name = slug) => ({ status: slug, name, category })
const own = [
  status('backlog', 'todo', 'Backlog'),
  status('selected', 'todo'),
  status('dev', 'in_progress', 'In development'),
  status('pairing', 'in_progress'),
  status('qa', 'in_review', 'In QA'),
  status('done', 'done'),
  status('shipped', 'done'),
  status('dropped', 'cancelled'),
]
const claimOf = (token: string) => ({ headers: { 'worklore-claim': token } })
// biome-ignore lint/suspicious/noExplicitAny: a task as an answer has it
const shown = (task: any): string => `${task.status} ${task.statusCategory}`

describeService('statuses of a project', (wl) => {
  const get = async (path: string) => expectStatus(await wl.get(path), 200).body.data
  const patch = async (id: string, body: object) => expectStatus(await wl.patch(`/v1/tasks/${id}`, body), 200).body.data
  const define = (key: string, statuses: unknown) => wl.patch(`/v1/projects/${key}`, { statuses })
  const defined = async (key: string, statuses: unknown) => expectStatus(await define(key, statuses), 200).body.data
  const create = async (key: string, fields: object = {}) => createTask(wl, key, { ...fields })
  const idsOf = async (query: string): Promise<string[]> =>
    (await get(`/v1/tasks?sort=createdAt&${query}`)).map(({ id }: { id: string }) => id)
  const newProject = async (key: string, statuses: unknown = own) => {
    await createProject(wl, { key })
    await defined(key, statuses)
  }

  it('are the five built-in ones, until it has its own', async () => {
    const plain = await createProject(wl, { key: 'PLAIN' })
    assert.equal(plain.statuses, null)
    const task = await create('PLAIN', { status: 'in_review' })
    assert.equal(shown(task), 'in_review in_review')
    const made = await wl.post('/v1/projects', { key: 'MADE', name: 'Made', statuses: own })
    assert.deepEqual(expectStatus(made, 201).body.data.statuses, own)
    const changed = await defined('MADE', null)
    assert.deepEqual([changed.statuses, changed.version], [null, 2])
    assert.equal((await defined('MADE', null)).version, 2)
    const history = await get('/v1/history?since=2020-01-01')
    const entry = history.find(({ type }: { type: string }) => type === 'project.updated')
    assert.deepEqual(entry.changes, { statuses: { from: own, to: null } })
  })

  it('are written by their names, and the built-in ones by the category', async () => {
    await newProject('WRITE')
    assert.equal(shown(await create('WRITE')), 'backlog todo')
    assert.equal(shown(await create('WRITE', { status: 'selected' })), 'selected todo')
    assert.equal(shown(await create('WRITE', { status: 'in_review' })), 'qa in_review')
    const task = await create('WRITE', { status: 'shipped' })
    assert.equal(shown(task), 'shipped done')
    assert.equal(shown(await patch(task.id, { status: 'done' })), 'done done')
    assert.equal(shown(await patch(task.id, { status: 'todo' })), 'backlog todo')
    assert.equal(shown(await patch(task.id, { status: 'in_progress' })), 'dev in_progress')
    const same = await patch(task.id, { status: 'in_progress' })
    assert.equal(same.version, 4, 'the same status is no change')
    const [card] = await get(`/v1/tasks/cards?projectId=WRITE&status=dev`)
    assert.equal(shown(card), 'dev in_progress')
    const { changes } = (await get(`/v1/tasks/${task.id}/history`))[0]
    assert.deepEqual(changes, { status: { from: 'backlog', to: 'dev' } })
    assert.equal(shown(await get(`/v1/tasks/${task.id}?version=1`)), 'shipped done')
    const batch = await wl.post('/v1/batch', {
      operations: [
        { method: 'POST', path: '/v1/tasks', body: { projectId: 'WRITE', title: 'One', status: 'pairing' }, as: 'one' },
        { method: 'PATCH', path: '/v1/tasks/@one', body: { status: 'qa' } },
      ],
    })
    const [, second] = expectStatus(batch, 200).body.data
    assert.equal(shown(second.body.data), 'qa in_review')
  })

  it('are filtered by their names, and the built-in ones by the category', async () => {
    await newProject('FILT', [...own, status('checking', 'in_review')])
    await newProject('OTHER', [...own, status('checking', 'in_progress', 'QA'), status('review', 'in_review')])
    const [a, b, c, d] = [
      await create('FILT', { title: 'Filtered', status: 'backlog' }),
      await create('FILT', { title: 'Filtered', status: 'selected' }),
      await create('FILT', { title: 'Filtered', status: 'checking' }),
      await create('FILT', { title: 'Filtered', status: 'done' }),
    ]
    const elsewhere = await create('OTHER', { title: 'Filtered', status: 'checking' })
    assert.deepEqual(await idsOf('projectId=FILT&status=todo'), [a.id, b.id])
    assert.deepEqual(await idsOf('projectId=FILT&status=selected'), [b.id])
    assert.deepEqual(await idsOf('projectId=FILT&status=selected,done'), [b.id, d.id])
    assert.deepEqual(await idsOf('status=checking'), [c.id, elsewhere.id])
    assert.deepEqual(await idsOf('status=checking&projectId=OTHER'), [elsewhere.id])
    assert.deepEqual(await idsOf('status=checking&projectId=FILT,OTHER'), [c.id, elsewhere.id])
    const newest = await get('/v1/tasks?status=checking&sort=-updatedAt&limit=1')
    assert.equal(newest[0].id, elsewhere.id)
    assert.deepEqual(await idsOf('projectId=FILT&status=shipped'), [])
    assert.deepEqual(await idsOf('projectId=FILT&status=selected&ready=true'), [b.id])
    assert.deepEqual(await idsOf('projectId=FILT&status=selected&ready=false'), [])
    assert.deepEqual(await idsOf('projectId=FILT&status=selected,checking&assignee=none'), [b.id, c.id])
    const page = expectStatus(
      await wl.get('/v1/tasks?status=checking,backlog&projectId=FILT&limit=1&sort=createdAt'),
      200,
    )
    const cursor = page.body.pagination.nextCursor
    assert.deepEqual(await idsOf(`status=checking,backlog&projectId=FILT&limit=1&cursor=${cursor}`), [c.id])
    const counts = await get('/v1/tasks/counts?projectId=FILT')
    assert.deepEqual(counts, { todo: 2, in_progress: 0, in_review: 1, done: 1, cancelled: 0, total: 4 })
    assert.equal((await get('/v1/tasks/counts?projectId=FILT&status=selected')).total, 1)
    const found = async (query: string): Promise<string[]> =>
      (await get(`/v1/tasks/search?q=filtered&${query}`)).map(({ id }: { id: string }) => id).sort()
    assert.deepEqual(await found('status=checking'), [c.id, elsewhere.id])
    assert.deepEqual(await found('projectId=FILT&status=todo'), [a.id, b.id])
    assert.deepEqual(await found('projectId=FILT&status=selected,in_review'), [b.id, c.id])
    expectInvalid(await wl.get('/v1/tasks?status=nowhere'), 'status')
    const limited = await createKey(wl, { scopes: ['tasks:read'], projectIds: ['FILT'] })
    expectInvalid(await wl.get('/v1/tasks?status=review', { key: limited.key }), 'status')
  })

  it('follow the rules of their category', async () => {
    await newProject('RULE')
    const [blocker, task] = [await create('RULE'), await create('RULE', { status: 'selected' })]
    await patch(task.id, { blockedBy: [blocker.id] })
    assert.deepEqual(await idsOf('projectId=RULE&ready=true'), [blocker.id])
    assert.equal(shown(await patch(blocker.id, { status: 'shipped' })), 'shipped done')
    assert.equal((await get(`/v1/tasks/${task.id}`)).openBlockers, 0)
    const parent = await create('RULE', { title: 'Parent' })
    const child = await create('RULE', { parentId: parent.id, status: 'dropped' })
    assert.deepEqual((await get(`/v1/tasks/${parent.id}`)).children, { total: 1, open: 0 })
    expectStatus(await wl.post(`/v1/tasks/${child.id}/claim`, {}), 409)
    assert.deepEqual((await idsOf('projectId=RULE&ready=true')).sort(), [task.id, parent.id].sort())
    const checked = await create('RULE', { status: 'qa', checks: [{ text: 'Holds' }] })
    assert.equal(
      expectError(await wl.patch(`/v1/tasks/${checked.id}`, { status: 'shipped' }), 'CONFLICT').reason,
      'checks',
    )
    assert.deepEqual(await idsOf('projectId=RULE&canVerify=true'), [checked.id])
    const context = await get(`/v1/tasks/${task.id}/context`)
    assert.equal(context.blockers[0].status, 'shipped')
  })

  it('go with claims: a claim keeps what is in progress, and a release sets what it names', async () => {
    await newProject('CLAIM')
    const [plain, begun] = [await create('CLAIM'), await create('CLAIM', { status: 'pairing' })]
    const claimed = async (id: string) => expectStatus(await wl.post(`/v1/tasks/${id}/claim`, {}), 200).body.data
    assert.equal(shown(await claimed(plain.id)), 'dev in_progress')
    const held = await claimed(begun.id)
    assert.equal(shown(held), 'pairing in_progress')
    const moved = await wl.patch(`/v1/tasks/${begun.id}`, { status: 'dev' }, claimOf(held.claim.token))
    assert.equal(shown(expectStatus(moved, 200).body.data), 'dev in_progress')
    assert.ok(moved.body.data.claim, 'the claim goes on within the category')
    const release = (body: object) => wl.post(`/v1/tasks/${begun.id}/release`, body, claimOf(held.claim.token))
    expectInvalid(await release({ status: 'pairing' }), 'status')
    expectInvalid(await release({ status: 'in_progress' }), 'status')
    expectInvalid(await release({ status: 'nowhere' }), 'status')
    assert.equal(shown(expectStatus(await release({ status: 'shipped' }), 200).body.data), 'shipped done')
    const again = await claimed((await create('CLAIM', { status: 'selected' })).id)
    const handed = await wl.post(`/v1/tasks/${again.id}/release`, {}, claimOf(again.claim.token))
    assert.equal(shown(expectStatus(handed, 200).body.data), 'backlog todo')
    const next = await wl.post('/v1/tasks/next', { projectId: 'CLAIM' })
    assert.equal(shown(expectStatus(next, 200).body.data), 'dev in_progress')
    const events = expectStatus(await wl.get('/v1/events?order=desc&limit=1'), 200).body.data
    assert.deepEqual(
      [events[0].type, events[0].previous.status, events[0].previous.statusCategory, events[0].data.status],
      ['task.claimed', 'backlog', 'todo', 'dev'],
    )
    const agent = await createKey(wl, { scopes: ['tasks:write'] })
    const lost = await create('CLAIM')
    expectStatus(await wl.post(`/v1/tasks/${lost.id}/claim`, {}, { key: agent.key }), 200)
    expectStatus(await wl.delete(`/v1/keys/${agent.id}`), 200)
    assert.equal(shown(await get(`/v1/tasks/${lost.id}`)), 'backlog todo')
  })

  it('are set by the service to the first of a category, also where another has the built-in name', async () => {
    await newProject('FIRST', [status('inbox', 'todo'), status('todo', 'todo'), ...own.slice(2)])
    const made = await create('FIRST')
    assert.equal(shown(made), 'inbox todo')
    assert.equal(shown(await create('FIRST', { status: 'todo' })), 'todo todo')
    const claimed = expectStatus(await wl.post(`/v1/tasks/${made.id}/claim`, {}), 200).body.data
    const released = await wl.post(`/v1/tasks/${made.id}/release`, {}, claimOf(claimed.claim.token))
    assert.equal(shown(expectStatus(released, 200).body.data), 'inbox todo')
  })

  it('refuse what cannot be meant, and nothing is changed', async () => {
    await createProject(wl, { key: 'BAD' })
    const without = (category: string) => own.filter((one) => one.category !== category)
    for (const category of ['todo', 'in_progress', 'in_review', 'done', 'cancelled']) {
      expectInvalid(await define('BAD', without(category)), 'statuses')
    }
    expectInvalid(await define('BAD', []), 'statuses')
    expectInvalid(await define('BAD', [...own, status('qa', 'in_review')]), 'statuses.8.status')
    expectInvalid(await define('BAD', [...own, status('todo', 'done')]), 'statuses.8.category')
    expectInvalid(await define('BAD', [...own, status('x', 'open')]), 'statuses.8.category')
    for (const slug of ['', 'In QA', 'QA', 'a,b', '-a', 'x'.repeat(33), 'é']) {
      expectInvalid(await define('BAD', [...own, status(slug, 'todo', 'x')]), 'statuses.8.status')
    }
    for (const name of ['', ' ', 'x'.repeat(101)]) {
      expectInvalid(await define('BAD', [...own, { ...status('x', 'todo'), name }]), 'statuses.8.name')
    }
    expectInvalid(await define('BAD', [...own, { ...status('x', 'todo'), colour: 'red' }]), 'statuses.8.colour')
    const many = Array.from({ length: 23 }, (_, at) => status(`s${at}`, 'todo'))
    expectInvalid(await define('BAD', [...own, ...many]), 'statuses')
    expectInvalid(await wl.post('/v1/projects', { key: 'BADNEW', name: 'x', statuses: without('done') }), 'statuses')
    assert.deepEqual([(await get('/v1/projects/BAD')).version, (await get('/v1/projects/BAD')).statuses], [1, null])
    expectStatus(await define('BAD', [...own, ...many.slice(1)]), 200)
    expectInvalid(await wl.post('/v1/tasks', { projectId: 'BAD', title: 'x', status: 'nowhere' }), 'status')
    expectInvalid(await wl.post('/v1/tasks', { projectId: 'BAD', title: ' ', status: 'nowhere' }), 'status', 'title')
    const task = await create('BAD')
    expectInvalid(await wl.patch(`/v1/tasks/${task.id}`, { status: 'nowhere', title: 'y' }), 'status')
    expectInvalid(await wl.patch(`/v1/tasks/${task.id}`, { statusCategory: 'done' }), 'statusCategory')
    assert.equal((await get(`/v1/tasks/${task.id}`)).version, 1)
    assert.equal((await create('BAD')).id, 'BAD-2', 'a refused task takes no number')
    const writer = await createKey(wl, { scopes: ['tasks:write'] })
    expectError(await wl.patch('/v1/projects/BAD', { statuses: null }, { key: writer.key }), 'FORBIDDEN')
  })

  it('stay while tasks have them', async () => {
    await createProject(wl, { key: 'USED' })
    const builtIn = await create('USED', { status: 'in_review' })
    const inUse = async (statuses: unknown) => {
      const error = expectError(await define('USED', statuses), 'CONFLICT')
      assert.equal(error.reason, 'status_in_use')
      return [error.count, error.statuses]
    }
    assert.deepEqual(await inUse(own), [1, ['in_review']])
    await defined('USED', [...own, status('in_review', 'in_review')])
    await patch(builtIn.id, { status: 'qa' })
    await create('USED', { status: 'qa' })
    await create('USED', { status: 'selected' })
    await defined('USED', own)
    const left = own.filter(({ status }) => status !== 'qa' && status !== 'selected')
    assert.deepEqual(await inUse([...left, status('review', 'in_review')]), [3, ['selected', 'qa']])
    const moved = [...left, status('selected', 'todo'), status('qa', 'done'), status('review', 'in_review')]
    assert.deepEqual(await inUse(moved), [2, ['qa']])
    assert.deepEqual(await inUse(null), [3, ['selected', 'qa']])
    assert.deepEqual((await get('/v1/projects/USED')).statuses, own, 'nothing was changed')
    await defined('USED', own.map((one) => ({ ...one, name: `${one.name}!` })).reverse())
    for (const id of await idsOf('projectId=USED')) await patch(id, { status: 'done' })
    assert.equal((await defined('USED', null)).statuses, null)
    assert.equal(shown(await get(`/v1/tasks/${builtIn.id}`)), 'done done')
  })

  it('map what comes back to a status that there is', async () => {
    await newProject('BACK')
    const agent = await createKey(wl, { scopes: ['tasks:write'] })
    const [trashed, held, undone] = [
      await create('BACK', { status: 'qa' }),
      await create('BACK', { status: 'pairing' }),
      await create('BACK', { status: 'selected' }),
    ]
    expectStatus(await wl.post(`/v1/tasks/${held.id}/claim`, {}), 200)
    for (const { id } of [trashed, held]) expectStatus(await wl.delete(`/v1/tasks/${id}`), 200)
    expectStatus(await wl.patch(`/v1/tasks/${undone.id}`, { status: 'dev' }, { key: agent.key }), 200)
    await defined('BACK', [
      status('new', 'todo'),
      status('dev', 'in_progress'),
      status('review', 'in_review'),
      status('qa', 'done'),
      status('dropped', 'cancelled'),
    ])
    for (const entry of await get('/v1/trash?kind=task')) {
      expectStatus(await wl.post(`/v1/trash/${entry.id}/restore`, {}), 200)
    }
    assert.equal(shown(await get(`/v1/tasks/${trashed.id}`)), 'review in_review')
    assert.equal(shown(await get(`/v1/tasks/${held.id}`)), 'new todo')
    expectStatus(await wl.post('/v1/undo', { keyId: agent.id, dryRun: false }), 200)
    assert.equal(shown(await get(`/v1/tasks/${undone.id}`)), 'new todo')
    await patch(undone.id, { status: 'in_progress' })
    const restored = await wl.post('/v1/history/restore', { task: undone.id, version: 1 })
    assert.equal(expectStatus(restored, 200).body.data.status, 'new')
  })

  it('are undone with their project, unless tasks have them, and come back with it', async () => {
    await createProject(wl, { key: 'UNDO' })
    const admin = await createKey(wl, { scopes: ['admin'] })
    expectStatus(await wl.patch('/v1/projects/UNDO', { statuses: own }, { key: admin.key }), 200)
    const task = await create('UNDO', { status: 'qa' })
    const refused = expectStatus(await wl.post('/v1/undo', { keyId: admin.id, dryRun: false }), 200).body.data
    assert.equal(refused.conflicts[0].reason, 'refused')
    await patch(task.id, { status: 'done' })
    const undone = expectStatus(await wl.post('/v1/undo', { keyId: admin.id, dryRun: false }), 200).body.data
    assert.equal(undone.conflicts.length, 0)
    assert.equal((await get('/v1/projects/UNDO')).statuses, null)
    await defined('UNDO', own)
    await patch(task.id, { status: 'qa' })
    expectStatus(await wl.delete('/v1/projects/UNDO?force=true'), 200)
    const [entry] = await get('/v1/trash?kind=project')
    expectStatus(await wl.post(`/v1/trash/${entry.id}/restore`, {}), 200)
    assert.deepEqual((await get('/v1/projects/UNDO')).statuses, own)
    assert.equal(shown(await get(`/v1/tasks/${task.id}`)), 'qa in_review')
  })
})
