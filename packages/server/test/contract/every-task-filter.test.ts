import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { expectStatus } from 'worklore-testing/expect'
import { createProject, createTask, createUser } from 'worklore-testing/factories'
import { describeTenant } from 'worklore-testing/service-suite'
import type { FilterName } from '../../src/work/tasks/lists/filters.js'

/** A value for each filter, with the tasks of the suite that it selects. */
const selections: Record<FilterName, (userId: string) => [value: string, ids: string[]]> = {
  projectId: () => ['EVERY', ['EVERY-1', 'EVERY-2', 'EVERY-3', 'EVERY-4', 'EVERY-5', 'EVERY-6']],
  priority: () => ['urgent,low', ['EVERY-1', 'EVERY-4']],
  status: () => ['in_review', ['EVERY-4']],
  assignee: (userId) => [userId, ['EVERY-2']],
  dueBefore: () => ['2026-02-01', ['EVERY-2']],
  dueAfter: () => ['2026-02-01', ['EVERY-3']],
  updatedAfter: () => ['2000-01-01', ['EVERY-1', 'EVERY-2', 'EVERY-3', 'EVERY-4', 'EVERY-5', 'EVERY-6', 'OTHER-1']],
  id: () => ['EVERY-3,EVERY-5,EVERY-99', ['EVERY-3', 'EVERY-5']],
  createdBy: () => ['me', ['EVERY-1', 'EVERY-2', 'EVERY-3', 'EVERY-4', 'EVERY-5', 'EVERY-6', 'OTHER-1']],
  externalId: () => ['outside', ['EVERY-3']],
  parentId: () => ['EVERY-1', ['EVERY-2']],
  stale: () => ['false', ['EVERY-1', 'EVERY-2', 'EVERY-3', 'EVERY-4', 'EVERY-5', 'EVERY-6', 'OTHER-1']],
  claimed: () => ['true', ['EVERY-5']],
  claimedBy: () => ['me', ['EVERY-5']],
  checks: () => ['open', ['EVERY-4']],
  canVerify: () => ['true', ['EVERY-4']],
  exhausted: () => ['true', ['OTHER-1']],
  label: () => ['red,blue', ['EVERY-1', 'EVERY-2']],
  blockedBy: () => ['EVERY-1', ['EVERY-6']],
  blocks: () => ['EVERY-6', ['EVERY-1']],
  ready: () => ['true', ['EVERY-3']],
}

describeTenant('every filter of tasks', (wl) => {
  let userId: string

  before(async () => {
    await createProject(wl, { key: 'EVERY' })
    await createProject(wl, { key: 'OTHER', maxAttempts: 1 })
    userId = (await createUser(wl)).id
    const create = (fields: object, project = 'EVERY') => createTask(wl, project, { title: 'Filtered', ...fields })
    await create({ priority: 'urgent', labels: ['red'] })
    await create({ parentId: 'EVERY-1', assigneeId: userId, dueDate: '2026-01-31', labels: ['blue', 'green'] })
    await create({ externalId: 'outside', dueDate: '2026-03-01' })
    await create({ status: 'in_review', priority: 'low', checks: [{ text: 'Looks right' }] })
    await create({})
    await create({ blockedBy: ['EVERY-1'] })
    await create({}, 'OTHER')
    expectStatus(await wl.post('/v1/tasks/EVERY-5/claim', {}), 200)
    const { token } = expectStatus(await wl.post('/v1/tasks/OTHER-1/claim', {}), 200).body.data.claim
    expectStatus(await wl.post('/v1/tasks/OTHER-1/release', {}, { headers: { 'Worklore-Claim': token } }), 200)
  })

  for (const [name, select] of Object.entries(selections)) {
    it(`selects the same tasks in lists, cards, counts and searches: ${name}`, async () => {
      const [value, expected] = select(userId)
      const query = `${name}=${encodeURIComponent(value)}`
      const read = async (path: string): Promise<string[]> => {
        const { data } = expectStatus(await wl.get(path), 200).body
        return data.map(({ id }: { id: string }) => id).toSorted()
      }
      assert.deepEqual(await read(`/v1/tasks?${query}`), expected)
      assert.deepEqual(await read(`/v1/tasks/cards?${query}`), expected)
      assert.deepEqual(await read(`/v1/tasks/search?q=filtered&${query}`), expected)
      const counts = expectStatus(await wl.get(`/v1/tasks/counts?${query}`), 200).body.data
      assert.equal(counts.total, expected.length)
    })
  }

  it('reports the invalid values of all filters together', async () => {
    const answer = await wl.get('/v1/tasks?dueBefore=soon&updatedAfter=late&status=lost&projectId=NONE,NEITHER')
    const { error } = expectStatus(answer, 400).body
    assert.deepEqual(error.details.map(({ path }: { path: string }) => path).toSorted(), [
      ...['dueBefore', 'projectId', 'projectId', 'status', 'updatedAfter'],
    ])
  })
})
