import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createKey, createProject, createTask } from 'worklore-testing/factories'
import { rowsOf } from 'worklore-testing/harness'
import { inLongRun } from 'worklore-testing/long-run'
import { randomFrom } from 'worklore-testing/random'
import { describeService } from 'worklore-testing/service-suite'

const workers = 12
const rounds = inLongRun(12, 120)

interface TaskRow {
  id: string
  project_id: string
  number: number
  rank: number
  parent_id: string | null
  open_children: number
  total_children: number
  blocked_ancestors: number
  doc: string
}

describeService('moves, ranks and claims at once', (wl) => {
  it('leave every task in one project, in one order, with what belongs to it', async () => {
    const projects = [await createProject(wl, { key: 'RACEA' }), await createProject(wl, { key: 'RACEB' })]
    const known: string[] = []
    for (const { id } of projects) {
      for (let count = 0; count < 6; count++) {
        const parent = await createTask(wl, id, { labels: ['race'], resources: [`env:${count}`] })
        const child = await createTask(wl, id, { parentId: parent.id, labels: ['race', 'child'] })
        known.push(parent.id, child.id)
      }
    }
    const expected = new Set([200, 201, 400, 404, 409, 412])
    const work = async (worker: number): Promise<void> => {
      const { key } = await createKey(wl, { name: `worker ${worker}` })
      const random = randomFrom(worker + 1)
      const some = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)]!
      const send = async (path: string, body: object, headers = {}) => {
        const answer = await wl.post(path, body, { key, headers })
        assert.ok(expected.has(answer.status), `${path} ${answer.text}`)
        return answer.body.data
      }
      for (let round = 0; round < rounds; round++) {
        const id = some(known)
        const projectId = some(projects).id
        const act = Math.floor(random() * 6)
        if (act <= 1) await send(`/v1/tasks/${id}/move`, { projectId })
        else if (act === 2)
          await send(`/v1/tasks/${id}/rank`, some([{ before: some(known) }, { to: 'top' }, { to: 'bottom' }]))
        else if (act === 3) await send(`/v1/tasks/${id}/comments`, { body: `By ${worker}` })
        else if (act === 4) {
          const created = await send('/v1/tasks', { projectId, title: 'New', labels: ['race'] })
          known.push(created.id)
        } else {
          const task = await send('/v1/tasks/next', { projectId })
          if (!task) continue
          const headers = { 'worklore-claim': task.claim.token }
          await send(`/v1/tasks/${task.id}/move`, { projectId: some(projects).id }, headers)
          await send(`/v1/tasks/${task.id}/release`, { status: some(['todo', 'done']) }, headers)
        }
      }
    }
    await Promise.all(Array.from({ length: workers }, (_, worker) => work(worker)))

    const tasks = await rowsOf<TaskRow>(wl, 'select * from tasks')
    const byId = new Map(tasks.map((task) => [task.id, task]))
    assert.equal(tasks.length, known.length)
    for (const { id, project_id, parent_id, doc, ...task } of tasks) {
      const fields = JSON.parse(`${doc}}`)
      assert.deepEqual([fields.projectId, fields.parentId], [project_id, parent_id], id)
      if (parent_id !== null) assert.equal(byId.get(parent_id)!.project_id, project_id, `${id} is with its parent`)
      const children = tasks.filter((each) => each.parent_id === id)
      const open = children.filter((each) => !/"status":"(done|cancelled)"/.test(each.doc))
      assert.deepEqual(
        [Number(task.total_children), Number(task.open_children), Number(task.blocked_ancestors)],
        [children.length, open.length, 0],
        id,
      )
    }
    for (const { id, key } of projects) {
      const inside = tasks.filter(({ project_id }) => project_id === id)
      assert.equal(new Set(inside.map(({ number }) => Number(number))).size, inside.length, 'numbers are told apart')
      assert.equal(new Set(inside.map(({ rank }) => Number(rank))).size, inside.length, 'ranks are told apart')
      const numbers = tasks.filter((each) => each.id.startsWith(`${key}-`)).map((each) => Number(each.id.split('-')[1]))
      assert.deepEqual(
        numbers.toSorted((a, b) => a - b),
        Array.from({ length: numbers.length }, (_, at) => at + 1),
        'no number is missing or repeated',
      )
      const listed = (await wl.get(`/v1/tasks/cards?projectId=${id}&sort=rank&limit=1000`)).body.data
      assert.deepEqual(
        listed.map((card: { id: string }) => card.id),
        inside.toSorted((a, b) => Number(a.rank) - Number(b.rank)).map((task) => task.id),
      )
    }
    for (const table of ['task_labels', 'task_resources', 'ready_tasks', 'comments']) {
      const rows = await rowsOf<{ task_id: string; project_id: string; rank?: number }>(wl, `select * from ${table}`)
      for (const { task_id, project_id, rank } of rows) {
        assert.equal(project_id, byId.get(task_id)!.project_id, `${table} of ${task_id}`)
        if (table === 'ready_tasks') assert.equal(Number(rank), Number(byId.get(task_id)!.rank), `queue of ${task_id}`)
      }
    }
    const ready = await rowsOf<{ task_id: string }>(wl, "select task_id from ready_tasks where label = ''")
    const listed = (await wl.get('/v1/tasks/cards?ready=true&limit=1000')).body.data
    assert.deepEqual(
      listed.map(({ id }: { id: string }) => id).toSorted(),
      ready.map(({ task_id }) => task_id).toSorted(),
    )
  })
})
