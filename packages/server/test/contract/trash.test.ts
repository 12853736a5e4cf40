import assert from 'node:assert/strict'
import { it } from 'node:test'
import { expectError, expectStatus } from 'worklore-testing/expect'
import { createKey, createProject, createTask, createUser, putItem } from 'worklore-testing/factories'
import { rowsOf } from 'worklore-testing/harness'
import { addTenant } from 'worklore-testing/operator'
import { describeService } from 'worklore-testing/service-suite'
import { until } from 'worklore-testing/until'

interface Entry {
  id: string
  kind: string
  task?: string
  knowledge?: string
  comment?: string
  title: string
  status: string
}

describeService('trash', (wl) => {
  const trash = async (query = ''): Promise<Entry[]> => {
    const answer = await wl.get(`/v1/trash${query}`)
    expectStatus(answer, 200)
    return answer.body.data
  }
  const entryOf = async (matches: (entry: Entry) => boolean): Promise<Entry> => {
    const entry = (await trash('?limit=100')).find(matches)
    assert.ok(entry)
    return entry
  }
  const restore = (entry: Entry, options = {}) => wl.post(`/v1/trash/${entry.id}/restore`, undefined, options)
  const get = async (path: string) => (await wl.get(path)).body.data

  it('brings a task back with its comments, children, dependencies and history', async () => {
    await createProject(wl, { key: 'TREE' })
    const user = await createUser(wl)
    const blocker = await createTask(wl, 'TREE', { title: 'Blocker' })
    const parent = await createTask(wl, 'TREE', { title: 'Parent' })
    const task = await createTask(wl, 'TREE', {
      title: 'Task',
      parentId: parent.id,
      blockedBy: [blocker.id],
      externalId: 'gh-1',
      labels: ['a', 'b'],
      assigneeId: user.id,
    })
    const child = await createTask(wl, 'TREE', { title: 'Child', parentId: task.id })
    const second = await createTask(wl, 'TREE', { title: 'Second', parentId: task.id, blockedBy: [child.id] })
    expectStatus(await wl.patch(`/v1/tasks/${task.id}`, { description: 'Changed' }), 200)
    const dependent = await createTask(wl, 'TREE', { title: 'Dependent', blockedBy: [task.id] })
    await wl.post(`/v1/tasks/${task.id}/comments`, { body: 'zebrafish' })
    const before = {
      task: await get(`/v1/tasks/${task.id}`),
      second: await get(`/v1/tasks/${second.id}`),
      parent: await get(`/v1/tasks/${parent.id}`),
      dependent: await get(`/v1/tasks/${dependent.id}`),
    }
    const found = async () => (await wl.get('/v1/tasks/search?q=zebrafish&projectId=TREE')).body.data.length
    assert.equal(await found(), 1)
    expectStatus(await wl.delete(`/v1/tasks/${task.id}?force=true`), 200)
    assert.equal(await found(), 0, 'search does not find what is in the trash')
    expectError(await wl.get(`/v1/tasks/${task.id}?version=1`), 'NOT_FOUND')
    const entry = await entryOf((each) => each.task === task.id)
    assert.deepEqual([entry.kind, entry.title, entry.status], ['task', 'Task', 'deleted'])
    assert.equal((await trash()).filter(({ kind }) => kind === 'task').length, 1, 'a subtree is one entry')
    const answer = await restore(entry)
    expectStatus(answer, 200)
    assert.deepEqual(answer.body.data.skipped, [])
    const strip = ({ version, updatedAt, ...rest }: Record<string, unknown>) => rest
    assert.deepEqual(strip(await get(`/v1/tasks/${task.id}`)), strip(before.task))
    assert.deepEqual(strip(await get(`/v1/tasks/${second.id}`)), strip(before.second))
    assert.deepEqual(strip(await get(`/v1/tasks/${parent.id}`)), strip(before.parent))
    assert.deepEqual(strip(await get(`/v1/tasks/${dependent.id}`)), strip(before.dependent))
    assert.equal((await get(`/v1/tasks/${task.id}`)).version, before.task.version + 1)
    assert.equal(await found(), 1, 'the index follows')
    assert.deepEqual(await trash('?kind=task'), [])
    const types = (await get(`/v1/tasks/${task.id}/history`)).map(({ type }: { type: string }) => type)
    assert.deepEqual(types.slice(0, 3), ['task.restored', 'task.deleted', 'task.updated'])
    assert.equal((await get(`/v1/tasks/${task.id}?version=1`)).title, 'Task')
    const ready = (await wl.get('/v1/tasks?ready=true&projectId=TREE')).body.data.map(({ id }: { id: string }) => id)
    assert.deepEqual(ready.toSorted(), [blocker.id])
    await wl.patch(`/v1/tasks/${blocker.id}`, { status: 'done' })
    const next = (await wl.get('/v1/tasks?ready=true&projectId=TREE')).body.data.map(({ id }: { id: string }) => id)
    assert.deepEqual(next, [child.id])
    expectError(await restore(entry), 'NOT_FOUND')
  })

  it('holds a large subtree as one entry', async () => {
    await createProject(wl, { key: 'WIDE' })
    const top = await createTask(wl, 'WIDE')
    for (let at = 0; at < 2; at++) {
      const body = { projectId: 'WIDE', title: 'Part', parentId: top.id }
      const operations = Array.from({ length: 60 }, () => ({ method: 'POST', path: '/v1/tasks', body }))
      expectStatus(await wl.post('/v1/batch', { operations }), 200)
    }
    expectStatus(await wl.delete(`/v1/tasks/${top.id}?force=true`), 200)
    const entries = await trash('?kind=task&projectId=WIDE')
    assert.deepEqual(
      entries.map(({ task }) => task),
      [top.id],
    )
    expectStatus(await restore(entries[0]!), 200)
    assert.deepEqual((await get(`/v1/tasks/${top.id}`)).children, { total: 120, open: 120 })
    assert.equal((await wl.get('/v1/tasks?projectId=WIDE&ready=true')).body.pagination.total, 120)
  })

  it('leaves out links that cannot be made again, and says so', async () => {
    await createProject(wl, { key: 'LINK' })
    const user = await createUser(wl)
    const gone = await createTask(wl, 'LINK')
    const other = await createTask(wl, 'LINK')
    const task = await createTask(wl, 'LINK', {
      blockedBy: [gone.id, other.id],
      externalId: 'x-1',
      assigneeId: user.id,
    })
    const dependent = await createTask(wl, 'LINK', { blockedBy: [task.id] })
    expectStatus(await wl.delete(`/v1/tasks/${task.id}`), 200)
    expectStatus(await wl.delete(`/v1/tasks/${gone.id}`), 200)
    await wl.delete(`/v1/users/${user.id}`)
    await createTask(wl, 'LINK', { externalId: 'x-1' })
    expectStatus(await wl.patch(`/v1/tasks/${other.id}`, { blockedBy: [dependent.id] }), 200)
    const answer = await restore(await entryOf((each) => each.task === task.id))
    expectStatus(answer, 200)
    assert.deepEqual(answer.body.data.skipped, [
      { task: task.id, field: 'assignee', value: user.id, reason: 'not found' },
      { task: task.id, field: 'externalId', value: 'x-1', reason: 'in use' },
      { task: task.id, field: 'blockedBy', value: gone.id, reason: 'not found' },
      { task: dependent.id, field: 'blockedBy', value: task.id, reason: 'cycle' },
    ])
    const { blockedBy, openBlockers, externalId, assignee } = await get(`/v1/tasks/${task.id}`)
    assert.deepEqual([blockedBy, openBlockers, externalId, assignee], [[other.id], 1, null, null])
  })

  it('brings a large tree back in steps, with all its links', async () => {
    await wl.post('/v1/projects', { key: 'WOOD', name: 'Wood' })
    const create = async (bodies: readonly object[]): Promise<void> => {
      const operations = bodies.map((body) => ({
        method: 'POST',
        path: '/v1/tasks',
        body: { projectId: 'WOOD', title: 'x', ...body },
      }))
      assert.equal((await wl.post('/v1/batch', { operations })).status, 200)
    }
    const countPerBatch = 90
    await create([{}, { parentId: 'WOOD-1' }, { blockedBy: [] }])
    for (let batch = 0; batch < 4; batch++) {
      await create(Array.from({ length: countPerBatch }, (_, at) => ({ parentId: `WOOD-${1 + (at % 2)}` })))
    }
    // An early one waits for a late one, and another outside for both.
    await wl.patch('/v1/tasks/WOOD-4', { blockedBy: ['WOOD-360', 'WOOD-3'] })
    await wl.patch('/v1/tasks/WOOD-2', { blockedBy: ['WOOD-361'] })
    await wl.patch('/v1/tasks/WOOD-3', { blockedBy: ['WOOD-360'] })
    await wl.patch('/v1/tasks/WOOD-361', { status: 'done' })
    await wl.patch('/v1/tasks/WOOD-361', { status: 'todo' })
    const tasks = async (query: string): Promise<Map<string, object>> => {
      const found = new Map<string, object>()
      for (let path = `/v1/tasks?projectId=WOOD&limit=100${query}`, next = path; next; ) {
        const { data, pagination } = (await wl.get(next)).body
        for (const { version, updatedAt, ...task } of data) found.set(task.id, task)
        next = pagination.hasMore ? `${path}&cursor=${encodeURIComponent(pagination.nextCursor)}` : ''
      }
      return found
    }
    const [all, ready] = [await tasks(''), [...(await tasks('&ready=true')).keys()].sort()]
    await wl.delete('/v1/tasks/WOOD-1?force=true')
    assert.deepEqual([...(await tasks('')).keys()], ['WOOD-3'])
    const entry = (await wl.get('/v1/trash?kind=task&limit=1')).body.data[0]
    const restored = await wl.post(`/v1/trash/${entry.id}/restore`, {})
    assert.deepEqual([restored.status, restored.body.data.status, restored.body.data.skipped], [200, 'restored', []])
    assert.deepEqual(await tasks(''), all)
    assert.deepEqual([...(await tasks('&ready=true')).keys()].sort(), ready)
    expectError(await wl.post(`/v1/trash/${entry.id}/restore`, {}), 'NOT_FOUND')
  })

  it('never gives a claim number twice', async () => {
    await createProject(wl, { key: 'CLAIM' })
    const task = await createTask(wl, 'CLAIM')
    await wl.post(`/v1/tasks/${task.id}/claim`, {})
    expectStatus(await wl.delete(`/v1/tasks/${task.id}`), 200)
    await restore(await entryOf((each) => each.task === task.id))
    const { claim, status } = await get(`/v1/tasks/${task.id}`)
    assert.deepEqual([claim, status], [null, 'todo'])
    const claimed = (await wl.post(`/v1/tasks/${task.id}/claim`, {})).body.data
    assert.equal(claimed.claim.token, `${task.id}.2`)
  })

  it('brings knowledge and comments back as their next versions, unless something new is there', async () => {
    await createProject(wl, { key: 'KNOW' })
    const task = await createTask(wl, 'KNOW')
    const { id } = (await wl.post(`/v1/tasks/${task.id}/comments`, { body: 'Hello' })).body.data
    expectStatus(await wl.delete(`/v1/tasks/${task.id}/comments/${id}`), 200)
    const [comment] = await trash('?kind=comment')
    expectStatus(await restore(comment!), 200)
    const { body, version } = await get(`/v1/tasks/${task.id}/comments/${id}`)
    assert.deepEqual([body, version, (await get(`/v1/tasks/${task.id}`)).commentCount], ['Hello', 2, 1])
    expectStatus(await wl.delete(`/v1/tasks/${task.id}/comments/${id}`), 200)
    expectStatus(await wl.delete(`/v1/tasks/${task.id}`), 200)
    assert.match(
      expectError(await restore((await trash('?kind=comment'))[0]!), 'CONFLICT').message,
      /Restore that first/,
    )

    const content = 'ä\n"quoted"\u2028'
    await putItem(wl, 'trash/item', content, { projectId: 'KNOW' })
    expectStatus(await wl.delete('/v1/knowledge/trash/item?projectId=KNOW'), 200)
    const item = await entryOf((each) => each.knowledge === 'trash/item')
    await putItem(wl, 'trash/item', 'New', { projectId: 'KNOW' })
    assert.equal(expectError(await restore(item), 'CONFLICT').existing, 'trash/item')
    expectStatus(await wl.post('/v1/knowledge/move', { from: 'trash/item', to: 'trash/new', projectId: 'KNOW' }), 200)
    expectStatus(await restore(item), 200)
    const restored = await get('/v1/knowledge/trash/item')
    assert.deepEqual([restored.content, restored.version], [content, 3])
    const events = (await wl.get('/v1/events?types=comment.restored,knowledge.restored')).body.data
    assert.deepEqual(
      events.map(({ type }: { type: string }) => type),
      ['comment.restored', 'knowledge.restored'],
    )
  })

  it('brings a comment back for its author and for an admin, and for nobody else', async () => {
    await createProject(wl, { key: 'WORD' })
    const task = await createTask(wl, 'WORD')
    const [author, other] = [await createKey(wl), await createKey(wl)]
    const path = `/v1/tasks/${task.id}/comments`
    const { id } = expectStatus(await wl.post(path, { body: 'Hello' }, { key: author.key }), 201).body.data
    const restoreAs = async (key: string) => {
      const { id: entryId } = await entryOf((each) => each.comment === id)
      return wl.post(`/v1/trash/${entryId}/restore`, undefined, { key })
    }
    for (const key of [author.key, wl.adminKey]) {
      expectStatus(await wl.delete(`${path}/${id}`), 200)
      expectError(await restoreAs(other.key), 'FORBIDDEN')
      expectError(await wl.get(`${path}/${id}`), 'NOT_FOUND')
      expectStatus(await restoreAs(key), 200)
      expectStatus(await wl.get(`${path}/${id}`), 200)
    }
  })

  it('asks for the scope of the kind, and shows only the projects of a key', async () => {
    const project = await createProject(wl, { key: 'SEE' })
    await createProject(wl, { key: 'HIDE' })
    for (const key of ['SEE', 'HIDE']) await createTask(wl, key)
    for (const key of ['SEE', 'HIDE']) await wl.delete(`/v1/tasks/${key}-1`)
    await putItem(wl, 'see', 'x', { projectId: 'SEE' })
    await wl.delete('/v1/knowledge/see?projectId=SEE')
    const limited = await createKey(wl, { scopes: ['tasks:read'], projectIds: [project.id] })
    const seen = (await wl.get('/v1/trash', { key: limited.key })).body.data
    assert.deepEqual(
      seen.map(({ task }: Entry) => task),
      ['SEE-1'],
    )
    assert.equal(expectError(await restore(seen[0], { key: limited.key }), 'FORBIDDEN').requiredScope, 'tasks:write')
    expectError(await restore(await entryOf((each) => each.task === 'HIDE-1'), { key: limited.key }), 'FORBIDDEN')
    expectError(await wl.get('/v1/trash?kind=knowledge', { key: limited.key }), 'FORBIDDEN')
    const stranger = await addTenant(wl)
    expectError(await restore(seen[0], { key: stranger }), 'NOT_FOUND')
    expectError(await wl.delete(`/v1/trash/${seen[0].id}`, { key: stranger }), 'NOT_FOUND')
    assert.deepEqual((await wl.get('/v1/trash', { key: stranger })).body.data, [])
  })

  it('brings a project back whole, before, while and after it is cleared', async () => {
    await createProject(wl, { key: 'OUTER' })
    const project = await createProject(wl, { key: 'WHOLE', name: 'Whole' })
    const outer = await createTask(wl, 'OUTER')
    for (let from = 0; from < 240; from += 60) {
      const operations = Array.from({ length: 60 }, (_, at) => ({
        method: 'POST',
        path: '/v1/tasks',
        body: {
          projectId: 'WHOLE',
          title: `Task ${from + at}`,
          labels: ['x'],
          blockedBy: from + at === 0 ? [outer.id] : at % 10 === 0 ? [`WHOLE-${from + at}`] : [],
          parentId: at % 10 === 5 ? `WHOLE-${from + at}` : null,
        },
      }))
      expectStatus(await wl.post('/v1/batch', { operations }), 200)
    }
    const waiting = await createTask(wl, 'OUTER', { blockedBy: ['WHOLE-7'] })
    await wl.post('/v1/tasks/WHOLE-7/comments', { body: 'Remember' })
    const user = await createUser(wl)
    const question = expectStatus(
      await wl.post('/v1/tasks/WHOLE-9/questions', { body: 'Which?', to: user.id }),
      201,
    ).body
    const answered = expectStatus(await wl.post('/v1/tasks/WHOLE-9/questions', { body: 'Why?' }), 201).body.data
    expectStatus(await wl.post(`/v1/questions/${answered.id}/answer`, { body: 'So' }), 200)
    for (let at = 0; at < 30; at++) await putItem(wl, `notes/${at}`, `Note ${at}`, { projectId: 'WHOLE' })
    const look = async () => {
      const seen = []
      for (let page = 1; page <= 3; page++) {
        seen.push(...(await wl.get(`/v1/tasks?projectId=WHOLE&limit=100&page=${page}`)).body.data)
      }
      const strip = ({ version, updatedAt, ...rest }: Record<string, unknown>) => rest
      return {
        tasks: seen.map(strip).toSorted((a, b) => (String(a.id) < String(b.id) ? -1 : 1)),
        ready: (await wl.get('/v1/tasks?projectId=WHOLE&ready=true')).body.pagination.total,
        notes: (await wl.get('/v1/knowledge?projectId=WHOLE')).body.data.map(
          ({ content }: { content: string }) => content,
        ),
        waiting: strip(await get(`/v1/tasks/${waiting.id}`)),
      }
    }
    const before = await look()
    const pending = async () => (await rowsOf<{ id: string }>(wl, 'select id from deletions')).length
    for (const isCleared of [false, true]) {
      expectStatus(await wl.delete('/v1/projects/WHOLE?force=true'), 200)
      expectError(await wl.get('/v1/tasks/WHOLE-240'), 'NOT_FOUND')
      assert.equal((await wl.get('/v1/tasks?label=x')).body.pagination.total, 0, 'gone for readers at once')
      assert.deepEqual((await wl.get('/v1/knowledge?prefix=notes/')).body.data, [])
      expectError(await wl.get('/v1/knowledge/notes/29'), 'NOT_FOUND')
      expectError(await wl.get(`/v1/questions/${question.data.id}`), 'NOT_FOUND')
      assert.deepEqual((await wl.get('/v1/questions?state=open')).body.data, [])
      if (isCleared) assert.equal(await until(pending, (left) => left === 0), 0)
      const entry = await entryOf(({ kind }) => kind === 'project')
      const restored = await restore(entry, { headers: { 'idempotency-key': `whole-${isCleared}` } })
      expectStatus(restored, 200)
      assert.deepEqual([restored.body.data.status, restored.body.data.skipped], ['restored', []])
      assert.equal((await restore(entry, { headers: { 'idempotency-key': `whole-${isCleared}` } })).text, restored.text)
      assert.deepEqual(await look(), before)
      assert.equal((await get('/v1/projects/WHOLE')).id, project.id)
      assert.equal((await get('/v1/tasks/WHOLE-7/comments')).length, 1)
      assert.deepEqual(await get(`/v1/questions/${question.data.id}`), question.data)
      assert.deepEqual((await get('/v1/questions?taskId=WHOLE-9')).length, 2)
    }
    assert.equal((await createTask(wl, 'WHOLE')).id, 'WHOLE-241')
    const found = await until(
      async () => (await wl.get('/v1/knowledge/search?q=note&projectId=WHOLE')).body.data.length,
      (count) => count > 0,
    )
    assert.ok(found > 0)
    expectStatus(await wl.delete('/v1/projects/WHOLE?force=true'), 200)
    assert.equal(await until(pending, (left) => left === 0), 0)
    const taken = await createProject(wl, { key: 'WHOLE' })
    const entry = await entryOf(({ kind }) => kind === 'project')
    assert.equal(expectError(await restore(entry), 'CONFLICT').existing, taken.id)
    const writer = await createKey(wl)
    assert.equal(expectError(await restore(entry, { key: writer.key }), 'FORBIDDEN').requiredScope, 'admin')
  })
})
