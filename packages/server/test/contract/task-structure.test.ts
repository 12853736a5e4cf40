import assert from 'node:assert/strict'
import { it } from 'node:test'
import { expectError, expectStatus } from 'worklore-testing/expect'
import { createKey, createProject, createTask } from 'worklore-testing/factories'
import { describeClient, describeTenant } from 'worklore-testing/service-suite'

describeTenant('the structure of tasks', (wl) => {
  const taskOf = async (id: string) => expectStatus(await wl.get(`/v1/tasks/${id}`), 200).body.data
  const idsOf = async (query: string) =>
    expectStatus(await wl.get(`/v1/tasks?sort=createdAt&${query}`), 200).body.data.map(({ id }: { id: string }) => id)

  it('counts open blockers and tells when the last one closes', async () => {
    await createProject(wl, { key: 'BLK' })
    for (const title of ['a', 'b']) await createTask(wl, 'BLK', { title })
    await createTask(wl, 'BLK', { title: 'c', blockedBy: ['BLK-1', 'BLK-2', 'BLK-1'] })
    const blocked = await taskOf('BLK-3')
    assert.deepEqual([blocked.blockedBy, blocked.openBlockers], [['BLK-1', 'BLK-2'], 2])
    assert.deepEqual(await idsOf('blockedBy=BLK-1'), ['BLK-3'])
    assert.deepEqual(await idsOf('blocks=BLK-3'), ['BLK-1', 'BLK-2'])
    await wl.patch('/v1/tasks/BLK-1', { status: 'done' })
    const { nextAfter } = (await wl.get('/v1/events?after=latest')).body.pagination
    await wl.patch('/v1/tasks/BLK-2', { status: 'cancelled' })
    const { data } = (await wl.get(`/v1/events?after=${nextAfter}`)).body
    assert.deepEqual(
      data.map(({ type, data }: { type: string; data: { id: string } }) => [type, data.id]),
      [
        ['task.updated', 'BLK-2'],
        ['task.unblocked', 'BLK-3'],
      ],
    )
    const free = await taskOf('BLK-3')
    assert.deepEqual([free.openBlockers, free.version], [0, 1])
    await wl.patch('/v1/tasks/BLK-2', { status: 'todo' })
    assert.equal((await taskOf('BLK-3')).openBlockers, 1)
    await wl.delete('/v1/tasks/BLK-2')
    const left = await taskOf('BLK-3')
    assert.deepEqual([left.blockedBy, left.openBlockers, left.version], [['BLK-1'], 0, 2])
  })

  it('takes a deleted task from all that waited for it, however they stand to each other', async () => {
    await createProject(wl, { key: 'DEL' })
    for (const title of ['deleted', 'other']) await createTask(wl, 'DEL', { title })
    await createTask(wl, 'DEL', { title: 'top', blockedBy: ['DEL-1'] })
    await createTask(wl, 'DEL', { title: 'below it', parentId: 'DEL-3', blockedBy: ['DEL-1'] })
    // Enough to be written in several steps, the last of them below one of the first.
    for (let round = 0; round < 2; round++) {
      const task = { projectId: 'DEL', title: 'waits', blockedBy: ['DEL-1'], labels: ['x'] }
      const operations = Array.from({ length: 60 }, () => ({ method: 'POST', path: '/v1/tasks', body: task }))
      expectStatus(await wl.post('/v1/batch', { operations }), 200)
    }
    await createTask(wl, 'DEL', { title: 'leaf', parentId: 'DEL-4', blockedBy: ['DEL-1'] })
    await createTask(wl, 'DEL', { title: 'still blocked', blockedBy: ['DEL-1', 'DEL-2'] })
    const { nextAfter } = (await wl.get('/v1/events?after=latest')).body.pagination
    expectStatus(await wl.delete('/v1/tasks/DEL-1'), 200)
    const [leaf, blocked] = [await taskOf('DEL-125'), await taskOf('DEL-126')]
    assert.deepEqual([leaf.blockedBy, leaf.openBlockers, leaf.version], [[], 0, 2])
    assert.deepEqual([blocked.blockedBy, blocked.openBlockers, blocked.version], [['DEL-2'], 1, 2])
    const ready = (await wl.get('/v1/tasks?projectId=DEL&ready=true&limit=1')).body.pagination.total
    assert.equal(ready, 122, 'the other one, those that waited, and the leaf')
    const handedOut = new Set<string>()
    for (const label of [undefined, 'x']) {
      const next = await wl.post('/v1/tasks/next', { projectId: 'DEL', parentId: label ? undefined : 'DEL-4', label })
      handedOut.add(expectStatus(next, 200).body.data.id)
    }
    assert.deepEqual([...handedOut], ['DEL-125', 'DEL-5'])
    const events = (await wl.get(`/v1/events?after=${nextAfter}&types=task.updated,task.deleted&limit=100`)).body.data
    assert.deepEqual(events[0].previous, { blockedBy: ['DEL-1'] })
    assert.equal(events[0].data.version, 2)
  })

  it('takes the tasks of a deleted project from those that waited for them', async () => {
    await createProject(wl, { key: 'GONE' })
    await createProject(wl, { key: 'STAY' })
    await createTask(wl, 'GONE')
    await createTask(wl, 'STAY')
    await createTask(wl, 'STAY', { blockedBy: ['GONE-1', 'STAY-1'] })
    await createTask(wl, 'STAY', { blockedBy: ['GONE-1'] })
    expectStatus(await wl.delete('/v1/projects/GONE?force=true'), 200)
    const [both, one] = [await taskOf('STAY-2'), await taskOf('STAY-3')]
    assert.deepEqual([both.blockedBy, both.openBlockers, both.version], [['STAY-1'], 1, 2])
    assert.deepEqual([one.blockedBy, one.openBlockers, one.version], [[], 0, 2])
    assert.deepEqual(await idsOf('projectId=STAY&ready=true'), ['STAY-1', 'STAY-3'])
  })

  it('lets a closed subtask wait for its parent, which does not wait for it until it is open again', async () => {
    await wl.post('/v1/projects', { key: 'SHUT', name: 'Shut' })
    await wl.post('/v1/tasks', { projectId: 'SHUT', title: 'parent' })
    const child = { projectId: 'SHUT', title: 'child', parentId: 'SHUT-1', blockedBy: ['SHUT-1'] }
    const open = expectError(await wl.post('/v1/tasks', child), 'CONFLICT')
    assert.deepEqual([open.reason, open.cycle[0]], ['cycle', 'SHUT-1'])
    assert.equal(open.cycle.length, 2)
    assert.match(open.message, /cycle: SHUT-1 → the new task → SHUT-1\. Remove one/)
    const { body } = await wl.post('/v1/tasks', { ...child, status: 'done' })
    assert.deepEqual(body.data.blockedBy, ['SHUT-1'])
    const reopened = expectError(await wl.patch(`/v1/tasks/${body.data.id}`, { status: 'todo' }), 'CONFLICT')
    assert.deepEqual([reopened.reason, reopened.cycle], ['cycle', ['SHUT-1', body.data.id]])
    assert.equal((await wl.patch(`/v1/tasks/${body.data.id}`, { status: 'todo', blockedBy: [] })).status, 200)
  })

  it('refuses a parent below one of its own as a cycle, however deep', async () => {
    await wl.post('/v1/projects', { key: 'DEEP', name: 'Deep' })
    for (let level = 1; level <= 6; level++) {
      const parentId = level === 1 ? null : `DEEP-${level - 1}`
      await wl.post('/v1/tasks', { projectId: 'DEEP', title: 'x', parentId })
    }
    const { reason, cycle } = expectError(await wl.patch('/v1/tasks/DEEP-1', { parentId: 'DEEP-6' }), 'CONFLICT')
    assert.deepEqual([reason, cycle], ['cycle', [1, 2, 3, 4, 5, 6].map((number) => `DEEP-${number}`)])
  })

  it('refuses a link beyond which there is too much to look through', async () => {
    await wl.post('/v1/projects', { key: 'WIDE', name: 'Wide' })
    const blockersOf = (at: number) => Array.from({ length: Math.min(50, at) }, (_, back) => `WIDE-${at - back}`)
    for (let from = 0; from < 200; from += 20) {
      const operations = Array.from({ length: 20 }, (_, at) => ({
        method: 'POST',
        path: '/v1/tasks',
        body: { projectId: 'WIDE', title: 'x', blockedBy: blockersOf(from + at) },
      }))
      assert.equal((await wl.post('/v1/batch', { operations })).status, 200)
    }
    const link = (blocker: string) => wl.patch('/v1/tasks/WIDE-1', { blockedBy: [blocker] })
    const { reason, cycle } = expectError(await link('WIDE-140'), 'CONFLICT')
    assert.equal(reason, 'cycle')
    assert.deepEqual([cycle[0], cycle[1]], ['WIDE-1', 'WIDE-140'])
    const tooFar = expectError(await link('WIDE-200'), 'CONFLICT')
    assert.equal(tooFar.reason, 'depth')
    assert.match(tooFar.message, /Split the plan/)
  })

  it('refuses a cycle of whatever kind, and names it', async () => {
    await createProject(wl, { key: 'CYC' })
    await createProject(wl, { key: 'CYCB' })
    for (const title of ['a', 'b', 'c']) await createTask(wl, 'CYC', { title })
    await createTask(wl, 'CYCB', { title: 'other', blockedBy: ['CYC-3'] })
    expectStatus(await wl.patch('/v1/tasks/CYC-2', { blockedBy: ['CYC-1'] }), 200)
    expectStatus(await wl.patch('/v1/tasks/CYC-3', { blockedBy: ['CYC-2'] }), 200)
    for (const blocker of ['CYC-1', 'CYC-2', 'CYC-3', 'CYCB-1']) {
      const error = expectError(await wl.patch('/v1/tasks/CYC-1', { blockedBy: [blocker] }), 'CONFLICT')
      assert.equal(error.reason, 'cycle')
      assert.ok(error.cycle.includes('CYC-1') && error.cycle.includes(blocker), JSON.stringify(error.cycle))
    }
    // CYC-4 is part of CYC-5, so neither may wait for the other.
    await createTask(wl, 'CYC', { title: 'part' })
    await createTask(wl, 'CYC', { title: 'whole' })
    expectStatus(await wl.patch('/v1/tasks/CYC-4', { parentId: 'CYC-5' }), 200)
    for (const [id, blockedBy] of [
      ['CYC-4', ['CYC-5']],
      ['CYC-5', ['CYC-4']],
    ] as const) {
      assert.equal(expectError(await wl.patch(`/v1/tasks/${id}`, { blockedBy }), 'CONFLICT').reason, 'cycle')
    }
    const ofSubtask = expectError(await wl.patch('/v1/tasks/CYC-5', { blockedBy: ['CYC-4'] }), 'CONFLICT')
    assert.deepEqual(ofSubtask.cycle, ['CYC-4', 'CYC-5'])
    assert.match(
      ofSubtask.message,
      /: CYC-4 → CYC-5 → CYC-4\. CYC-4 is below CYC-5 and waits for what blocks it\. Remove one/,
    )
    assert.equal(expectError(await wl.patch('/v1/tasks/CYC-5', { parentId: 'CYC-4' }), 'CONFLICT').reason, 'cycle')
    // What blocks the whole waits for nothing inside of it.
    expectStatus(await wl.patch('/v1/tasks/CYC-1', { blockedBy: ['CYC-4'] }), 200)
    assert.equal(expectError(await wl.patch('/v1/tasks/CYC-5', { blockedBy: ['CYC-3'] }), 'CONFLICT').reason, 'cycle')
    assert.deepEqual((await taskOf('CYC-5')).blockedBy, [])
    // Moving it under what it waits for.
    expectStatus(await wl.patch('/v1/tasks/CYC-4', { parentId: null }), 200)
    assert.equal(expectError(await wl.patch('/v1/tasks/CYC-4', { parentId: 'CYC-1' }), 'CONFLICT').reason, 'cycle')
  })

  it('refuses references to what is not there or may not be used', async () => {
    const project = await createProject(wl, { key: 'REF' })
    await createProject(wl, { key: 'REFB' })
    await createTask(wl, 'REF')
    await createTask(wl, 'REFB')
    const { key } = await createKey(wl, { scopes: ['tasks:write'], projectIds: [project.id] })
    const error = expectError(
      await wl.patch('/v1/tasks/REF-1', { blockedBy: ['NOPE-1', 'REFB-1'] }, { key }),
      'VALIDATION_ERROR',
    )
    assert.deepEqual(
      error.details.map(({ path }: { path: string }) => path),
      ['blockedBy.0', 'blockedBy.1'],
    )
    expectStatus(await wl.patch('/v1/tasks/REF-1', { blockedBy: ['REFB-1'] }), 200)
    expectStatus(await wl.patch('/v1/tasks/REF-1', { blockedBy: ['REFB-1'], title: 'Stays' }, { key }), 200)
    expectError(await wl.patch('/v1/tasks/REF-1', { parentId: 'REFB-1' }), 'VALIDATION_ERROR')
    expectError(await wl.patch('/v1/tasks/REF-1', { parentId: 'REF-9' }), 'VALIDATION_ERROR')
  })

  it('has subtasks with counts, at most eight levels deep', async () => {
    await createProject(wl, { key: 'SUB' })
    await createTask(wl, 'SUB', { title: 'top' })
    for (let level = 2; level <= 8; level++) await createTask(wl, 'SUB', { parentId: `SUB-${level - 1}` })
    const deep = await wl.post('/v1/tasks', { projectId: 'SUB', title: 'too deep', parentId: 'SUB-8' })
    assert.equal(expectError(deep, 'CONFLICT').reason, 'depth')
    await createTask(wl, 'SUB', { title: 'second', parentId: 'SUB-1', status: 'done' })
    assert.deepEqual((await taskOf('SUB-1')).children, { total: 2, open: 1 })
    assert.deepEqual(await idsOf('projectId=SUB&parentId=SUB-1'), ['SUB-2', 'SUB-9'])
    assert.deepEqual(await idsOf('projectId=SUB&parentId=none'), ['SUB-1'])
    expectError(await wl.delete('/v1/tasks/SUB-1'), 'CONFLICT')
    await wl.patch('/v1/tasks/SUB-9', { parentId: null })
    assert.deepEqual((await taskOf('SUB-1')).children, { total: 1, open: 1 })
    expectStatus(await wl.delete('/v1/tasks/SUB-1?force=true'), 200)
    assert.deepEqual(await idsOf('projectId=SUB'), ['SUB-9'])
  })

  it('keeps an externalId unique in the project and merges metadata', async () => {
    await createProject(wl, { key: 'EXT' })
    await createTask(wl, 'EXT', { externalId: 'gh-1', metadata: { a: 1, b: { c: 2 } } })
    const again = await wl.post('/v1/tasks', { projectId: 'EXT', title: 'Again', externalId: 'gh-1' })
    assert.equal(expectError(again, 'CONFLICT').existing, 'EXT-1')
    assert.deepEqual(await idsOf('externalId=gh-1'), ['EXT-1'])
    const patched = await wl.patch('/v1/tasks/EXT-1', { metadata: { a: null, d: [3] } })
    assert.deepEqual(expectStatus(patched, 200).body.data.metadata, { b: { c: 2 }, d: [3] })
    expectError(await wl.patch('/v1/tasks/EXT-1', { metadata: { big: 'x'.repeat(17_000) } }), 'VALIDATION_ERROR')
    expectStatus(await wl.patch('/v1/tasks/EXT-1', { metadata: { half: 'x'.repeat(9_000) } }), 200)
    expectError(await wl.patch('/v1/tasks/EXT-1', { metadata: { rest: 'x'.repeat(9_000) } }), 'VALIDATION_ERROR')
    expectStatus(await wl.patch('/v1/tasks/EXT-1', { metadata: { half: null, rest: 'x'.repeat(9_000) } }), 200)
    await wl.delete('/v1/tasks/EXT-1')
    await createTask(wl, 'EXT', { externalId: 'gh-1' })
  })

  it('has comments that their author or an admin changes', async () => {
    await createProject(wl, { key: 'CMT' })
    await createTask(wl, 'CMT')
    const [author, other] = [await createKey(wl), await createKey(wl)]
    const path = '/v1/tasks/CMT-1/comments'
    const made = expectStatus(await wl.post(path, { body: 'First' }, { key: author.key }), 201)
    const { id, version } = made.body.data
    assert.equal(made.headers.location, `${path}/${id}`)
    assert.equal(version, 1)
    assert.equal((await taskOf('CMT-1')).commentCount, 1)
    expectError(await wl.patch(`${path}/${id}`, { body: 'Mine now' }, { key: other.key }), 'FORBIDDEN')
    const changed = expectStatus(await wl.patch(`${path}/${id}`, { body: 'Second' }, { key: author.key }), 200)
    assert.deepEqual([changed.body.data.body, changed.body.data.version], ['Second', 2])
    await wl.post(path, { body: 'Third' })
    const first = (await wl.get(`${path}?limit=1`)).body
    assert.deepEqual([first.data[0].body, first.pagination.hasMore], ['Second', true])
    const rest = (await wl.get(`${path}?limit=1&cursor=${first.pagination.nextCursor}`)).body
    assert.equal(rest.data[0].body, 'Third')
    expectError(await wl.post(path, { body: '  ' }), 'VALIDATION_ERROR')
    expectError(await wl.post(path, { body: 'x'.repeat(65_537) }), 'VALIDATION_ERROR')
    expectStatus(await wl.delete(`${path}/${id}`), 200)
    expectError(await wl.get(`${path}/${id}`), 'NOT_FOUND')
    assert.equal((await taskOf('CMT-1')).commentCount, 1)
    await wl.delete('/v1/tasks/CMT-1')
    expectError(await wl.get(path), 'NOT_FOUND')
  })
})

describeClient('a tree of tasks', (wl) => {
  it('has at most 1,000 tasks, which can move within it', async () => {
    await createProject(wl, { key: 'FULL' })
    const child = { method: 'POST', path: '/v1/tasks', body: { projectId: 'FULL', title: 'x', parentId: 'FULL-1' } }
    await createTask(wl, 'FULL')
    for (let at = 0; at < 11; at++) {
      const operations = Array.from({ length: 90 }, () => child)
      expectStatus(await wl.post('/v1/batch', { operations }), 200)
    }
    const outside = await createTask(wl, 'FULL')
    for (let at = 0; at < 9; at++) await createTask(wl, 'FULL', { parentId: outside.id })
    const refused = await wl.patch(`/v1/tasks/${outside.id}`, { parentId: 'FULL-2' })
    const { reason, message } = expectError(refused, 'CONFLICT')
    assert.equal(reason, 'depth')
    assert.match(message, /^FULL-1 would have more than 1000 tasks below it/)
    for (let at = 0; at < 9; at++) await createTask(wl, 'FULL', { parentId: 'FULL-1' })
    assert.equal(expectError(await wl.post('/v1/tasks', child.body), 'CONFLICT').reason, 'depth')
    expectStatus(await wl.patch('/v1/tasks/FULL-2', { parentId: 'FULL-3' }), 200)
    expectStatus(await wl.patch('/v1/tasks/FULL-2', { parentId: null }), 200)
    expectStatus(await wl.post('/v1/tasks', child.body), 201)
    assert.equal(expectError(await wl.patch('/v1/tasks/FULL-2', { parentId: 'FULL-1' }), 'CONFLICT').reason, 'depth')
  })
})
