import assert from 'node:assert/strict'
import { it } from 'node:test'
import { expectError, expectStatus } from 'worklore-testing/expect'
import { createProject, createTask, createUser, putItem } from 'worklore-testing/factories'
import { rowsOf } from 'worklore-testing/harness'
import { describeService } from 'worklore-testing/service-suite'
import { until } from 'worklore-testing/until'

/** More than two steps. */
const count = 250

describeService('large deletions', (wl) => {
  const createMany = async (projectId: string, fields: object) => {
    for (let from = 0; from < count; from += 50) {
      const operations = Array.from({ length: 50 }, (_, at) => ({
        method: 'POST',
        path: '/v1/tasks',
        body: { projectId, title: `Task ${from + at}`, labels: ['x', 'y'], ...fields },
      }))
      expectStatus(await wl.post('/v1/batch', { operations }), 200)
    }
  }
  const pending = async () => (await rowsOf<{ id: string }>(wl, 'select id from deletions')).length

  it('take a user from all their tasks, in steps, and from what tasks show at once', async () => {
    await createProject(wl, { key: 'LARGE' })
    const user = await createUser(wl, { name: 'Ada' })
    await createMany('LARGE', { assigneeId: user.id })
    const { nextAfter } = (await wl.get('/v1/events?after=latest')).body.pagination
    expectStatus(await wl.delete(`/v1/users/${user.id}`), 200)
    expectError(await wl.get(`/v1/users/${user.id}`), 'NOT_FOUND')
    assert.equal((await wl.get(`/v1/tasks/LARGE-${count}`)).body.data.assignee, null)
    assert.equal(await until(pending, (left) => left === 0), 0)
    const { total } = (await wl.get('/v1/tasks?assignee=none&projectId=LARGE')).body.pagination
    assert.equal(total, count)
    const events = (await wl.get(`/v1/events?after=${nextAfter}&types=task.updated&limit=500`)).body.data
    assert.equal(events.length, count)
    assert.ok(
      events.every(
        ({ previous }: { previous: object }) =>
          JSON.stringify(previous) === JSON.stringify({ assignee: { id: user.id, name: 'Ada' } }),
      ),
    )
  })

  it('hide a project at once, with all its contents, and purge them', async () => {
    await createProject(wl, { key: 'OTHER' })
    const waiting = await createTask(wl, 'OTHER', { blockedBy: ['LARGE-1', 'LARGE-200'] })
    await wl.post('/v1/tasks/LARGE-7/comments', { body: 'Remember' })
    await wl.post('/v1/tasks/LARGE-7/questions', { body: 'Which?' })
    for (let at = 0; at < 120; at++) await putItem(wl, `notes/${at}`, 'A note', { projectId: 'LARGE' })
    expectError(await wl.delete('/v1/projects/LARGE'), 'CONFLICT')
    const { nextAfter } = (await wl.get('/v1/events?after=latest')).body.pagination
    expectStatus(await wl.delete('/v1/projects/LARGE?force=true'), 200)
    expectError(await wl.get('/v1/projects/LARGE'), 'NOT_FOUND')
    const historyOf = async (key: string) => (await wl.get(`/v1/history?knowledge=${key}`)).status
    assert.deepEqual([await historyOf('notes/0'), await historyOf('notes/119')], [200, 200])
    expectError(await wl.post('/v1/tasks', { projectId: 'LARGE', title: 'Late' }), 'VALIDATION_ERROR')
    assert.equal(await until(pending, (left) => left === 0), 0)
    assert.deepEqual([await historyOf('notes/0'), await historyOf('notes/119')], [200, 200])
    const events = (await wl.get(`/v1/events?after=${nextAfter}&limit=500`)).body.data as { type: string }[]
    assert.deepEqual(new Set(events.map(({ type }) => type)), new Set(['project.deleted', 'task.updated']))
    assert.equal(events.filter(({ type }) => type === 'project.deleted').length, 1)
    const { blockedBy, openBlockers } = (await wl.get(`/v1/tasks/${waiting.id}`)).body.data
    assert.deepEqual([blockedBy, openBlockers], [[], 0])
    const again = await createProject(wl, { key: 'LARGE' })
    assert.equal((await createTask(wl, 'LARGE')).id, `LARGE-${count + 1}`)
    assert.equal((await putItem(wl, 'notes/1', 'Again', { projectId: 'LARGE' })).version, 2)
    const entry = (await wl.get('/v1/trash?kind=project')).body.data[0]
    expectStatus(await wl.delete(`/v1/trash/${entry.id}`), 200)
    const tables = [
      'tasks',
      'task_labels',
      'ready_tasks',
      'task_links',
      'severed_links',
      'comments',
      'questions',
      'knowledge',
      'projects',
    ]
    const rows = async () => {
      const left: Record<string, number> = {}
      for (const table of tables)
        left[table] = (await rowsOf<{ n: number }>(wl, `select count(*) as n from ${table}`))[0]!.n
      return left
    }
    const left = await until(rows, (left) => left.projects === 2)
    assert.deepEqual(left, {
      tasks: 2,
      task_labels: 0,
      ready_tasks: 2,
      task_links: 0,
      severed_links: 0,
      comments: 0,
      questions: 0,
      knowledge: 1,
      projects: 2,
    })
    assert.equal((await wl.get('/v1/tasks/LARGE-251')).body.data.projectId, again.id)
    expectStatus(await wl.delete('/v1/projects/LARGE?force=true'), 200)
    await createProject(wl, { key: 'LARGE' })
    assert.equal((await createTask(wl, 'LARGE')).id, `LARGE-${count + 2}`)
    assert.equal((await putItem(wl, 'notes/1', 'Once more', { projectId: 'LARGE' })).version, 3)
  })
})
