import assert from 'node:assert/strict'
import { it } from 'node:test'
import { expectError, expectStatus } from 'worklore-testing/expect'
import { createProject, createTask, putItem } from 'worklore-testing/factories'
import { rowsOf } from 'worklore-testing/harness'
import { describeService } from 'worklore-testing/service-suite'
import { until } from 'worklore-testing/until'

describeService('a deleted project', (wl) => {
  const read = async (path: string) => expectStatus(await wl.get(path), 200).body.data
  const remove = async (key: string) => expectStatus(await wl.delete(`/v1/projects/${key}?force=true`), 200)
  const entryOf = async (id: string) =>
    (await read('/v1/trash?kind=project')).find(({ project }: { project: string }) => project === id)
  const restore = async (id: string) => {
    const { body } = expectStatus(await wl.post(`/v1/trash/${(await entryOf(id)).id}/restore`, undefined), 200)
    return body.data
  }
  const typesAfter = async (sequence: number) =>
    (await read(`/v1/events?after=${sequence}&limit=500`)).map(({ type }: { type: string }) => type)
  const newest = async () => (await wl.get('/v1/events?after=latest')).body.pagination.nextAfter
  const next = async (projectId?: string) =>
    expectStatus(await wl.post('/v1/tasks/next', { ...(projectId && { projectId }) }), 200).body.data

  it('has no live claims, and restores its tasks without them', async () => {
    const project = await createProject(wl, { key: 'CLAIMED' })
    const task = await createTask(wl, 'CLAIMED', { resources: ['file:a'] })
    const other = await createTask(wl, 'CLAIMED', { resources: ['file:a'], notBefore: '2099-01-01T00:00:00.000Z' })
    const { token } = expectStatus(await wl.post(`/v1/tasks/${task.id}/claim`, {}), 200).body.data.claim
    const before = await newest()
    await remove('CLAIMED')
    const fenced = { headers: { 'worklore-claim': token } }
    assert.equal(
      expectError(await wl.post('/v1/tasks', { projectId: 'CLAIMED', title: 'x' }, fenced), 'PRECONDITION_FAILED')
        .reason,
      'claim_lost',
    )
    expectError(await wl.post(`/v1/tasks/${task.id}/renew`, {}, fenced), 'PRECONDITION_FAILED')
    assert.equal(await next(), null)
    assert.deepEqual(await typesAfter(before), ['project.deleted'])
    const [ended] = await rowsOf<{ outcome: string }>(wl, 'select outcome from ended_claims')
    assert.equal(ended?.outcome, 'deleted')

    assert.deepEqual((await restore(project.id)).skipped, [])
    assert.deepEqual(await typesAfter(before), ['project.deleted', 'project.restored', 'task.claim_expired'])
    const restored = await read(`/v1/tasks/${task.id}`)
    assert.deepEqual([restored.claim, restored.status], [null, 'todo'])
    expectError(await wl.post(`/v1/tasks/${task.id}/release`, {}, fenced), 'PRECONDITION_FAILED')
    assert.equal((await read(`/v1/tasks/${other.id}`)).notBefore, '2099-01-01T00:00:00.000Z')
    assert.equal((await next('CLAIMED')).id, task.id)
    const outcomes = await rowsOf<{ outcome: string }>(wl, 'select outcome from ended_claims')
    assert.deepEqual(
      outcomes.map(({ outcome }) => outcome),
      ['deleted'],
    )
    await remove('CLAIMED')
  })

  it('lets go of tasks elsewhere, and is linked to them again', async () => {
    const [inner, outer] = [await createProject(wl, { key: 'INNER' }), await createProject(wl, { key: 'OUTER' })]
    const blocker = await createTask(wl, 'INNER')
    const waiting = await createTask(wl, 'OUTER', { blockedBy: [blocker.id] })
    const [closing, going] = [await createTask(wl, 'OUTER'), await createTask(wl, 'OUTER')]
    const held = await createTask(wl, 'INNER', { blockedBy: [closing.id, going.id] })
    const inside = await createTask(wl, 'INNER', { blockedBy: [blocker.id] })
    await remove('INNER')
    assert.deepEqual((await read(`/v1/tasks/${waiting.id}`)).blockedBy, [])
    assert.equal((await read(`/v1/tasks/${waiting.id}`)).openBlockers, 0)
    const before = await newest()
    expectStatus(await wl.patch(`/v1/tasks/${closing.id}`, { status: 'done' }), 200)
    expectStatus(await wl.delete(`/v1/tasks/${going.id}`), 200)
    assert.deepEqual(await typesAfter(before), ['task.updated', 'task.deleted'])

    // If both projects of a link are deleted, restoring the second one restores the link.
    await remove('OUTER')
    const { skipped } = await restore(inner.id)
    assert.deepEqual(skipped, [{ task: held.id, field: 'blockedBy', value: going.id, reason: 'not found' }])
    assert.deepEqual((await read(`/v1/tasks/${held.id}`)).blockedBy, [closing.id])
    await remove('INNER')
    await restore(outer.id)
    assert.deepEqual((await restore(inner.id)).skipped, [])
    const { blockedBy, openBlockers } = await read(`/v1/tasks/${waiting.id}`)
    assert.deepEqual([blockedBy, openBlockers], [[blocker.id], 1])
    const now = await read(`/v1/tasks/${held.id}`)
    assert.deepEqual([now.blockedBy, now.openBlockers], [[closing.id], 0])
    assert.equal((await read(`/v1/tasks/${inside.id}`)).openBlockers, 1)
    const ready = (await read('/v1/tasks?ready=true')).map(({ id }: { id: string }) => id)
    assert.deepEqual(ready.toSorted(), [blocker.id, held.id].toSorted())
    assert.equal((await rowsOf(wl, 'select task_id from severed_links')).length, 0)
  })

  it('is not searched, and is searched again', async () => {
    const project = await createProject(wl, { key: 'FOUND' })
    const task = await createTask(wl, 'FOUND', { title: 'A zeppelin' })
    await wl.post(`/v1/tasks/${task.id}/comments`, { body: 'It is a dirigible' })
    await putItem(wl, 'airships', 'About zeppelins', { projectId: 'FOUND' })
    const found = async () => {
      const tasks = await read('/v1/tasks/search?q=zeppelin')
      const commented = await read('/v1/tasks/search?q=dirigible')
      const items = await read('/v1/knowledge/search?q=zeppelin')
      return [tasks.length, commented.length, items.length].join()
    }
    assert.equal(await until(found, (counts) => counts === '1,1,1'), '1,1,1')
    await remove('FOUND')
    assert.equal(await found(), '0,0,0')
    await restore(project.id)
    assert.equal(await until(found, (counts) => counts === '1,1,1'), '1,1,1')
  })

  it('marks what relied on its items, and takes the marks back', async () => {
    const project = await createProject(wl, { key: 'RELIED' })
    await createProject(wl, { key: 'RELYING' })
    await putItem(wl, 'basis', 'What holds', { projectId: 'RELIED' })
    const staleOf = async (id: string) => (await read(`/v1/tasks/${id}`)).stale.map(({ why }: { why: string }) => why)
    const tasks = [await createTask(wl, 'RELYING'), await createTask(wl, 'RELIED')]
    for (const { id } of tasks) {
      const { token } = expectStatus(await wl.post(`/v1/tasks/${id}/claim`, {}), 200).body.data.claim
      const fenced = { headers: { 'worklore-claim': token } }
      expectStatus(await wl.get('/v1/knowledge/basis?projectId=RELIED', fenced), 200)
      expectStatus(await wl.post(`/v1/tasks/${id}/release`, { status: 'todo' }, fenced), 200)
    }
    await remove('RELIED')
    assert.deepEqual(
      await until(
        () => staleOf(tasks[0]!.id),
        (stale) => stale.length === 1,
      ),
      ['deleted'],
    )
    await restore(project.id)
    assert.deepEqual(
      await until(
        () => staleOf(tasks[0]!.id),
        (stale) => stale.length === 0,
      ),
      [],
    )
    assert.deepEqual(await staleOf(tasks[1]!.id), [])
  })

  it('keeps its history, and comes back by an undo', async () => {
    const project = await createProject(wl, { key: 'UNDONE' })
    const task = await createTask(wl, 'UNDONE', { title: 'Before' })
    expectStatus(await wl.patch(`/v1/tasks/${task.id}`, { title: 'After' }), 200)
    const requestId = 'delete-undone'
    expectStatus(await wl.delete('/v1/projects/UNDONE?force=true', { headers: { 'x-request-id': requestId } }), 200)
    const [entry] = await read(`/v1/history?task=${task.id}`)
    assert.deepEqual(entry.changes.title, { from: 'Before', to: 'After' })
    const { undone } = expectStatus(await wl.post('/v1/undo', { requestId, dryRun: false }), 200).body.data
    assert.deepEqual(
      undone.map(({ project, action }: { project: string; action: string }) => [project, action]),
      [[project.id, 'restored']],
    )
    assert.equal((await read(`/v1/tasks/${task.id}`)).title, 'After')
    assert.equal(await entryOf(project.id), undefined)
  })
})
