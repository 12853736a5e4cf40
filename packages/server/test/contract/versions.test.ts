import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { expectError, expectStatus } from 'worklore-testing/expect'
import { createProject, createTask, putItem } from 'worklore-testing/factories'
import type { TestService } from 'worklore-testing/harness'
import { describeService } from 'worklore-testing/service-suite'

const ifMatch = (tag: string) => ({ headers: { 'if-match': tag } })
const ifNoneMatch = (tag: string) => ({ headers: { 'if-none-match': tag } })

/** One record of each kind that has a version, at version 2, and a change to it. */
const subjects = async (wl: TestService) => {
  const project = await createProject(wl)
  await wl.patch(`/v1/projects/${project.id}`, { name: 'Second' })
  const task = await createTask(wl, project.id)
  await wl.patch(`/v1/tasks/${task.id}`, { title: 'Second' })
  const key = `versions/${project.key}`
  await putItem(wl, key, 'first')
  await putItem(wl, key, 'second')
  let changes = 0
  return [
    {
      path: `/v1/tasks/${task.id}`,
      change: (headers: Record<string, string>) =>
        wl.patch(`/v1/tasks/${task.id}`, { title: `Changed ${++changes}` }, { headers }),
      same: () => wl.patch(`/v1/tasks/${task.id}`, { title: 'Second', labels: [], assigneeId: null }),
    },
    {
      path: `/v1/projects/${project.id}`,
      change: (headers: Record<string, string>) =>
        wl.patch(`/v1/projects/${project.id}`, { name: `Changed ${++changes}` }, { headers }),
      same: () => wl.patch(`/v1/projects/${project.id}`, { name: 'Second', description: '' }),
    },
    {
      path: `/v1/knowledge/${key}`,
      change: (headers: Record<string, string>) =>
        wl.put(`/v1/knowledge/${key}`, { content: `Changed ${++changes}` }, { headers }),
      same: () => wl.put(`/v1/knowledge/${key}`, { content: 'second' }),
    },
  ]
}

describeService('versions', (wl) => {
  let records: Awaited<ReturnType<typeof subjects>>
  before(async () => {
    records = await subjects(wl)
  })

  it('are counted in the record and named by the ETag', async () => {
    for (const { path } of records) {
      const { headers, body } = await wl.get(path)
      assert.deepEqual([headers.etag, body.data.version], ['"2"', 2])
    }
  })

  it('stay where the assignee of a task is renamed, though its ETag is another', async () => {
    const project = await createProject(wl)
    const { data: user } = expectStatus(await wl.post('/v1/users', { name: 'Ada' }), 201).body
    const task = await createTask(wl, project.id, { assigneeId: user.id })
    const path = `/v1/tasks/${task.id}`
    const etag = (await wl.get(path)).headers.etag!
    expectStatus(await wl.patch(`/v1/users/${user.id}`, { email: 'ada@example.com' }), 200)
    expectStatus(await wl.get(path, ifNoneMatch(etag)), 304)
    expectStatus(await wl.patch(`/v1/users/${user.id}`, { name: 'Ada L.' }), 200)
    const renamed = expectStatus(await wl.get(path, ifNoneMatch(etag)), 200)
    const tag = renamed.headers.etag!
    assert.deepEqual([renamed.body.data.assignee.name, renamed.body.data.version], ['Ada L.', 1])
    expectStatus(await wl.get(path, ifNoneMatch(tag)), 304)
    expectStatus(await wl.patch(path, { title: 'Mine' }, ifMatch(tag)), 200)
  })

  it('stay with updatedAt where a change changes nothing', async () => {
    for (const { path, same } of records) {
      const before = (await wl.get(path)).body
      wl.passTime(1_000)
      const answer = expectStatus(await same(), 200)
      assert.deepEqual(answer.body, before)
      assert.equal(answer.headers.etag, '"2"')
    }
  })

  it('answer a read with 304 and the headers of every answer where the caller has it', async () => {
    for (const { path } of records) {
      for (const tag of ['"2"', 'W/"2"', '2', '*', '"1", "2"', '"x","2" , W/"9"']) {
        const answer = expectStatus(await wl.get(path, ifNoneMatch(tag)), 304)
        assert.equal(answer.text, '')
        assert.equal(answer.headers.etag, '"2"')
        assert.ok(answer.headers['x-ratelimit-limit'] && answer.headers['x-request-id'])
      }
      for (const tag of ['"1"', '"22"', '1', 'garbage', '""']) {
        expectStatus(await wl.get(path, ifNoneMatch(tag)), 200)
      }
    }
  })

  it('refuse a change at another version, and tell the one now', async () => {
    for (const { path, change } of records) {
      for (const tag of ['"1"', '"3"', '"1", "7"', '1', 'garbage', '""', '"2.0"', '"-2"', '"02"']) {
        const answer = await change({ 'if-match': tag })
        assert.equal(expectError(answer, 'PRECONDITION_FAILED').currentVersion, 2, tag)
        expectError(await wl.delete(path, ifMatch(tag)), 'PRECONDITION_FAILED')
      }
      assert.equal((await wl.get(path)).body.data.version, 2)
    }
  })

  it('let a change through at its version, in a list, or at any', async () => {
    for (const { path, change } of records) {
      expectStatus(await change({ 'if-match': '"2"' }), 200)
      expectStatus(await change({ 'if-match': '1, 3' }), 200)
      const { body, headers } = expectStatus(await change({ 'if-match': '*' }), 200)
      assert.deepEqual([body.data.version, headers.etag], [5, '"5"'])
      expectError(await wl.delete(path, ifMatch('"4"')), 'PRECONDITION_FAILED')
    }
  })

  it('let one of many changes at the same version win', async () => {
    const [task] = records
    const answers = await Promise.all(Array.from({ length: 12 }, () => task!.change({ 'if-match': '"5"' })))
    assert.equal(answers.filter(({ status }) => status === 200).length, 1)
    assert.equal(answers.filter(({ status }) => status === 412).length, 11)
  })

  it('let a PUT only create, or only update', async () => {
    const path = '/v1/knowledge/create-only'
    const absent = await wl.put(path, { content: 'x' }, ifMatch('*'))
    assert.equal(expectError(absent, 'PRECONDITION_FAILED').currentVersion, null)
    expectStatus(await wl.put(path, { content: 'x' }, ifNoneMatch('*')), 201)
    const again = await wl.put(path, { content: 'y' }, ifNoneMatch('*'))
    assert.equal(expectError(again, 'PRECONDITION_FAILED').currentVersion, 1)
    assert.equal((await wl.get(path)).body.data.content, 'x')
    const racers = await Promise.all(
      Array.from({ length: 10 }, (_, at) => wl.put('/v1/knowledge/race', { content: `${at}` }, ifNoneMatch('*'))),
    )
    assert.deepEqual(racers.map(({ status }) => status).sort(), [201, ...Array(9).fill(412)])
  })

  it('are never used twice for one knowledge key', async () => {
    await putItem(wl, 'phoenix', 'one')
    await putItem(wl, 'phoenix', 'two')
    await wl.delete('/v1/knowledge/phoenix')
    const again = expectStatus(await wl.put('/v1/knowledge/phoenix', { content: 'two' }), 201)
    assert.deepEqual([again.body.data.version, again.headers.etag], [3, '"3"'])
    expectError(await wl.put('/v1/knowledge/phoenix', { content: 'x' }, ifMatch('"2"')), 'PRECONDITION_FAILED')
  })

  it('are never used twice for one project key, nor for what the project held', async () => {
    await createProject(wl, { key: 'PHX' })
    await wl.patch('/v1/projects/PHX', { name: 'Two' })
    await putItem(wl, 'inside', 'one', { projectId: 'PHX' })
    await putItem(wl, 'inside', 'two', { projectId: 'PHX' })
    expectStatus(await wl.delete('/v1/projects/PHX?force=true'), 200)
    assert.equal((await createProject(wl, { key: 'PHX' })).version, 3)
    assert.equal((await putItem(wl, 'inside', 'three', { projectId: 'PHX' })).version, 3)
  })
})
