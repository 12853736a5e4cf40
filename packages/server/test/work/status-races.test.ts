import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { engines } from 'worklore-testing/engines'
import { expectStatus } from 'worklore-testing/expect'
import { createProject } from 'worklore-testing/factories'
import { startService, type TestService } from 'worklore-testing/harness'
import { inLongRun } from 'worklore-testing/long-run'
import { randomFrom } from 'worklore-testing/random'

const writers = 20
const rounds = inLongRun(12, 300)

const categories = ['todo', 'in_progress', 'in_review', 'done', 'cancelled']
const slugs = ['alpha', 'beta', 'gamma', 'delta', 'todo', 'done', 'in_progress']

interface Shown {
  id: string
  status: string
  statusCategory: string
}

for (const engine of engines) {
  describe(`statuses that change while tasks are written, on ${engine.name}`, () => {
    const nodes: TestService[] = []
    before(async () => {
      nodes.push(await startService(engine))
      if (engine.name === 'postgres') nodes.push(await startService(engine, { store: nodes[0]!.store }))
    })
    after(async () => {
      for (const node of nodes.reverse()) await node.stop()
    })

    it('never leave a task in a status that its project lacks', async () => {
      const [wl] = nodes as [TestService]
      await createProject(wl, { key: 'RACE', maxAttempts: 100 })
      const random = randomFrom(7)
      const below = (count: number): number => Math.floor(random() * count)
      const some = <T>(values: readonly T[]): T => values[below(values.length)]!
      /** One of each category, and some more. */
      const definition = () => {
        const taken = new Map<string, string>()
        for (const slug of slugs) {
          const isIn = random() < 0.6
          if (isIn) taken.set(slug, categories.includes(slug) ? slug : some(categories))
        }
        for (const category of categories) {
          if (![...taken.values()].includes(category)) taken.set(`only_${category}`, category)
        }
        return [...taken].map(([status, category]) => ({ status, name: status, category }))
      }
      const outcomes = new Map<number, number>()
      const count = ({ status }: { status: number }): void => void outcomes.set(status, (outcomes.get(status) ?? 0) + 1)
      const ids: string[] = []

      const define = async (node: TestService): Promise<void> => {
        for (let round = 0; round < rounds * 2; round++) {
          const statuses = random() < 0.2 ? null : definition()
          count(await node.patch('/v1/projects/RACE', { statuses }))
        }
      }
      const write = async (node: TestService): Promise<void> => {
        for (let round = 0; round < rounds; round++) {
          const id = ids.length > 5 ? some(ids) : undefined
          const action = random()
          const status = some([...slugs, ...categories])
          if (id === undefined || action < 0.2) {
            const created = await node.post('/v1/tasks', { projectId: 'RACE', title: 'Task', status })
            if (created.status === 201) ids.push(created.body.data.id)
            count(created)
          } else if (action < 0.5) {
            const claimed = await node.post(`/v1/tasks/${id}/claim`, { takeover: true })
            const { token } = claimed.body.data?.claim ?? {}
            count(claimed)
            if (!token) continue
            count(await node.post(`/v1/tasks/${id}/release`, { status }, { headers: { 'worklore-claim': token } }))
          } else if (action < 0.65) {
            count(await node.delete(`/v1/tasks/${id}`))
            const entries = (await node.get('/v1/trash?kind=task')).body.data as { id: string; task: string }[]
            const entry = entries.find(({ task }) => task === id)
            if (entry) count(await node.post(`/v1/trash/${entry.id}/restore`, {}))
          } else count(await node.patch(`/v1/tasks/${id}`, { status }))
        }
      }
      await Promise.all([
        ...nodes.map(define),
        ...Array.from({ length: writers }, (_, at) => write(nodes[at % nodes.length]!)),
      ])

      for (const status of outcomes.keys()) assert.ok(status < 500, `a request answered ${status}`)
      assert.ok((outcomes.get(200) ?? 0) > writers, JSON.stringify([...outcomes]))
      const { statuses } = expectStatus(await wl.get('/v1/projects/RACE'), 200).body.data
      const known = new Map<string, string>(
        statuses?.map(({ status, category }: { status: string; category: string }) => [status, category]) ??
          categories.map((category) => [category, category]),
      )
      const tasks = expectStatus(await wl.get('/v1/tasks/cards?projectId=RACE&limit=1000'), 200).body.data as Shown[]
      assert.ok(tasks.length > 5)
      for (const { id, status, statusCategory } of tasks)
        assert.equal(known.get(status), statusCategory, `${id} ${status}`)
      const counts = expectStatus(await wl.get('/v1/tasks/counts?projectId=RACE'), 200).body.data
      for (const category of categories) {
        const shown = tasks.filter(({ statusCategory }) => statusCategory === category)
        assert.equal(counts[category], shown.length)
        for (const status of new Set(shown.map((task) => task.status))) {
          if (categories.includes(status)) continue
          const listed = (await wl.get(`/v1/tasks/counts?projectId=RACE&status=${status}`)).body.data
          assert.equal(listed.total, shown.filter((task) => task.status === status).length)
        }
      }
    })
  })
}
