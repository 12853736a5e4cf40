import assert from 'node:assert/strict'
import { it } from 'node:test'
import { signIn } from 'worklore-testing/console-session'
import { expectError, expectInvalid, expectStatus } from 'worklore-testing/expect'
import { createKey, createProject, createTask, createUser } from 'worklore-testing/factories'
import type { RequestOptions } from 'worklore-testing/harness'
import { createTestTenant } from 'worklore-testing/operator'
import { describeTenant } from 'worklore-testing/service-suite'

describeTenant('lists of questions', (wl) => {
  const ids: string[] = []
  const list = async (query: string, options?: RequestOptions): Promise<number[]> => {
    const { data } = expectStatus(await wl.get(`/v1/questions?${query}`, options), 200).body
    return data.map(({ id }: { id: string }) => ids.indexOf(id))
  }

  it('show the newest first, by state, user, task and project, page by page', async () => {
    for (const key of ['ONE', 'TWO']) await createProject(wl, { key })
    for (const key of ['ONE', 'ONE', 'TWO']) await createTask(wl, key)
    const ada = await createUser(wl)
    const { key } = await createKey(wl, { userId: ada.id })
    for (const [at, taskId] of ['ONE-1', 'ONE-2', 'TWO-1', 'ONE-1', 'TWO-1', 'ONE-2'].entries()) {
      const to = at % 2 === 0 ? { to: ada.id } : {}
      const asked = await wl.post(`/v1/tasks/${taskId}/questions`, { body: `Question ${at}`, ...to })
      ids.push(expectStatus(asked, 201).body.data.id)
    }
    expectStatus(await wl.post(`/v1/questions/${ids[0]}/answer`, { body: 'x' }), 200)
    expectStatus(await wl.post(`/v1/questions/${ids[3]}/answer`, { body: 'x' }), 200)
    expectStatus(await wl.post(`/v1/questions/${ids[4]}/withdraw`, {}), 200)

    assert.deepEqual(await list(''), [5, 4, 3, 2, 1, 0])
    assert.deepEqual(await list('state=open'), [5, 2, 1])
    assert.deepEqual(await list('state=answered'), [3, 0])
    assert.deepEqual(await list('state=withdrawn'), [4])
    assert.deepEqual(await list('to=me', { key }), [4, 2, 0])
    assert.deepEqual(await list('to=me&state=open', { key }), [2])
    assert.deepEqual(await list('to=me&taskId=ONE-1', { key }), [0])
    assert.deepEqual(await list('taskId=ONE-1'), [3, 0])
    assert.deepEqual(await list('taskId=ONE-1&state=answered&projectId=ONE'), [3, 0])
    assert.deepEqual(await list('projectId=TWO'), [4, 2])
    assert.deepEqual(await list('projectId=ONE&state=open'), [5, 1])
    assert.deepEqual(await list('projectId=ONE&to=me', { key }), [0])

    for (const filter of ['', 'state=open&', 'projectId=ONE&']) {
      const found: number[] = []
      for (let cursor = ''; ; ) {
        const page = expectStatus(await wl.get(`/v1/questions?${filter}limit=2${cursor}`), 200).body
        assert.equal(page.pagination.limit, 2)
        found.push(...page.data.map(({ id }: { id: string }) => ids.indexOf(id)))
        if (!page.pagination.hasMore) break
        cursor = `&cursor=${page.pagination.nextCursor}`
      }
      assert.deepEqual(found, await list(filter))
    }
    const { nextCursor } = (await wl.get('/v1/questions?limit=1')).body.pagination
    expectInvalid(await wl.get(`/v1/questions?state=open&cursor=${nextCursor}`), 'cursor')
  })

  it('refuse what they cannot tell', async () => {
    expectInvalid(await wl.get('/v1/questions?state=closed'), 'state')
    expectInvalid(await wl.get('/v1/questions?to=usr_1'), 'to')
    expectInvalid(await wl.get('/v1/questions?projectId=NONE'), 'projectId')
    expectInvalid(await wl.get('/v1/questions?limit=101'), 'limit')
    expectError(await wl.get('/v1/questions?taskId=NONE-1'), 'NOT_FOUND')
    const nobody = await createKey(wl)
    expectInvalid(await wl.get('/v1/questions?to=me', nobody), 'to')
    const page = await signIn(wl, nobody)
    assert.deepEqual((await page.get('/v1/questions?to=me')).body.data, [])
  })

  it('show a key what is in its projects, and another tenant nothing', async () => {
    const limited = await createKey(wl, { projectIds: ['TWO'] })
    assert.deepEqual(await list('', limited), [4, 2])
    assert.deepEqual(await list('state=open', limited), [2])
    for (const query of ['projectId=ONE', 'taskId=ONE-1']) {
      expectError(await wl.get(`/v1/questions?${query}`, limited), 'FORBIDDEN')
    }
    const path = `/v1/questions/${ids[5]}`
    expectError(await wl.get(path, limited), 'FORBIDDEN')
    expectError(await wl.post(`${path}/answer`, { body: 'x' }, limited), 'FORBIDDEN')
    expectError(await wl.post(`${path}/withdraw`, {}, limited), 'FORBIDDEN')
    expectError(await wl.post('/v1/tasks/ONE-1/questions', { body: 'x' }, limited), 'FORBIDDEN')
    const two = await createKey(wl, { projectIds: ['ONE', 'TWO'] })
    assert.deepEqual(await list('state=open', two), [5, 2, 1])

    const { adminKey: key } = await createTestTenant(wl)
    assert.deepEqual(await list('', { key }), [])
    for (const [method, end, body] of [
      ['GET', ''],
      ['POST', '/answer', { body: 'x' }],
      ['POST', '/withdraw', {}],
    ] as const) {
      const [others, none] = [ids[5]!, 'qst_none'].map((id) =>
        wl.request(method, `/v1/questions/${id}${end}`, { key, ...(body && { body }) }),
      )
      const messages = [await others, await none].map((answer) => expectError(answer!, 'NOT_FOUND').message)
      assert.equal(messages[0].replace(ids[5]!, 'qst_none'), messages[1])
    }
    assert.equal((await wl.get(path)).body.data.state, 'open')
  })

  it('leave out the questions of deleted tasks', async () => {
    expectStatus(await wl.delete('/v1/tasks/ONE-2'), 200)
    assert.deepEqual(await list(''), [4, 3, 2, 0])
    expectError(await wl.get(`/v1/questions/${ids[5]}`), 'NOT_FOUND')
    expectError(await wl.post(`/v1/questions/${ids[5]}/answer`, { body: 'x' }), 'NOT_FOUND')
    const [entry] = (await wl.get('/v1/trash?kind=task')).body.data
    expectStatus(await wl.post(`/v1/trash/${entry.id}/restore`, {}), 200)
    assert.deepEqual(await list('state=open'), [5, 2, 1])
    assert.equal((await wl.get('/v1/tasks/ONE-2')).body.data.openQuestions, 2)
    assert.deepEqual(
      (await wl.get('/v1/tasks?projectId=ONE&ready=true')).body.data.map(({ id }: { id: string }) => id),
      ['ONE-1'],
    )
  })
})
