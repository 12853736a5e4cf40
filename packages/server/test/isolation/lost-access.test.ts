import assert from 'node:assert/strict'
import { it } from 'node:test'
import { expectError, expectStatus } from 'worklore-testing/expect'
import { createKey, createProject, createTask, createUser } from 'worklore-testing/factories'
import { describeTenant } from 'worklore-testing/service-suite'

describeTenant('what a caller could see once', (wl) => {
  const createMember = async (projectId: string) => {
    const user = await createUser(wl, { role: 'member' })
    expectStatus(await wl.put(`/v1/projects/${projectId}/members/${user.id}`, { role: 'member' }), 200)
    const { key } = await createKey(wl, { scopes: ['tasks:write', 'knowledge:write'], userId: user.id })
    return { userId: user.id, key }
  }

  it('is not returned to repeated requests after its project was hidden', async () => {
    const project = await createProject(wl, { visibility: 'private' })
    const { userId, key } = await createMember(project.id)
    for (let count = 0; count < 2; count++) await createTask(wl, project.key, { title: 'secret' })
    const requests: [path: string, body: object][] = [
      ['/v1/tasks/next', { projectId: project.key }],
      [`/v1/tasks/${project.key}-2/claim`, {}],
      ['/v1/tasks', { projectId: project.key, title: 'secret' }],
      [
        '/v1/batch',
        { operations: [{ method: 'PATCH', path: `/v1/tasks/${project.key}-1`, body: { title: 'more secret' } }] },
      ],
    ]
    const send = ([path, body]: (typeof requests)[number]) =>
      wl.post(path, body, { key, headers: { 'idempotency-key': path } })
    for (const request of requests) assert.match((await send(request)).text, /secret/, request[0])
    const repeated = await send(requests[0]!)
    assert.equal(repeated.headers['idempotency-replayed'], 'true')
    expectStatus(await wl.delete(`/v1/projects/${project.id}/members/${userId}`), 200)
    for (const request of requests) {
      const answer = await send(request)
      expectError(answer, 'NOT_FOUND')
      assert.ok(!answer.text.includes('secret') && !answer.text.includes(project.key), answer.text)
    }
  })

  it('is not named by an error about a cycle', async () => {
    const [open, hidden] = [await createProject(wl), await createProject(wl, { visibility: 'private' })]
    const { key } = await createKey(wl, {
      scopes: ['tasks:write'],
      userId: (await createUser(wl, { role: 'member' })).id,
    })
    const first = await createTask(wl, open.key)
    const between = await createTask(wl, hidden.key, { blockedBy: [first.id] })
    const last = await createTask(wl, open.key, { blockedBy: [between.id] })
    const refused = async (by: { key?: string }) =>
      expectError(await wl.patch(`/v1/tasks/${first.id}`, { blockedBy: [last.id] }, by), 'CONFLICT')
    const told = await refused({ key })
    assert.equal(told.reason, 'cycle')
    assert.deepEqual(told.cycle, [first.id, last.id])
    assert.ok(!JSON.stringify(told).includes(hidden.key), String(told.message))
    assert.match(String(told.message), /a task that you cannot see/)
    assert.deepEqual((await refused({})).cycle, [first.id, last.id, between.id])
  })
})
