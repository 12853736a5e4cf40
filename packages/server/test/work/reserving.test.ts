import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { engines } from 'worklore-testing/engines'
import { createProject, createTask } from 'worklore-testing/factories'
import { startService, type TestService } from 'worklore-testing/harness'
import { inLongRun } from 'worklore-testing/long-run'
import { randomFrom } from 'worklore-testing/random'
import { overlap } from './reference.js'

const pool = ['web/', 'web/a', 'web/a/', 'web/b/c', 'db', 'db/', 'env:staging', 'api/x', 'api/']
const agents = 12
const rounds = inLongRun(15, 300)

interface LoggedEvent {
  sequence: number
  type: string
  data: { id: string; resources: string[]; claim: unknown }
}

describe('agents of several nodes that need the same resources', () => {
  const nodes: TestService[] = []
  before(async () => {
    const engine = engines.find(({ name }) => name === 'postgres')!
    nodes.push(await startService(engine))
    for (let more = 0; more < 2; more++) nodes.push(await startService(engine, { store: nodes[0]!.store }))
  })
  after(async () => {
    for (const node of nodes.reverse()) await node.stop()
  })

  it('never hold claims that overlap, also where leases run out', async () => {
    const [wl] = nodes as [TestService]
    await createProject(wl, { key: 'RACE', maxAttempts: 100 })
    const random = randomFrom(3)
    const some = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)]!
    const ids: string[] = []
    for (let at = 0; at < 40; at++) {
      const resources = [...new Set([some(pool), some(pool)])]
      ids.push((await createTask(wl, 'RACE', { resources })).id)
    }

    const work = async (agent: number): Promise<void> => {
      const node = nodes[agent % nodes.length]!
      for (let round = 0; round < rounds; round++) {
        const path = random() < 0.5 ? '/v1/tasks/next' : `/v1/tasks/${some(ids)}/claim`
        const body = { leaseSeconds: 10, ...(path.endsWith('next') && { projectId: 'RACE' }) }
        const { data } = (await node.post(path, body)).body
        if (!data) {
          // Claims that nobody releases end, however the agents take turns.
          if (random() < 0.1) for (const each of nodes) each.passTime(11_000)
          continue
        }
        const options = { headers: { 'worklore-claim': data.claim.token } }
        const chance = random()
        if (chance < 0.2) for (const each of nodes) each.passTime(11_000)
        if (chance < 0.3) await node.post(`/v1/tasks/${data.id}/renew`, {}, options)
        if (chance > 0.8) await node.patch(`/v1/tasks/${data.id}`, { resources: [some(pool)] }, options)
        if (chance > 0.4) await node.post(`/v1/tasks/${data.id}/release`, {}, options)
      }
    }
    await Promise.all(Array.from({ length: agents }, (_, agent) => work(agent)))

    const claimed = new Map<string, string[]>()
    const seen: Record<string, number> = {}
    for (let since = 0; ; ) {
      const { data } = (await wl.get(`/v1/events?after=${since}&limit=100`)).body as { data: LoggedEvent[] }
      if (data.length === 0) break
      for (const { type, data: task } of data) {
        if (!type.startsWith('task.')) continue
        seen[type] = (seen[type] ?? 0) + 1
        claimed.delete(task.id)
        if (!task.claim) continue
        for (const [id, resources] of claimed) {
          const shared = task.resources.find((one) => resources.some((other) => overlap(one, other)))
          assert.equal(shared, undefined, `${task.id} and ${id} are claimed at once`)
        }
        claimed.set(task.id, task.resources)
      }
      since = data.at(-1)!.sequence
    }
    for (const type of ['task.claimed', 'task.released', 'task.claim_expired', 'task.updated']) {
      assert.ok(seen[type]! > 0, JSON.stringify(seen))
    }
  })
})
