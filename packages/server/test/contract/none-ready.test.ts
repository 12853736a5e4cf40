import assert from 'node:assert/strict'
import { it } from 'node:test'
import { expectStatus } from 'worklore-testing/expect'
import { createKey, createProject, createTask } from 'worklore-testing/factories'
import { describeTenant } from 'worklore-testing/service-suite'

describeTenant('what next says where no task is ready', (wl) => {
  const ask = async (body: object, options: { key?: string; idempotencyKey?: string } = {}) => {
    const { key, idempotencyKey } = options
    const headers = idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }
    const answer = await wl.post('/v1/tasks/next', body, { headers, ...(key !== undefined && { key }) })
    const { data, message, ...rest } = expectStatus(answer, 200).body
    assert.deepEqual([data, rest], [null, {}])
    return message
  }

  it('is why, by counts, for what was asked for', async () => {
    await createProject(wl, { key: 'WHY' })
    const projectId = 'WHY'
    await createTask(wl, projectId, { status: 'in_progress', labels: ['x'] })
    await createTask(wl, projectId, { blockedBy: ['WHY-1'], labels: ['x'], priority: 'high' })
    const child = await createTask(wl, projectId, { parentId: 'WHY-2', labels: ['y'] })
    await createTask(wl, projectId, { status: 'done', labels: ['z'] })
    const all = 'No task is ready: 2 blocked, 1 in progress without a claim.'
    assert.equal(await ask({ projectId }), all)
    assert.equal(await ask({ projectId, peek: true }), all)
    assert.equal(await ask({ projectId, waitSeconds: 1 }, { idempotencyKey: 'why-1' }), all)
    assert.equal(await ask({ projectId, priority: ['high', 'urgent'] }), 'No task is ready: 1 blocked.')
    assert.equal(await ask({ parentId: 'WHY-2' }), 'No task is ready: 1 blocked.')
    assert.equal(await ask({ parentId: 'WHY-2', label: ['x', 'y'] }), 'No task is ready: 1 blocked.')
    const later = new Date(Date.now() + 3_600_000).toISOString()
    await wl.patch(`/v1/tasks/${child.id}`, { notBefore: later, parentId: null })
    assert.equal(await ask({ projectId, label: 'y' }), `No task is ready: 1 not before ${later}.`)
  })

  it('names the filters that no open task matches', async () => {
    await createProject(wl, { key: 'FILTER' })
    await createProject(wl, { key: 'HIDDEN' })
    await createTask(wl, 'FILTER', { labels: ['closed'], status: 'done' })
    const parent = await createTask(wl, 'FILTER', { status: 'in_progress' })
    await createTask(wl, 'HIDDEN', { labels: ['hidden'], status: 'in_progress' })
    const none = 'No task is ready: no open task matches'
    assert.equal(await ask({ label: 'nowhere' }), `${none} label nowhere.`)
    assert.equal(await ask({ label: 'closed' }), `${none} label closed.`)
    assert.equal(await ask({ projectId: 'FILTER', priority: 'urgent' }), `${none} project FILTER, priority urgent.`)
    assert.equal(await ask({ parentId: parent.id }), `${none} parent ${parent.id}.`)
    const label = Array.from({ length: 50 }, (_, at) => `n "${at}"`)
    const many = '"n \\"0\\"" or "n \\"1\\"" or "n \\"2\\"" or "n \\"3\\"" or "n \\"4\\"" or another'
    assert.equal(await ask({ label }), `${none} label ${many}.`)
    const { key } = await createKey(wl, { scopes: ['tasks:write'], projectIds: ['FILTER'] })
    assert.equal(await ask({ label: 'hidden' }, { key }), `${none} label hidden.`)
    assert.equal(await ask({ label: 'hidden' }), 'No task is ready: 1 in progress without a claim.')
  })
})
