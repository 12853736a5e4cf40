import assert from 'node:assert/strict'
import { it } from 'node:test'
import { expectError, expectInvalid, expectStatus } from 'worklore-testing/expect'
import { createProject, createTask, putItem } from 'worklore-testing/factories'
import { describeTenant } from 'worklore-testing/service-suite'

describeTenant('projects', (wl) => {
  it('are created, read by id and by key, changed and deleted', async () => {
    const answer = expectStatus(await wl.post('/v1/projects', { key: 'ACME', name: 'Acme' }), 201)
    const project = answer.body.data
    assert.match(project.id, /^prj_[0-9A-Za-z]+$/)
    assert.equal(answer.headers.location, `/v1/projects/${project.id}`)
    assert.equal(answer.headers.etag, '"1"')
    const { id, createdAt, updatedAt, ...rest } = project
    assert.deepEqual(rest, {
      key: 'ACME',
      name: 'Acme',
      description: '',
      maxAttempts: 5,
      defaultChecks: [],
      statuses: null,
      visibility: 'tenant',
      paused: null,
      version: 1,
    })
    assert.equal(createdAt, updatedAt)
    for (const ref of [id, 'ACME']) assert.deepEqual((await wl.get(`/v1/projects/${ref}`)).body, { data: project })
    const patched = expectStatus(await wl.patch('/v1/projects/ACME', { name: 'New', description: 'About' }), 200)
    assert.deepEqual(
      [patched.body.data.name, patched.body.data.description, patched.body.data.version],
      ['New', 'About', 2],
    )
    assert.deepEqual((await wl.delete('/v1/projects/ACME')).body, { data: { id, deleted: true } })
    expectError(await wl.delete('/v1/projects/ACME'), 'NOT_FOUND')
    expectError(await wl.get(`/v1/projects/${id}`), 'NOT_FOUND')
  })

  it('have a key of 2 to 10 capital letters and digits, a letter first', async () => {
    for (const key of ['AB', 'A1', 'ABCDEFGHIJ']) await createProject(wl, { key })
    for (const key of ['A', 'ABCDEFGHIJK', '1A', 'ab', 'A-B', 'A B', 'Ä1', '', 7, null, 'AB\n']) {
      expectInvalid(await wl.post('/v1/projects', { key, name: 'x' }), 'key')
    }
    expectInvalid(await wl.post('/v1/projects', {}), 'key', 'name')
    expectInvalid(await wl.post('/v1/projects', { key: 'OK', name: '' }), 'name')
  })

  it('have a key that is unique in the tenant and fixed for life', async () => {
    await createProject(wl, { key: 'TAKEN' })
    expectError(await wl.post('/v1/projects', { key: 'TAKEN', name: 'x' }), 'CONFLICT')
    const racers = await Promise.all(
      Array.from({ length: 8 }, () => wl.post('/v1/projects', { key: 'RACE', name: 'x' })),
    )
    assert.deepEqual(racers.map(({ status }) => status).sort(), [201, ...Array(7).fill(409)])
    for (const field of ['key', 'id', 'version', 'createdAt']) {
      expectInvalid(await wl.patch('/v1/projects/TAKEN', { [field]: 'OTHER' }), field)
    }
  })

  it('are listed in pages, the oldest first', async () => {
    const all: string[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { body } = expectStatus(await wl.get(`/v1/projects?limit=2${cursor && `&cursor=${cursor}`}`), 200)
      assert.ok(body.data.length <= 2)
      assert.equal(body.pagination.hasMore, body.pagination.nextCursor !== null)
      all.push(...body.data.map(({ key }: { key: string }) => key))
      cursor = body.pagination.nextCursor
    }
    assert.deepEqual(all.slice().sort(), ['A1', 'AB', 'ABCDEFGHIJ', 'RACE', 'TAKEN'])
    assert.equal((await wl.get('/v1/projects')).body.pagination.limit, 50)
    for (const query of ['limit=0', 'limit=101']) expectInvalid(await wl.get(`/v1/projects?${query}`), 'limit')
    for (const cursor of ['x', '']) expectInvalid(await wl.get(`/v1/projects?cursor=${cursor}`), 'cursor')
    const ofUsers = (await wl.get('/v1/projects?limit=1')).body.pagination.nextCursor
    expectInvalid(await wl.get(`/v1/users?cursor=${ofUsers}`), 'cursor')
  })

  it('are deleted with what they hold only by force', async () => {
    await createProject(wl, { key: 'TASKS' })
    const task = await createTask(wl, 'TASKS', { labels: ['held'] })
    await createProject(wl, { key: 'ITEMS' })
    await putItem(wl, 'held', 'x', { projectId: 'ITEMS' })
    for (const key of ['TASKS', 'ITEMS']) {
      assert.match(expectError(await wl.delete(`/v1/projects/${key}`), 'CONFLICT').hint, /force=true/)
      expectError(await wl.delete(`/v1/projects/${key}?force=false`), 'CONFLICT')
      expectInvalid(await wl.delete(`/v1/projects/${key}?force=yes`), 'force')
      expectStatus(await wl.delete(`/v1/projects/${key}?force=true`), 200)
    }
    expectError(await wl.get(`/v1/tasks/${task.id}`), 'NOT_FOUND')
    expectError(await wl.get('/v1/knowledge/held'), 'NOT_FOUND')
    assert.equal((await wl.get('/v1/tasks?label=held')).body.data.length, 0)
    await createProject(wl, { key: 'EMPTIED' })
    const only = await createTask(wl, 'EMPTIED')
    await wl.delete(`/v1/tasks/${only.id}`)
    expectStatus(await wl.delete('/v1/projects/EMPTIED'), 200)
  })
})
