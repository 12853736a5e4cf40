import assert from 'node:assert/strict'
import { it } from 'node:test'
import { expectError, expectInvalid, expectStatus } from 'worklore-testing/expect'
import { createKey, createProject, createTask, createUser, putItem } from 'worklore-testing/factories'
import type { RequestOptions } from 'worklore-testing/harness'
import { addTenant } from 'worklore-testing/operator'
import { describeTenant } from 'worklore-testing/service-suite'
import { until } from 'worklore-testing/until'

describeTenant('history', (wl) => {
  const history = async (query: string, options?: RequestOptions) => {
    const answer = await wl.get(`/v1/history?${query}`, options)
    expectStatus(answer, 200)
    return answer.body.data
  }
  const versionOf = ({
    claim,
    openBlockers,
    children,
    commentCount,
    openQuestions,
    stale,
    rank,
    ...version
  }: Record<string, unknown>) => version

  it('shows who changed what of a task, newest first, and every version as it was', async () => {
    const user = await createUser(wl, { name: 'Grace' })
    await createProject(wl, { key: 'HIST' })
    const versions = [await createTask(wl, 'HIST', { title: 'One', labels: ['a'], assigneeId: user.id })]
    const { key, id: keyId } = await createKey(wl, { name: 'other' })
    const patch = async (body: object, requestId: string) => {
      const answer = await wl.patch('/v1/tasks/HIST-1', body, { key, headers: { 'x-request-id': requestId } })
      expectStatus(answer, 200)
      versions.push(answer.body.data)
    }
    await patch({ title: 'Two', metadata: { branch: 'ä"\\' } }, 'request-2')
    const lines = Array.from({ length: 100 }, (_, at) => `line ${at + 1}`)
    await patch({ description: lines.join('\n') }, 'request-3')
    await patch({ description: lines.with(50, 'other').join('\n'), assigneeId: null }, 'request-4')
    const { data, pagination } = (await wl.get('/v1/tasks/HIST-1/history')).body
    assert.deepEqual(
      data.map((entry: { type: string; version: number; task: string }) => [entry.type, entry.version, entry.task]),
      [
        ['task.updated', 4, 'HIST-1'],
        ['task.updated', 3, 'HIST-1'],
        ['task.updated', 2, 'HIST-1'],
        ['task.created', 1, 'HIST-1'],
      ],
    )
    assert.deepEqual(pagination, { limit: 50, hasMore: false, nextCursor: null })
    const [fourth, third, second, first] = data
    assert.deepEqual(second.changes, {
      title: { from: 'One', to: 'Two' },
      metadata: { from: {}, to: { branch: 'ä"\\' } },
    })
    assert.deepEqual(
      [second.actor.keyId, second.requestId, second.via, second.undoes],
      [keyId, 'request-2', 'http', null],
    )
    assert.equal(third.changes.description.diff.split('\n').filter((line: string) => /^\+line/.test(line)).length, 100)
    assert.match(fourth.changes.description.diff, /^@@ -48,7 \+48,7 @@\n line 48\n.*\n-line 51\n\+other\n line 52\n/s)
    assert.deepEqual(fourth.changes.assignee, { from: { id: user.id, name: 'Grace' }, to: null })
    assert.deepEqual(first.changes.title, { from: null, to: 'One' })
    const events = (await wl.get('/v1/events?types=task.*')).body.data
    assert.deepEqual(
      data.map(({ id, sequence }: { id: string; sequence: number }) => [id, sequence]),
      events.map(({ id, sequence }: { id: string; sequence: number }) => [id, sequence]).reverse(),
    )
    const full = (await wl.get('/v1/tasks/HIST-1/history?full=true&limit=1')).body
    assert.deepEqual(full.data[0].changes.description, { from: versions[2].description, to: versions[3].description })
    assert.equal(full.pagination.hasMore, true)
    const rest = (await wl.get(`/v1/tasks/HIST-1/history?limit=2&cursor=${full.pagination.nextCursor}`)).body.data
    assert.deepEqual(rest, [third, second])
    for (const [at, version] of versions.entries()) {
      const answer = await wl.get(`/v1/tasks/HIST-1?version=${at + 1}`)
      assert.deepEqual(answer.body.data, versionOf(version))
      assert.equal(answer.headers.etag, `"${at + 1}"`)
    }
    expectError(await wl.get('/v1/tasks/HIST-1?version=5'), 'NOT_FOUND')
    expectInvalid(await wl.get('/v1/tasks/HIST-1?version=0'), 'version')
    expectError(await wl.get('/v1/tasks/HIST-9?version=1'), 'NOT_FOUND')
  })

  it('finds changes by key, request, project and time', async () => {
    const project = await createProject(wl, { key: 'FIND' })
    const { key, id: keyId } = await createKey(wl, { scopes: ['tasks:write', 'knowledge:write'] })
    await createTask(wl, 'FIND', {}, { key })
    await putItem(wl, 'find/me', 'One', { projectId: 'FIND' }, { key, headers: { 'x-request-id': 'find-put' } })
    await wl.post('/v1/tasks/FIND-1/comments', { body: 'Hello' }, { key })
    const kinds = (entries: Record<string, unknown>[]) => entries.map(({ type }) => type)
    assert.deepEqual(kinds(await history(`keyId=${keyId}`)), ['comment.created', 'knowledge.created', 'task.created'])
    const [put] = await history('requestId=find-put')
    assert.deepEqual([put.knowledge, put.projectId], ['find/me', project.id])
    assert.deepEqual(put.changes, { content: { from: null, to: 'One' } })
    assert.equal((await history('projectId=FIND')).length, 4)
    const [comment] = await history(`keyId=${keyId}&limit=1`)
    assert.deepEqual([comment.task, comment.comment.slice(0, 4)], ['FIND-1', 'cmt_'])
    assert.deepEqual(kinds(await history(`keyId=${keyId}&since=${comment.at}`)).slice(0, 1), ['comment.created'])
    assert.deepEqual(await history(`keyId=${keyId}&until=2020-01-01`), [])
    expectInvalid(await wl.get('/v1/history?since=2999-01-01'), 'since')
    expectInvalid(await wl.get('/v1/history?since=yesterday'), 'since')
    expectInvalid(await wl.get('/v1/history?since=2026-01-02&until=2026-01-01'), 'until')
    expectInvalid(await wl.get('/v1/history?task=FIND-1&knowledge=find/me'), 'knowledge')
    const { nextCursor } = (await wl.get(`/v1/history?keyId=${keyId}&limit=1`)).body.pagination
    expectInvalid(await wl.get(`/v1/history?limit=1&cursor=${nextCursor}`), 'cursor')
  })

  it('follows a knowledge item that is moved', async () => {
    await createProject(wl, { key: 'MOVE' })
    await putItem(wl, 'old/place', 'One')
    await putItem(wl, 'old/place', 'Two')
    expectStatus(await wl.post('/v1/knowledge/move', { from: 'old/place', to: 'new/place', toProjectId: 'MOVE' }), 200)
    await putItem(wl, 'new/place', 'Four', { projectId: 'MOVE' })
    const types = (entries: Record<string, unknown>[]) => entries.map(({ type, version }) => [type, version])
    const chain = await history('knowledge=new/place')
    assert.deepEqual(types(chain), [
      ['knowledge.updated', 4],
      ['knowledge.moved', 3],
      ['knowledge.updated', 2],
      ['knowledge.created', 1],
    ])
    assert.deepEqual(chain[0].changes.content, { from: 'Two', to: 'Four' })
    assert.deepEqual(chain[1].changes.key, { from: 'old/place', to: 'new/place' })
    const pages = []
    for (let cursor = ''; ; ) {
      const page = (await wl.get(`/v1/history?knowledge=new/place&limit=1${cursor}`)).body
      pages.push(...page.data)
      if (!page.pagination.hasMore) break
      cursor = `&cursor=${page.pagination.nextCursor}`
    }
    assert.deepEqual(pages, chain)
    const version = async (key: string, number: number) => (await wl.get(`/v1/knowledge/${key}?version=${number}`)).body
    assert.equal((await version('new/place', 1)).data.content, 'One')
    assert.equal((await version('new/place', 2)).data.content, 'Two')
    assert.equal((await version('new/place', 3)).data.content, 'Two')
    expectError(await wl.get('/v1/knowledge/old/place?version=1'), 'NOT_FOUND')
    assert.deepEqual(await history('knowledge=old/place'), chain)
    const { id } = (await version('new/place', 4)).data
    assert.deepEqual(await history(`knowledge=${id}`), chain)
    assert.deepEqual(new Set(chain.map(({ knowledgeId }: { knowledgeId: string }) => knowledgeId)), new Set([id]))
    await putItem(wl, 'old/place', 'Again')
    assert.deepEqual(types(await history('knowledge=old/place')), [['knowledge.created', 3]])
    expectError(await wl.get('/v1/knowledge/old/place?version=1'), 'NOT_FOUND')
  })

  it('begins anew with an item whose key another one had, whose own history is found by its id', async () => {
    const first = await putItem(wl, 'again', 'One')
    await putItem(wl, 'again', 'Two')
    expectStatus(await wl.delete('/v1/knowledge/again'), 200)
    const second = await putItem(wl, 'again', 'Three')
    assert.deepEqual([second.version, second.id === first.id], [3, false])
    const ofKey = await history('knowledge=again')
    assert.deepEqual(
      ofKey.map(({ type, version }: Record<string, unknown>) => [type, version]),
      [['knowledge.created', 3]],
    )
    for (const number of [1, 2]) expectError(await wl.get(`/v1/knowledge/again?version=${number}`), 'NOT_FOUND')
    const { data: deleted } = (await wl.get('/v1/trash?kind=knowledge')).body
    const entry = deleted.find(({ knowledge }: Record<string, unknown>) => knowledge === 'again')
    assert.equal(entry.knowledgeId, first.id)
    const ofFirst = await history(`knowledge=${entry.knowledgeId}`)
    assert.deepEqual(
      ofFirst.map(({ type, version, knowledge }: Record<string, unknown>) => [type, version, knowledge]),
      [
        ['knowledge.deleted', 2, 'again'],
        ['knowledge.updated', 2, 'again'],
        ['knowledge.created', 1, 'again'],
      ],
    )
    expectError(await wl.get('/v1/history?knowledge=kno_00000000000000000000'), 'NOT_FOUND')
    const elsewhere = await createProject(wl, { key: 'ELSEWHERE' })
    const hidden = await putItem(wl, 'again', 'Hidden', { projectId: elsewhere.id })
    const other = await createProject(wl, { key: 'OTHERS' })
    const { key } = await createKey(wl, { scopes: ['knowledge:read'], projectIds: [other.id] })
    expectError(await wl.get(`/v1/history?knowledge=${hidden.id}`, { key }), 'FORBIDDEN')
  })

  it('finds a deleted knowledge item by its key, also one that went with its project', async () => {
    const types = async (query: string, options?: RequestOptions) =>
      (await history(query, options)).map(({ type, projectId }: Record<string, unknown>) => [type, projectId])
    const [stays, goes] = [await createProject(wl, { key: 'STAYS' }), await createProject(wl, { key: 'GOES' })]
    const limitedTo = async (id: string) => createKey(wl, { scopes: ['knowledge:read'], projectIds: [id] })
    const [ofStays, ofGoes] = [await limitedTo(stays.id), await limitedTo(goes.id)]
    const put = (key: string, projectId: string | null) => putItem(wl, key, 'One', { projectId })
    const gone = (projectId: string | null) => [
      ['knowledge.deleted', projectId],
      ['knowledge.created', projectId],
    ]
    await put('gone/one', 'STAYS')
    expectStatus(await wl.delete('/v1/knowledge/gone/one'), 200)
    assert.deepEqual(await types('knowledge=gone/one'), gone(stays.id))
    assert.deepEqual(await types('knowledge=gone/one', ofStays), gone(stays.id))
    expectError(await wl.get('/v1/history?knowledge=gone/one', ofGoes), 'FORBIDDEN')

    await put('gone/all', 'GOES')
    expectStatus(await wl.delete('/v1/projects/GOES?force=true'), 200)
    for (const query of ['knowledge=gone/all', `knowledge=gone/all&projectId=${goes.id}`]) {
      // Deleting a project adds no history entries for its items.
      assert.deepEqual(await types(query), [['knowledge.created', goes.id]])
      assert.deepEqual(await types(query, ofGoes), [['knowledge.created', goes.id]])
      expectError(await wl.get(`/v1/history?${query}`, ofStays), 'FORBIDDEN')
    }
    assert.deepEqual((await types(`projectId=${goes.id}`)).length, 3)
    expectInvalid(await wl.get('/v1/history?knowledge=gone/all&projectId=GOES'), 'projectId')
    expectInvalid(await wl.get('/v1/history?knowledge=gone/all&projectId=prj_none'), 'projectId')
    expectError(await wl.get('/v1/history?knowledge=gone/none'), 'NOT_FOUND')
    expectError(await wl.get(`/v1/history?knowledge=gone/one&projectId=${goes.id}`), 'NOT_FOUND')

    await put('gone/all', 'STAYS')
    assert.deepEqual(await types('knowledge=gone/all'), [['knowledge.created', stays.id]])
    expectStatus(await wl.delete('/v1/knowledge/gone/all'), 200)
    const { candidates } = expectError(await wl.get('/v1/history?knowledge=gone/all'), 'CONFLICT')
    assert.deepEqual(candidates.sort(), [stays.id, goes.id].sort())
    await put('gone/all', null)
    expectStatus(await wl.delete('/v1/knowledge/gone/all'), 200)
    assert.deepEqual(await types('knowledge=gone/all'), gone(null))

    const trash = (await wl.get('/v1/trash?limit=100')).body.data
    const entry = trash.find(({ knowledge }: Record<string, unknown>) => knowledge === 'gone/one')
    expectStatus(await wl.delete(`/v1/trash/${entry.id}`), 200)
    const isGone = async () => (await wl.get('/v1/history?knowledge=gone/one')).status
    assert.equal(await until(isGone, (status) => status === 404), 404)
    const stranger = { key: await addTenant(wl) }
    expectError(await wl.get('/v1/history?knowledge=gone/all', stranger), 'NOT_FOUND')
    expectInvalid(await wl.get(`/v1/history?projectId=${goes.id}`, stranger), 'projectId')
  })

  it('makes an old version the newest one', async () => {
    await createProject(wl, { key: 'BACK' })
    await createTask(wl, 'BACK')
    const blocker = await createTask(wl, 'BACK')
    await wl.patch('/v1/tasks/BACK-1', { title: 'Blocked', blockedBy: [blocker.id], labels: ['x'] })
    await wl.patch('/v1/tasks/BACK-1', { title: 'Free', blockedBy: [], labels: [], status: 'done' })
    expectStatus(await wl.delete(`/v1/tasks/${blocker.id}`), 200)
    const answer = await wl.post('/v1/history/restore', { task: 'BACK-1', version: 2 })
    expectStatus(answer, 200)
    const { title, labels, status, blockedBy, version } = answer.body.data
    assert.deepEqual([title, labels, status, blockedBy, version], ['Blocked', ['x'], 'todo', [], 4])
    assert.deepEqual(answer.body.skipped, [
      { task: 'BACK-1', field: 'blockedBy', value: 'BACK-2', reason: 'not found' },
    ])
    assert.deepEqual((await wl.get('/v1/tasks?ready=true&projectId=BACK')).body.data[0].id, 'BACK-1')
    const unchanged = await wl.post('/v1/history/restore', { task: 'BACK-1', version: 4 })
    assert.equal(unchanged.body.data.version, 4)

    await putItem(wl, 'back', 'One')
    await putItem(wl, 'back', 'Two')
    const item = await wl.post('/v1/history/restore', { knowledge: 'back', version: 1 })
    assert.deepEqual([item.body.data.content, item.body.data.version], ['One', 3])
    expectError(await wl.post('/v1/history/restore', { knowledge: 'back', version: 9 }), 'NOT_FOUND')
    expectInvalid(await wl.post('/v1/history/restore', { version: 1 }), 'task')
    const reader = await createKey(wl, { scopes: ['tasks:read', 'knowledge:write'] })
    const refused = await wl.post('/v1/history/restore', { task: 'BACK-1', version: 1 }, { key: reader.key })
    assert.equal(expectError(refused, 'FORBIDDEN').requiredScope, 'tasks:write')
  })

  it('is limited to the scopes and projects of a key, and to its tenant', async () => {
    const project = await createProject(wl, { key: 'MINE' })
    await createProject(wl, { key: 'THEIRS' })
    await createTask(wl, 'MINE')
    await createTask(wl, 'THEIRS')
    await putItem(wl, 'mine', 'x', { projectId: 'MINE' })
    const limited = await createKey(wl, { scopes: ['tasks:read'], projectIds: [project.id] })
    const seen = await history('limit=100', { key: limited.key })
    assert.deepEqual(
      seen.map(({ type }: { type: string }) => type),
      ['task.created', 'project.created'],
    )
    expectError(await wl.get('/v1/tasks/THEIRS-1/history', { key: limited.key }), 'FORBIDDEN')
    assert.equal(
      expectError(await wl.get('/v1/history?knowledge=mine', { key: limited.key }), 'FORBIDDEN').requiredScope,
      'knowledge:read',
    )
    expectError(await wl.get(`/v1/tasks/${project.id}/history`), 'NOT_FOUND')
    const stranger = await addTenant(wl)
    expectError(await wl.get('/v1/tasks/MINE-1/history', { key: stranger }), 'NOT_FOUND')
    expectError(await wl.get('/v1/history?task=MINE-1', { key: stranger }), 'NOT_FOUND')
    assert.deepEqual(await history('', { key: stranger }), [])
  })
})
