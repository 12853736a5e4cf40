import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { expectError, expectStatus } from 'worklore-testing/expect'
import { createKey, createProject, createTask, createUser, putItem } from 'worklore-testing/factories'
import { describeTenant } from 'worklore-testing/service-suite'
import { until } from 'worklore-testing/until'
import { listPrivateProjects } from '../../src/tenancy/projects/members/service.js'

interface Hit {
  key: string
  score: number
}

describeTenant('traces of private projects', (wl) => {
  let open: { id: string }
  let secret: { id: string }
  let key: string

  before(async () => {
    open = await createProject(wl)
    secret = await createProject(wl, { visibility: 'private' })
    const { id: userId } = await createUser(wl)
    key = (await createKey(wl, { scopes: ['tasks:write', 'knowledge:write'], userId })).key
  })

  it('are not in the error of a claim that is not the caller’s', async () => {
    const hidden = await createTask(wl, secret.id)
    const seen = await createTask(wl, open.id)
    expectStatus(await wl.post(`/v1/tasks/${hidden.id}/claim`, {}), 200)
    const messageWith = async (token: string): Promise<string> => {
      const headers = { 'worklore-claim': token }
      const answer = await wl.patch(`/v1/tasks/${seen.id}`, { priority: 'low' }, { key, headers })
      return expectError(answer, 'PRECONDITION_FAILED').message.replaceAll(token, 'TOKEN')
    }
    assert.equal(await messageWith(`${hidden.id}.1`), await messageWith(`${hidden.id.split('-')[0]}-999.1`))
  })

  it('are not in the versions of a task that was moved out of one', async () => {
    const { id } = await createTask(wl, secret.id, { title: 'From before' })
    expectStatus(await wl.patch(`/v1/tasks/${id}`, { title: 'Fit to be seen' }), 200)
    expectStatus(await wl.post(`/v1/tasks/${id}/move`, { projectId: open.id }), 200)
    expectStatus(await wl.patch(`/v1/tasks/${id}`, { priority: 'low' }), 200)
    expectStatus(await wl.get(`/v1/tasks/${id}`, { key }), 200)
    expectError(await wl.get(`/v1/tasks/${id}?version=1`, { key }), 'NOT_FOUND')
    expectError(await wl.post('/v1/history/restore', { task: id, version: 1 }, { key }), 'NOT_FOUND')
    const { data } = expectStatus(await wl.get(`/v1/tasks/${id}/history`, { key }), 200).body
    assert.deepEqual(
      data.map(({ type }: { type: string }) => type),
      ['task.updated', 'task.moved'],
    )
    assert.equal(JSON.stringify(data).includes('From before'), false)
    expectStatus(await wl.get(`/v1/tasks/${id}?version=1`), 200)
    assert.equal(expectStatus(await wl.get(`/v1/tasks/${id}/history`), 200).body.data.length, 4)
  })

  it('are not in the trash or the inbox after a task was moved out of one', async () => {
    const { id: userId, handle } = await createUser(wl)
    const reader = { key: (await createKey(wl, { scopes: ['tasks:write'], userId })).key }
    const member = {
      key: (await createKey(wl, { scopes: ['admin'], userId: (await createUser(wl, { role: 'admin' })).id })).key,
    }
    const { id } = await createTask(wl, secret.id)
    const body = `@${handle} Removed while private`
    const removed = expectStatus(await wl.post(`/v1/tasks/${id}/comments`, { body }), 201).body.data
    const edited = expectStatus(await wl.post(`/v1/tasks/${id}/comments`, { body }), 201).body.data
    expectStatus(await wl.patch(`/v1/tasks/${id}/comments/${edited.id}`, { body: 'Fit to be seen' }), 200)
    expectStatus(await wl.delete(`/v1/tasks/${id}/comments/${removed.id}`), 200)
    expectStatus(await wl.post(`/v1/tasks/${id}/move`, { projectId: open.id }), 200)
    for (const path of ['/v1/trash', '/v1/inbox?state=all']) {
      const { text } = await wl.get(path, reader)
      assert.ok(!text.includes('Removed while private') && !text.includes(removed.id), text)
    }
    const [entry] = expectStatus(await wl.get('/v1/trash?kind=comment', member), 200).body.data
    assert.equal(entry.comment, removed.id)
    expectStatus(await wl.post(`/v1/trash/${entry.id}/restore`, {}), 200)
    assert.equal((await wl.get(`/v1/tasks/${id}`, reader)).body.data.commentCount, 2)
  })

  it('are not there when one is purged from which records were moved before', async () => {
    const [left, empty] = [
      await createProject(wl, { visibility: 'private' }),
      await createProject(wl, { visibility: 'private' }),
    ]
    const { id } = await createTask(wl, left.id, { title: 'Xylophone99' })
    expectStatus(await wl.post(`/v1/tasks/${id}/comments`, { body: 'Xylophone99' }), 201)
    expectStatus(await wl.post(`/v1/tasks/${id}/move`, { projectId: secret.id }), 200)
    await putItem(wl, 'xylophone/99', 'Xylophone99', { projectId: left.id })
    const move = { from: 'xylophone/99', projectId: left.id, to: 'xylophone/99', toProjectId: secret.id }
    expectStatus(await wl.post('/v1/knowledge/move', move), 200)
    for (let at = 0; at < 5; at++)
      expectStatus(await wl.delete(`/v1/tasks/${(await createTask(wl, empty.id)).id}`), 200)
    for (const project of [left, empty]) expectStatus(await wl.delete(`/v1/projects/${project.id}?force=true`), 200)
    const emptyTrash = async () => expectStatus(await wl.delete('/v1/trash'), 200).body.data
    const { purged, pending } = await emptyTrash()
    assert.equal(purged, 7)
    // A slow machine needs several requests.
    if (pending > 0) await until(emptyTrash, (answer) => answer.pending === 0)
    for (const path of [
      '/v1/events?order=desc&limit=500',
      '/v1/history?limit=100',
      '/v1/history?knowledge=xylophone/99',
    ])
      assert.ok(!(await wl.get(path, { key })).text.includes('Xylophone99'), path)
    assert.equal(expectStatus(await wl.get(`/v1/tasks/${id}/history`), 200).body.data.length, 2)
    const marked = await listPrivateProjects(wl.service.core.db, wl.tenantId)
    assert.deepEqual([marked.includes(left.id), marked.includes(empty.id)], [true, false])
  })

  it('are not in the history of an item that was moved into one', async () => {
    await putItem(wl, 'moved/from', 'Text', { projectId: open.id })
    const move = { from: 'moved/from', projectId: open.id, to: 'moved/to-hidden', toProjectId: secret.id }
    expectStatus(await wl.post('/v1/knowledge/move', move), 200)
    const history = async (options: object) =>
      JSON.stringify(
        expectStatus(await wl.get(`/v1/history?knowledge=moved/from&projectId=${open.id}`, options), 200).body,
      )
    const seen = await history({ key })
    assert.deepEqual([seen.includes('to-hidden'), seen.includes(secret.id)], [false, false])
    assert.ok((await history({})).includes('to-hidden'))
  })

  it('are not in the scores, corrections and completions of searches', async () => {
    const word = 'quernstone'
    await putItem(wl, 'mill/a', `The ${word} is dressed in autumn`, { projectId: open.id })
    await putItem(wl, 'mill/b', 'The miller dresses the stones', { projectId: open.id })
    const results = async () => {
      const found = []
      for (const q of [`${word}.`, 'dresses.', 'quernstine.', 'zymurgi.', 'zym']) {
        const answer = await wl.get(`/v1/knowledge/search?q=${q}`, { key })
        found.push([q, expectStatus(answer, 200).body.data.map(({ key, score }: Hit) => [key, score])])
      }
      return found
    }
    const before = await results()
    for (let at = 0; at < 30; at++) {
      await putItem(wl, `hidden/${at}`, `The ${word} for zymurgy dresses`, { projectId: secret.id })
    }
    assert.deepEqual(await results(), before)
  })
})
