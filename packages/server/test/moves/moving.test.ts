import assert from 'node:assert/strict'
import { it } from 'node:test'
import { expectError, expectInvalid, expectStatus } from 'worklore-testing/expect'
import { createKey, createProject, createTask, createUser } from 'worklore-testing/factories'
import { rowsOf } from 'worklore-testing/harness'
import { describeService } from 'worklore-testing/service-suite'
import { until } from 'worklore-testing/until'

describeService('moving a task', (wl) => {
  // biome-ignore lint/suspicious/noExplicitAny: records of every kind
  type Any = any
  let pairs = 0
  /** Two projects of a test. */
  const twoProjects = async (): Promise<[from: Any, to: Any]> => {
    pairs++
    return [await createProject(wl, { key: `FROM${pairs}` }), await createProject(wl, { key: `TO${pairs}` })]
  }
  const move = (id: string, projectId: string, options = {}) => wl.post(`/v1/tasks/${id}/move`, { projectId }, options)
  const moved = async (id: string, projectId: string, options = {}): Promise<Any> =>
    expectStatus(await move(id, projectId, options), 200).body.data
  const get = async (path: string): Promise<Any> => expectStatus(await wl.get(path), 200).body.data
  const idsIn = async (query: string): Promise<string[]> =>
    (await get(`/v1/tasks?${query}`)).map(({ id }: Any) => id).sort()
  const undo = async (body: object): Promise<Any> =>
    expectStatus(await wl.post('/v1/undo', { dryRun: false, ...body }), 200).body.data

  it('keeps its id, and takes its subtasks, labels, comments and questions along', async () => {
    const [from, to] = await twoProjects()
    const parent = await createTask(wl, from.id)
    const top = await createTask(wl, from.id, { parentId: parent.id, labels: ['moved', 'x'], externalId: 'ext' })
    const child = await createTask(wl, from.id, { parentId: top.id })
    const stays = await createTask(wl, from.id, { labels: ['moved'], blockedBy: [child.id] })
    await wl.post(`/v1/tasks/${top.id}/comments`, { body: 'A comment' })
    await wl.post(`/v1/tasks/${child.id}/questions`, { body: 'Which?' })

    const answer = await moved(top.id, to.key)
    assert.deepEqual(
      [answer.id, answer.projectId, answer.parentId, answer.version, answer.commentCount, answer.children],
      [top.id, to.id, null, 2, 1, { total: 1, open: 1 }],
    )
    const below = await get(`/v1/tasks/${child.id}`)
    assert.deepEqual([below.projectId, below.parentId, below.version], [to.id, top.id, 2])
    assert.deepEqual((await get(`/v1/tasks/${parent.id}`)).children, { total: 0, open: 0 })
    assert.deepEqual((await get(`/v1/tasks/${stays.id}`)).blockedBy, [child.id])
    assert.deepEqual(await idsIn(`projectId=${to.id}`), [top.id, child.id].sort())
    assert.deepEqual(await idsIn(`projectId=${from.id}&label=moved`), [stays.id])
    assert.deepEqual(await idsIn(`projectId=${to.id}&label=moved`), [top.id])
    assert.deepEqual(await idsIn(`projectId=${to.id}&externalId=ext`), [top.id])
    assert.deepEqual(
      (await get(`/v1/questions?projectId=${to.id}`)).map(({ taskId }: Any) => taskId),
      [child.id],
    )
    assert.deepEqual(await get(`/v1/questions?projectId=${from.id}`), [])
    // Both projects go on with their numbers.
    assert.equal((await createTask(wl, from.id)).id, `${from.key}-5`)
    assert.equal((await createTask(wl, to.id)).id, `${to.key}-1`)
    await wl.patch(`/v1/tasks/${top.id}`, { labels: ['x', 'y'], title: 'Changed since' })
    assert.deepEqual(await idsIn(`projectId=${to.id}&label=y`), [top.id])
    assert.deepEqual(await idsIn(`projectId=${to.id}&label=moved`), [])
    assert.deepEqual((await moved(top.id, from.id)).labels, ['x', 'y'])
    assert.deepEqual(await idsIn(`projectId=${from.id}&label=x`), [top.id])
    assert.equal((await get(`/v1/tasks/${child.id}`)).projectId, from.id)
  })

  it('is refused where it makes no sense, and changes nothing then', async () => {
    const [from, to] = await twoProjects()
    const parent = await createTask(wl, from.id)
    const task = await createTask(wl, from.id, { externalId: 'same', parentId: parent.id })
    const other = await createTask(wl, to.id, { externalId: 'same' })
    const path = `/v1/tasks/${task.id}/move`
    expectInvalid(await wl.post(path, {}), 'projectId')
    expectInvalid(await wl.post(path, { projectId: 7 }), 'projectId')
    expectInvalid(await wl.post(path, { projectId: to.id, parentId: null }), 'parentId')
    expectInvalid(await move(task.id, 'NONE'), 'projectId')
    expectInvalid(await move(task.id, 'prj_none'), 'projectId')
    expectError(await move('NONE-1', to.id), 'NOT_FOUND')
    assert.match(expectError(await move(task.id, from.key), 'CONFLICT').message, /already in project/)
    for (const id of [task.id, parent.id]) {
      assert.equal(expectError(await move(id, to.id), 'CONFLICT').existing, other.id)
    }
    const batch = { operations: [{ method: 'POST', path, body: { projectId: to.id } }] }
    expectError(await wl.post('/v1/batch', batch), 'VALIDATION_ERROR')
    assert.deepEqual(await get(`/v1/tasks/${task.id}`), { ...task, children: { total: 0, open: 0 } })
    assert.deepEqual(await idsIn(`projectId=${from.id}`), [parent.id, task.id].sort())
  })

  it('takes 200 tasks and no more', async () => {
    const [from, to] = await twoProjects()
    const top = await createTask(wl, from.id)
    const below = Array.from({ length: 100 }, () => ({
      method: 'POST',
      path: '/v1/tasks',
      body: { projectId: from.id, title: 'Below', parentId: top.id, labels: ['same'] },
    }))
    expectStatus(await wl.post('/v1/batch', { operations: below }), 200)
    expectStatus(await wl.post('/v1/batch', { operations: below }), 200)
    expectInvalid(await move(top.id, to.id), 'taskId')
    assert.equal((await get(`/v1/tasks/counts?projectId=${from.id}`)).total, 201)
    expectStatus(await wl.delete(`/v1/tasks/${from.key}-201`), 200)
    await moved(top.id, to.id)
    assert.equal((await get(`/v1/tasks/counts?projectId=${from.id}`)).total, 0)
    assert.equal((await get(`/v1/tasks/counts?projectId=${to.id}&label=same`)).total, 199)
    // A task of the same number as one that came is told from it on every page.
    const own = below.slice(0, 30).map(({ body, ...rest }) => {
      const { parentId: _, ...fields } = body
      return { ...rest, body: { ...fields, projectId: to.id } }
    })
    expectStatus(await wl.post('/v1/batch', { operations: own }), 200)
    for (const query of ['sort=-priority', 'sort=createdAt', 'label=same', 'sort=dueDate&label=same', 'ready=true']) {
      const seen: string[] = []
      for (let cursor = ''; ; ) {
        const page = expectStatus(await wl.get(`/v1/tasks?projectId=${to.id}&limit=7&${query}${cursor}`), 200).body
        seen.push(...page.data.map(({ id }: Any) => id))
        if (!page.pagination.hasMore) break
        cursor = `&cursor=${page.pagination.nextCursor}`
      }
      const expected = query === 'ready=true' || query.includes('label') ? 229 : 230
      assert.deepEqual([seen.length, new Set(seen).size], [expected, expected], query)
    }
  })

  it('is for keys that may use both projects', async () => {
    const [from, to] = await twoProjects()
    const task = await createTask(wl, from.id, { description: 'Before the move' })
    const limitedTo = async (...projectIds: string[]) => (await createKey(wl, { projectIds })).key
    const [inFrom, inTo, inBoth] = [await limitedTo(from.id), await limitedTo(to.id), await limitedTo(from.id, to.id)]
    expectError(await move(task.id, to.id, { key: inFrom }), 'FORBIDDEN')
    expectError(await move(task.id, to.id, { key: inTo }), 'FORBIDDEN')
    const reader = await createKey(wl, { scopes: ['tasks:read'] })
    expectError(await move(task.id, to.id, { key: reader.key }), 'FORBIDDEN')
    await moved(task.id, to.id, { key: inBoth })

    const paths = ['', '/history', '/comments', '/context', '?version=1', '/basis'].map(
      (end) => `/v1/tasks/${task.id}${end}`,
    )
    for (const path of paths) {
      expectError(await wl.get(path, { key: inFrom }), 'FORBIDDEN')
      expectStatus(await wl.get(path, { key: inTo }), 200)
    }
    expectError(await wl.patch(`/v1/tasks/${task.id}`, { title: 'No' }, { key: inFrom }), 'FORBIDDEN')
    expectStatus(await wl.patch(`/v1/tasks/${task.id}`, { title: 'Yes' }, { key: inTo }), 200)
    assert.ok(!(await wl.get('/v1/tasks', { key: inFrom })).text.includes(task.id))
    const history = expectStatus(await wl.get(`/v1/tasks/${task.id}/history`, { key: inTo }), 200).body.data
    assert.deepEqual(
      history.map(({ type, version }: Any) => [type, version]),
      [
        ['task.updated', 3],
        ['task.moved', 2],
        ['task.created', 1],
      ],
    )
    assert.deepEqual(history[1].changes, { projectId: { from: from.id, to: to.id } })

    const events = async (key: string) =>
      expectStatus(await wl.get('/v1/events?after=0&limit=500&types=task.moved', { key }), 200).body.data
    const [left] = (await events(inFrom)).slice(-1)
    assert.deepEqual([left.projectId, left.data], [from.id, { id: task.id, projectId: to.id, version: 2 }])
    const [came] = (await events(inTo)).slice(-1)
    assert.deepEqual([came.projectId, came.data.id, came.data.title], [to.id, task.id, 'A task'])
    assert.deepEqual(came.previous, { projectId: from.id })
  })

  it('goes on with its claim, whose token it takes', async () => {
    const [from, to] = await twoProjects()
    const resources = ['env:moved', 'src/']
    const task = await createTask(wl, from.id, { resources })
    const waiting = await createTask(wl, from.id, { resources: ['src/a'] })
    const { key } = await createKey(wl)
    const { claim } = expectStatus(await wl.post(`/v1/tasks/${task.id}/claim`, {}, { key }), 200).body.data
    const stranger = await createKey(wl)
    assert.equal(expectError(await move(task.id, to.id, { key: stranger.key }), 'CONFLICT').reason, 'claimed')
    assert.equal(expectError(await move(task.id, to.id, { key }), 'CONFLICT').reason, 'claimed')
    const headers = { 'worklore-claim': claim.token }

    const holder = await createTask(wl, to.id, { resources: ['src/a/b'] })
    expectStatus(await wl.post(`/v1/tasks/${holder.id}/claim`, {}), 200)
    const refused = expectError(await move(task.id, to.id, { key, headers }), 'CONFLICT')
    assert.deepEqual([refused.reason, refused.heldBy.taskId], ['resource', holder.id])
    await wl.patch(`/v1/tasks/${holder.id}`, { status: 'done' })

    assert.deepEqual(await idsIn(`projectId=${from.id}&ready=true`), [])
    const after = await moved(task.id, to.id, { key, headers })
    assert.deepEqual([after.status, after.claim.token], ['in_progress', claim.token])
    assert.deepEqual(
      (await get(`/v1/resources?projectId=${to.id}`)).map(({ resource }: Any) => resource),
      resources,
    )
    assert.deepEqual(await get(`/v1/resources?projectId=${from.id}`), [])
    // What it reserved where it was is free.
    assert.deepEqual(await idsIn(`projectId=${from.id}&ready=true`), [waiting.id])
    expectStatus(await wl.post(`/v1/tasks/${task.id}/release`, { status: 'done' }, { key, headers }), 200)

    const claimed = await createTask(wl, from.id)
    expectStatus(await wl.post(`/v1/tasks/${claimed.id}/claim`, {}, { key }), 200)
    assert.notEqual((await moved(claimed.id, to.id)).claim, null, 'an admin needs no token')
  })

  it('hands the task out in its project', async () => {
    const [from, to] = await twoProjects()
    const parent = await createTask(wl, from.id, { blockedBy: [(await createTask(wl, from.id)).id] })
    const child = await createTask(wl, from.id, { parentId: parent.id })
    assert.deepEqual(await idsIn(`projectId=${to.id}&ready=true`), [])
    // No ancestor of it is blocked any longer.
    await moved(child.id, to.id)
    const next = async (projectId: string) =>
      expectStatus(await wl.post('/v1/tasks/next', { projectId, peek: true }), 200).body.data?.id
    assert.equal(await next(to.id), child.id)
    await moved(child.id, from.id)
    assert.equal(await next(to.id), undefined)
    assert.equal((await wl.post('/v1/tasks/next', { projectId: from.id })).body.data.id, `${from.key}-1`)
    assert.equal((await wl.post('/v1/tasks/next', { projectId: from.id })).body.data.id, child.id)
  })

  it('is undone with its parent, and that again', async () => {
    const [from, to] = await twoProjects()
    const parent = await createTask(wl, from.id)
    const task = await createTask(wl, from.id, { parentId: parent.id })
    const child = await createTask(wl, from.id, { parentId: task.id })
    const agent = await createKey(wl)
    const headers = { 'x-request-id': `move-${task.id}` }
    await moved(task.id, to.id, { key: agent.key, headers })
    await wl.patch(`/v1/tasks/${task.id}`, { title: 'Also this' }, { key: agent.key })
    const taken = { 'x-request-id': `undo-${task.id}` }
    const report = expectStatus(await wl.post('/v1/undo', { keyId: agent.id, dryRun: false }, { headers: taken }), 200)
      .body.data
    assert.deepEqual([report.conflicts, report.undone[0].task, report.undone[0].skipped], [[], task.id, []])
    const back = await get(`/v1/tasks/${task.id}`)
    assert.deepEqual([back.projectId, back.parentId, back.title], [from.id, parent.id, 'A task'])
    const below = await get(`/v1/tasks/${child.id}`)
    assert.deepEqual([below.projectId, below.parentId], [from.id, task.id])
    assert.deepEqual((await get(`/v1/tasks/${parent.id}`)).children, { total: 1, open: 1 })

    await undo({ requestId: taken['x-request-id'] })
    const again = await get(`/v1/tasks/${task.id}`)
    assert.deepEqual([again.projectId, again.parentId, again.title], [to.id, null, 'Also this'])
    assert.equal((await get(`/v1/tasks/${child.id}`)).projectId, to.id)
  })

  it('is undone together with an external id that it got since, also where another task has that now', async () => {
    const [from, to] = await twoProjects()
    const task = await createTask(wl, from.id, { externalId: 'before' })
    const agent = await createKey(wl)
    await moved(task.id, to.id, { key: agent.key })
    await wl.patch(`/v1/tasks/${task.id}`, { externalId: 'since', title: 'Also this' }, { key: agent.key })
    await createTask(wl, from.id, { externalId: 'since' })
    // Of its external ids each is free in one of the two projects only.
    await createTask(wl, to.id, { externalId: 'before' })
    const taken = { 'x-request-id': `undo-${task.id}` }
    const report = expectStatus(await wl.post('/v1/undo', { keyId: agent.id, dryRun: false }, { headers: taken }), 200)
      .body.data
    assert.deepEqual([report.conflicts, report.undone[0].skipped], [[], []])
    assert.deepEqual(report.undone[0].changes.externalId, { from: 'since', to: 'before' })
    const back = await get(`/v1/tasks/${task.id}`)
    assert.deepEqual([back.projectId, back.externalId, back.title], [from.id, 'before', 'A task'])

    assert.deepEqual((await undo({ requestId: taken['x-request-id'] })).conflicts, [])
    const again = await get(`/v1/tasks/${task.id}`)
    assert.deepEqual([again.projectId, again.externalId, again.title], [to.id, 'since', 'Also this'])
  })

  it('is not undone where another task has the external id by now that it has kept', async () => {
    const [from, to] = await twoProjects()
    const task = await createTask(wl, from.id, { externalId: 'kept' })
    const agent = await createKey(wl)
    await moved(task.id, to.id, { key: agent.key })
    await createTask(wl, from.id, { externalId: 'kept' })
    const { undone, conflicts } = await undo({ keyId: agent.id })
    assert.deepEqual([undone, conflicts[0].reason], [[], 'refused'])
    assert.equal((await get(`/v1/tasks/${task.id}`)).externalId, 'kept')
  })

  it('is undone together with resources that it got since, and with the status of its project', async () => {
    const [from, to] = await twoProjects()
    const named = (status: string, category: string) => ({ status, name: status, category })
    const statuses = [named('new', 'todo'), named('doing', 'in_progress'), named('done', 'done')]
    statuses.push(named('review', 'in_review'), named('dropped', 'cancelled'))
    expectStatus(await wl.patch(`/v1/projects/${from.id}`, { statuses }), 200)
    const task = await createTask(wl, from.id, { resources: ['own'] })
    const holder = await createKey(wl)
    expectStatus(await wl.post(`/v1/tasks/${task.id}/claim`, {}, { key: holder.key }), 200)
    const admin = await createKey(wl, { scopes: ['admin'] })
    await moved(task.id, to.id, { key: admin.key })
    const path = `/v1/tasks/${task.id}`
    expectStatus(await wl.patch(path, { resources: ['own', 'shared'] }, { key: admin.key }), 200)
    const other = await createTask(wl, from.id, { resources: ['shared'] })
    expectStatus(await wl.post(`/v1/tasks/${other.id}/claim`, {}), 200)
    const { undone, conflicts } = await undo({ keyId: admin.id })
    assert.deepEqual([conflicts, undone[0].skipped], [[], []])
    const back = await get(path)
    assert.deepEqual(
      [back.projectId, back.status, back.resources, back.claim?.keyId],
      [from.id, 'doing', ['own'], holder.id],
    )
  })

  it('is undone together with its claim, also where another claim reserves its resources now', async () => {
    const [from, to] = await twoProjects()
    const task = await createTask(wl, from.id, { resources: ['shared'] })
    const agent = await createKey(wl)
    await moved(task.id, to.id, { key: agent.key })
    expectStatus(await wl.post(`/v1/tasks/${task.id}/claim`, {}, { key: agent.key }), 200)
    const other = await createTask(wl, from.id, { resources: ['shared'] })
    expectStatus(await wl.post(`/v1/tasks/${other.id}/claim`, {}), 200)
    const { undone, conflicts } = await undo({ keyId: agent.id })
    assert.deepEqual([conflicts, undone[0].skipped], [[], []])
    const back = await get(`/v1/tasks/${task.id}`)
    assert.deepEqual([back.projectId, back.status, back.resources, back.claim], [from.id, 'todo', ['shared'], null])
  })

  it('is told where its project is gone when it is undone', async () => {
    const [from, to] = await twoProjects()
    const task = await createTask(wl, from.id)
    const agent = await createKey(wl)
    await moved(task.id, to.id, { key: agent.key })
    expectStatus(await wl.delete(`/v1/projects/${from.id}`), 200)
    const { undone } = await undo({ keyId: agent.id })
    assert.deepEqual(undone[0]?.skipped, [{ task: task.id, field: 'projectId', value: from.id, reason: 'not found' }])
    assert.equal((await get(`/v1/tasks/${task.id}`)).projectId, to.id)
  })

  it('keeps an old version apart from the project it was in', async () => {
    const [from, to] = await twoProjects()
    const parent = await createTask(wl, from.id)
    const task = await createTask(wl, from.id, { parentId: parent.id, title: 'First' })
    await wl.patch(`/v1/tasks/${task.id}`, { title: 'Second' })
    await moved(task.id, to.id)
    const answer = await wl.post('/v1/history/restore', { task: task.id, version: 1 })
    const restored = await get(`/v1/tasks/${task.id}`)
    assert.deepEqual([restored.title, restored.projectId, restored.parentId], ['First', to.id, null], answer.text)
    assert.equal((await get(`/v1/tasks/${task.id}?version=1`)).projectId, from.id)
  })

  it('goes and comes back with the project that it is in', async () => {
    const [from, to] = await twoProjects()
    const came = await createTask(wl, from.id, { labels: ['came'] })
    const child = await createTask(wl, from.id, { parentId: came.id })
    const left = await createTask(wl, to.id)
    const own = await createTask(wl, to.id, { blockedBy: [child.id] })
    await wl.post(`/v1/tasks/${came.id}/comments`, { body: 'On what came' })
    await wl.post(`/v1/tasks/${left.id}/comments`, { body: 'On what left' })
    await moved(came.id, to.id)
    await moved(left.id, from.id)
    expectError(await wl.delete(`/v1/projects/${to.id}`), 'CONFLICT')
    expectStatus(await wl.delete(`/v1/projects/${to.id}?force=true`), 200)
    for (const { id } of [came, child, own]) expectError(await wl.get(`/v1/tasks/${id}`), 'NOT_FOUND')
    assert.equal((await get(`/v1/tasks/${left.id}`)).projectId, from.id)
    assert.equal((await get(`/v1/tasks/${left.id}/comments`)).length, 1)
    const [entry] = await get('/v1/trash?kind=project&limit=1')
    const { skipped } = expectStatus(await wl.post(`/v1/trash/${entry.id}/restore`, undefined), 200).body.data
    assert.deepEqual(skipped, [])
    assert.deepEqual(await idsIn(`projectId=${to.id}`), [came.id, child.id, own.id].sort())
    const back = await get(`/v1/tasks/${came.id}`)
    assert.deepEqual([back.labels, back.commentCount, back.children], [['came'], 1, { total: 1, open: 1 }])
    assert.equal((await get(`/v1/tasks/${child.id}`)).parentId, came.id)
    assert.deepEqual((await get(`/v1/tasks/${own.id}`)).blockedBy, [child.id])
    assert.deepEqual(await idsIn(`projectId=${to.id}&label=came`), [came.id])
    assert.equal((await createTask(wl, to.id)).id, `${to.key}-3`)
  })

  it('is restored from the trash to the project that it was deleted in', async () => {
    const [from, to] = await twoProjects()
    const task = await createTask(wl, from.id, { labels: ['gone'] })
    const comment = (await wl.post(`/v1/tasks/${task.id}/comments`, { body: 'Deleted' })).body.data
    expectStatus(await wl.delete(`/v1/tasks/${task.id}/comments/${comment.id}`), 200)
    await moved(task.id, to.id)
    const limited = await createKey(wl, { projectIds: [from.id] })
    const [ofComment] = await get('/v1/trash?kind=comment&limit=1')
    assert.equal(ofComment.projectId, to.id)
    expectError(await wl.post(`/v1/trash/${ofComment.id}/restore`, undefined, { key: limited.key }), 'FORBIDDEN')
    expectStatus(await wl.post(`/v1/trash/${ofComment.id}/restore`, undefined), 200)
    assert.equal((await get(`/v1/tasks/${task.id}`)).commentCount, 1)
    const [event] = expectStatus(await wl.get('/v1/events?order=desc&types=comment.restored&limit=1'), 200).body.data
    assert.equal(event.projectId, to.id)

    expectStatus(await wl.delete(`/v1/tasks/${task.id}`), 200)
    const [entry] = await get('/v1/trash?kind=task&limit=1')
    assert.equal(entry.projectId, to.id)
    expectStatus(await wl.post(`/v1/trash/${entry.id}/restore`, undefined), 200)
    const back = await get(`/v1/tasks/${task.id}`)
    assert.deepEqual([back.projectId, back.commentCount], [to.id, 1])
    assert.deepEqual(await idsIn(`projectId=${to.id}&label=gone`), [task.id])
  })

  it('is found by a search of its project, and in the inbox under it', async () => {
    const [from, to] = await twoProjects()
    const user = await createUser(wl, { name: 'Mover' })
    const { key } = await createKey(wl, { userId: user.id })
    const title = `Quixotic${pairs} windmill`
    const task = await createTask(wl, from.id, { title, assigneeId: user.id })
    const found = async (projectId: string): Promise<string[]> =>
      (await get(`/v1/tasks/search?q=Quixotic${pairs}&projectId=${projectId}`)).map(({ id }: Any) => id)
    await until(
      () => found(from.id),
      ({ length }) => length === 1,
    )
    await moved(task.id, to.id)
    await until(
      () => found(to.id),
      ({ length }) => length === 1,
    )
    assert.deepEqual([await found(to.id), await found(from.id)], [[task.id], []])
    const [entry] = expectStatus(await wl.get('/v1/inbox', { key }), 200).body.data
    assert.deepEqual([entry.taskId, entry.projectId], [task.id, to.id])
  })

  it('leaves no trace of the old project in what belongs to the task', async () => {
    const [from, to] = await twoProjects()
    const task = await createTask(wl, from.id, { labels: ['a'], resources: ['env:a'] })
    await wl.post(`/v1/tasks/${task.id}/comments`, { body: 'A comment' })
    await wl.post(`/v1/tasks/${task.id}/questions`, { body: 'Which?' })
    await moved(task.id, to.id)
    for (const table of ['tasks', 'task_labels', 'task_resources', 'ready_tasks', 'comments', 'questions']) {
      const column = table === 'tasks' ? 'id' : 'task_id'
      const rows = await rowsOf<{ project_id: string }>(
        wl,
        `select project_id from ${table} where ${column} = '${task.id}'`,
      )
      assert.deepEqual(
        [...new Set(rows.map(({ project_id }) => project_id))].filter((id) => id !== to.id),
        [],
        table,
      )
    }
  })

  it('is answered once for one Idempotency-Key', async () => {
    const [from, to] = await twoProjects()
    const task = await createTask(wl, from.id)
    const headers = { 'idempotency-key': `move ${task.id}` }
    const first = await moved(task.id, to.id, { headers })
    const again = await move(task.id, to.id, { headers })
    assert.equal(again.headers['idempotency-replayed'], 'true')
    assert.deepEqual(again.body.data, first)
  })
})
