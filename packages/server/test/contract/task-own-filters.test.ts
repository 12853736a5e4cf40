import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { expectInvalid, expectStatus } from 'worklore-testing/expect'
import { createKey, createProject, createTask, createUser } from 'worklore-testing/factories'
import { describeTenant } from 'worklore-testing/service-suite'

describeTenant('filters of tasks by id, assignee and creator', (wl) => {
  // biome-ignore lint/suspicious/noExplicitAny: a key as it is answered
  let agent: any
  let userId: string
  const ids = async (query: string, key?: string): Promise<string[]> => {
    const answer = await wl.get(`/v1/tasks?sort=createdAt&${query}`, key === undefined ? {} : { key })
    return expectStatus(answer, 200).body.data.map(({ id }: { id: string }) => id)
  }

  before(async () => {
    await createProject(wl, { key: 'OWN' })
    userId = (await createUser(wl)).id
    agent = await createKey(wl, { userId })
    await createTask(wl, 'OWN', { assigneeId: userId })
    await createTask(wl, 'OWN', {}, { key: agent.key })
    await createTask(wl, 'OWN', { status: 'done', labels: ['x'] }, { key: agent.key })
  })

  it('list tasks by their ids, up to 100, with the other filters', async () => {
    assert.deepEqual(await ids('id=OWN-3,OWN-1'), ['OWN-1', 'OWN-3'])
    assert.deepEqual(await ids('id=OWN-3,OWN-1&status=todo'), ['OWN-1'])
    assert.deepEqual(await ids('id=OWN-3,OWN-1&label=x'), ['OWN-3'])
    assert.deepEqual(await ids('id=OWN-9,no%20id'), [])
    const many = Array.from({ length: 100 }, (_, at) => `OWN-${at + 1}`)
    assert.deepEqual(await ids(`id=${many}`), ['OWN-1', 'OWN-2', 'OWN-3'])
    expectInvalid(await wl.get(`/v1/tasks?id=${many},OWN-101`), 'id')
    expectInvalid(await wl.get('/v1/tasks?id='), 'id')
    const limited = await createKey(wl, { projectIds: [(await createProject(wl)).id] })
    assert.deepEqual(await ids('id=OWN-1', limited.key), [])
    const counts = expectStatus(await wl.get('/v1/tasks/counts?id=OWN-3,OWN-1'), 200).body.data
    assert.deepEqual([counts.total, counts.done], [2, 1])
  })

  it('list what is assigned to the user of the key', async () => {
    assert.deepEqual(await ids('assignee=me', agent.key), ['OWN-1'])
    assert.deepEqual(await ids(`assignee=me,none`, agent.key), ['OWN-1', 'OWN-2', 'OWN-3'])
    const alone = await createKey(wl)
    assert.deepEqual(await ids('assignee=me', alone.key), [])
    assert.deepEqual(await ids('assignee=me,none', alone.key), ['OWN-2', 'OWN-3'])
    assert.deepEqual(await ids('assignee=me&label=x', agent.key), [])
  })

  it('list what a key has created', async () => {
    assert.deepEqual(await ids('createdBy=me', agent.key), ['OWN-2', 'OWN-3'])
    assert.deepEqual(await ids(`createdBy=${agent.id}&status=done`), ['OWN-3'])
    assert.deepEqual(await ids('createdBy=me'), ['OWN-1'])
    assert.deepEqual(await ids('createdBy=key_none'), [])
    expectInvalid(await wl.get('/v1/tasks?createdBy='), 'createdBy')
  })
})
