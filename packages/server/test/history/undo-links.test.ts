import assert from 'node:assert/strict'
import { it } from 'node:test'
import { expectStatus } from 'worklore-testing/expect'
import type { TestTenant } from 'worklore-testing/harness'
import { addTenant } from 'worklore-testing/operator'
import { describeTenant } from 'worklore-testing/service-suite'

type Fields = Record<string, unknown>

/** A tenant with a project, and with an agent whose changes are undone. */
const setStage = async (wl: TestTenant) => {
  const key = await addTenant(wl)
  await wl.post('/v1/projects', { key: 'ACME', name: 'Acme' }, { key })
  const scopes = ['tasks:write', 'knowledge:write']
  const agent = (await wl.post('/v1/keys', { name: 'agent', scopes }, { key })).body.data
  const create = async (fields: Fields, by = key): Promise<string> => {
    const answer = await wl.post('/v1/tasks', { projectId: 'ACME', title: 'Task', ...fields }, { key: by })
    expectStatus(answer, 201)
    return answer.body.data.id
  }
  const undo = async (body: object = { keyId: agent.id }, requestId = 'undo') => {
    const report = { undone: [] as Fields[], conflicts: [] as Fields[] }
    for (let cursor: string | undefined; ; ) {
      const request = { ...body, dryRun: false, ...(cursor && { cursor }) }
      const answer = await wl.post('/v1/undo', request, { key, headers: { 'x-request-id': requestId } })
      expectStatus(answer, 200)
      report.undone.push(...answer.body.data.undone)
      report.conflicts.push(...answer.body.data.conflicts)
      cursor = answer.body.data.nextCursor ?? undefined
      if (cursor === undefined) return report
    }
  }
  return {
    key,
    agent: agent as { id: string; key: string },
    create,
    patch: async (id: string, fields: Fields) =>
      expectStatus(await wl.patch(`/v1/tasks/${id}`, fields, { key: agent.key }), 200),
    remove: async (id: string) => expectStatus(await wl.delete(`/v1/tasks/${id}`, { key: agent.key }), 200),
    task: async (id: string): Promise<Fields | undefined> => (await wl.get(`/v1/tasks/${id}`, { key })).body.data,
    undo,
  }
}

const expectWhole = ({ undone, conflicts }: { undone: Fields[]; conflicts: Fields[] }): void => {
  assert.deepEqual(conflicts, [])
  assert.deepEqual(
    undone.flatMap(({ skipped }) => skipped),
    [],
  )
}

describeTenant('undo of linked tasks', (wl) => {
  it('restores a parent that was left, then deleted', async () => {
    const { create, patch, remove, task, undo } = await setStage(wl)
    const parent = await create({})
    const child = await create({ parentId: parent })
    await patch(child, { parentId: null })
    await remove(parent)
    await patch(child, { title: 'Changed last' })
    expectWhole(await undo())
    assert.equal((await task(child))!.parentId, parent)
    assert.equal((await task(child))!.title, 'Task')
  })

  it('restores blockers and parents that were reversed, and external ids that were swapped', async () => {
    const { create, patch, task, undo } = await setStage(wl)
    const one = await create({ externalId: 'E1' })
    const two = await create({ externalId: 'E2', blockedBy: [one] })
    const parent = await create({})
    const child = await create({ parentId: parent })
    await patch(two, { blockedBy: [] })
    await patch(one, { blockedBy: [two], externalId: null })
    await patch(two, { externalId: 'E1', title: 'Changed' })
    await patch(one, { externalId: 'E2' })
    await patch(child, { parentId: null })
    await patch(parent, { parentId: child })
    await patch(child, { title: 'Changed' })
    expectWhole(await undo())
    const fieldsOf = async (id: string) => {
      const { blockedBy, externalId, parentId } = (await task(id))!
      return { blockedBy, externalId, parentId }
    }
    assert.deepEqual(await fieldsOf(one), { blockedBy: [], externalId: 'E1', parentId: null })
    assert.deepEqual(await fieldsOf(two), { blockedBy: [one], externalId: 'E2', parentId: null })
    assert.equal((await task(parent))!.parentId, null)
    assert.equal((await task(child))!.parentId, parent)
  })

  it('removes a plan with its subtasks, also over several pages, but not with those of others', async () => {
    const { agent, create, patch, task, undo } = await setStage(wl)
    const plan = await create({}, agent.key)
    const shared = await create({}, agent.key)
    const children = []
    for (let at = 0; at < 110; at++) children.push(await create({ parentId: plan }, agent.key))
    const foreign = await create({ parentId: shared })
    await patch(plan, { title: 'The plan' })
    await patch(shared, { title: 'Shared' })
    const { undone, conflicts } = await undo()
    assert.equal(await task(plan), undefined)
    assert.equal(await task(children.at(-1)!), undefined)
    assert.equal(undone.length, 111)
    assert.deepEqual(
      conflicts.map(({ task, reason }) => [task, reason]),
      [[shared, 'refused']],
    )
    assert.match(String(conflicts[0]!.message), /subtasks created by others/)
    assert.ok(await task(foreign))
  })

  it('brings tasks back to where they stood in the order of their project', async () => {
    const { key, agent, create, undo } = await setStage(wl)
    await wl.post('/v1/projects', { key: 'OTHER', name: 'Other' }, { key })
    const top = await create({})
    for (let at = 0; at < 2; at++) await create({ parentId: top })
    for (let at = 0; at < 3; at++) await create({})
    expectStatus(await wl.post(`/v1/tasks/${top}/rank`, { after: 'ACME-4' }, { key }), 200)
    const orderOf = async (projectId: string): Promise<string[]> =>
      (await wl.get(`/v1/tasks?projectId=${projectId}&sort=rank`, { key })).body.data.map(({ id }: Fields) => id)
    const before = await orderOf('ACME')
    assert.deepEqual(before, ['ACME-2', 'ACME-3', 'ACME-4', 'ACME-1', 'ACME-5', 'ACME-6'])
    for (const id of [top, 'ACME-4', 'ACME-5']) {
      expectStatus(await wl.post(`/v1/tasks/${id}/move`, { projectId: 'OTHER' }, { key: agent.key }), 200)
    }
    const moved = await orderOf('OTHER')
    expectWhole(await undo())
    assert.deepEqual(await orderOf('ACME'), before)
    expectWhole(await undo({ requestId: 'undo' }, 'redo'))
    assert.deepEqual(await orderOf('OTHER'), moved)
    assert.deepEqual(await orderOf('ACME'), ['ACME-6'])
  })

  it('undoes a move between projects for either of them, and again after it was redone', async () => {
    const { key, agent, undo } = await setStage(wl)
    await wl.post('/v1/projects', { key: 'OTHER', name: 'Other' }, { key })
    const contentAt = async (projectId: string) =>
      (await wl.get(`/v1/knowledge/note?projectId=${projectId}`, { key })).body.data?.content
    for (const projectId of ['ACME', 'OTHER']) {
      await wl.put('/v1/knowledge/note', { content: 'Text', projectId: 'ACME' }, { key })
      const body = { from: 'note', to: 'note', projectId: 'ACME', toProjectId: 'OTHER' }
      expectStatus(await wl.post('/v1/knowledge/move', body, { key: agent.key }), 200)
      await wl.put('/v1/knowledge/note', { content: 'Edited', projectId: 'OTHER' }, { key: agent.key })
      expectWhole(await undo({ keyId: agent.id, ...(projectId === 'OTHER' && { projectId }) }, `undo-${projectId}`))
      assert.deepEqual([await contentAt('ACME'), await contentAt('OTHER')], ['Text', undefined])
      expectWhole(await undo({ requestId: `undo-${projectId}` }, `redo-${projectId}`))
      assert.deepEqual([await contentAt('ACME'), await contentAt('OTHER')], [undefined, 'Edited'])
      expectWhole(await undo({ keyId: agent.id }, `again-${projectId}`))
      assert.deepEqual([await contentAt('ACME'), await contentAt('OTHER')], ['Text', undefined])
    }
  })

  it('says of records of a deleted project that it must be restored first', async () => {
    const { key, agent, create, patch, undo } = await setStage(wl)
    await patch(await create({}), { title: 'Changed' })
    const admin = (await wl.post('/v1/keys', { name: 'other', scopes: ['admin'] }, { key })).body.data
    expectStatus(await wl.delete('/v1/projects/ACME?force=true', { key: admin.key }), 200)
    const { conflicts } = await undo({ keyId: agent.id })
    assert.match(String(conflicts[0]!.message), /deleted with its project|Since then other deleted it/)
  })
})
