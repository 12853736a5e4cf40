import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { expectInvalid, expectStatus } from 'worklore-testing/expect'
import { createKey, createProject, createTask, createUser, putItem } from 'worklore-testing/factories'
import { addTenant } from 'worklore-testing/operator'
import { describeTenant } from 'worklore-testing/service-suite'

describeTenant('tenants', (wl) => {
  let stranger: string
  const ours: Record<string, string> = {}

  before(async () => {
    stranger = await addTenant(wl)
    ours.project = (await createProject(wl, { key: 'OURS' })).id
    ours.user = (await createUser(wl)).id
    ours.task = (await createTask(wl, 'OURS', { labels: ['ours'], assigneeId: ours.user })).id
    ours.key = (await createKey(wl)).id
    await putItem(wl, 'ours', 'x')
    await putItem(wl, 'ours-too', 'x', { projectId: 'OURS' })
  })

  it('answer for another’s record exactly as for a missing one', async () => {
    const pairs: [method: string, ours: string, missing: string, body?: object][] = [
      ['GET', `/v1/tasks/${ours.task}`, '/v1/tasks/OURS-9'],
      ['PATCH', `/v1/tasks/${ours.task}`, '/v1/tasks/OURS-9', { title: 'x' }],
      ['DELETE', `/v1/tasks/${ours.task}`, '/v1/tasks/OURS-9'],
      ['GET', `/v1/projects/${ours.project}`, '/v1/projects/prj_00000000000000000000'],
      ['GET', '/v1/projects/OURS', '/v1/projects/NONE'],
      ['PATCH', '/v1/projects/OURS', '/v1/projects/NONE', { name: 'x' }],
      ['DELETE', '/v1/projects/OURS?force=true', '/v1/projects/NONE?force=true'],
      ['GET', `/v1/users/${ours.user}`, '/v1/users/usr_00000000000000000000'],
      ['PATCH', `/v1/users/${ours.user}`, '/v1/users/usr_00000000000000000000', { name: 'x' }],
      ['DELETE', `/v1/users/${ours.user}`, '/v1/users/usr_00000000000000000000'],
      ['GET', `/v1/keys/${ours.key}`, '/v1/keys/key_00000000000000000000'],
      ['PATCH', `/v1/keys/${ours.key}`, '/v1/keys/key_00000000000000000000', { name: 'x' }],
      ['DELETE', `/v1/keys/${ours.key}`, '/v1/keys/key_00000000000000000000'],
      ['POST', `/v1/keys/${ours.key}/rotate`, '/v1/keys/key_00000000000000000000/rotate', {}],
      ['GET', '/v1/knowledge/ours', '/v1/knowledge/none'],
      ['GET', '/v1/knowledge/ours-too', '/v1/knowledge/none'],
      ['DELETE', '/v1/knowledge/ours', '/v1/knowledge/none'],
    ]
    for (const [method, path, missingPath, body] of pairs) {
      const headers = { 'x-request-id': 'same' }
      const answer = expectStatus(await wl.request(method, path, { key: stranger, body, headers }), 404)
      const missing = expectStatus(await wl.request(method, missingPath, { key: stranger, body, headers }), 404)
      const named = (url: string) => decodeURIComponent(url.split('/')[3]!.split('?')[0]!)
      assert.equal(answer.text.replaceAll(named(path), '?'), missing.text.replaceAll(named(missingPath), '?'))
    }
    expectStatus(await wl.get(`/v1/tasks/${ours.task}`), 200)
    expectStatus(await wl.get('/v1/knowledge/ours'), 200)
  })

  it('take another’s project or user for one that does not exist', async () => {
    const key = stranger
    await createProject(wl, { key: 'THEIRS' }, { key })
    for (const projectId of [ours.project, 'OURS']) {
      expectInvalid(await wl.post('/v1/tasks', { projectId, title: 'x' }, { key }), 'projectId')
      expectInvalid(await wl.put('/v1/knowledge/x', { content: 'x', projectId }, { key }), 'projectId')
      expectInvalid(await wl.get(`/v1/tasks?projectId=${projectId}`, { key }), 'projectId')
      expectInvalid(await wl.get(`/v1/knowledge?projectId=${projectId}`, { key }), 'projectId')
    }
    const task = { projectId: 'THEIRS', title: 'x', assigneeId: ours.user }
    expectInvalid(await wl.post('/v1/tasks', task, { key }), 'assigneeId')
    const apiKey = { name: 'x', scopes: ['tasks:read'], projectIds: [ours.project], userId: ours.user }
    expectInvalid(await wl.post('/v1/keys', apiKey, { key }), 'projectIds.0', 'userId')
    expectInvalid(await wl.post('/v1/keys', { ...apiKey, projectIds: null }, { key }), 'userId')
  })

  it('list only their own', async () => {
    for (const path of ['/v1/tasks', '/v1/tasks?label=ours', `/v1/tasks?assignee=${ours.user}`, '/v1/knowledge']) {
      assert.deepEqual((await wl.get(path, { key: stranger })).body.data, [], path)
    }
    assert.equal((await wl.get('/v1/users', { key: stranger })).body.data.length, 0)
    assert.equal((await wl.get('/v1/keys', { key: stranger })).body.data.length, 1)
    const { nextCursor } = (await wl.get('/v1/knowledge?limit=1')).body.pagination
    expectInvalid(await wl.get(`/v1/knowledge?cursor=${nextCursor}`, { key: stranger }), 'cursor')
  })

  it('have keys, names and numbers of their own', async () => {
    await createProject(wl, { key: 'OURS' }, { key: stranger })
    const task = await createTask(wl, 'OURS', {}, { key: stranger })
    assert.equal(task.id, 'OURS-1')
    assert.notEqual(task.projectId, ours.project)
    assert.equal((await putItem(wl, 'ours', 'theirs', {}, { key: stranger })).version, 1)
    assert.equal((await wl.get('/v1/knowledge/ours')).body.data.content, 'x')
    const headers = { 'idempotency-key': 'shared' }
    const first = await wl.post('/v1/users', { name: 'x' }, { headers })
    const second = await wl.post('/v1/users', { name: 'x' }, { headers, key: stranger })
    assert.notEqual(first.body.data.id, second.body.data.id)
  })
})
