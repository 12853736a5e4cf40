import assert from 'node:assert/strict'
import { it } from 'node:test'
import { randomFrom } from 'worklore-testing/random'
import type { Task } from '../src/index.js'
import type { Fault } from './fault-proxy.js'
import { onEveryEngine } from './on-every-engine.js'

const creates = 1_000
/** Rarer, because each costs a whole timeout. */
const slowShare = 0.006
const troubleShare = 0.34

const atOnce = 48

/** One request of three meets one of these, each about as often as any other. */
const troubles: Fault[] = [
  'rate limited',
  'rate limited, wait unsaid',
  'unavailable',
  'unavailable, wait unsaid',
  'bad gateway',
  'bad gateway, lost',
  'reset',
  'reset, lost',
  'cut, lost',
  'delivered twice',
]

onEveryEngine(
  'under faults',
  (stage) => {
    it(`loses and doubles none of ${creates} creates`, async (context) => {
      const { proxy, clientWith } = stage
      await stage.wl.projects.create({ key: 'ACME', name: 'Acme' })
      const random = randomFrom(8)
      const wl = clientWith({ maxRetries: 30, timeoutMs: 8_000 })
      proxy.choose = () => {
        const chance = random()
        if (chance < slowShare) return 'slow, lost'
        return chance < troubleShare ? troubles[Math.floor(random() * troubles.length)]! : 'none'
      }
      const startedAtMs = performance.now()
      const made: Task[] = []
      let next = 0
      const worker = async (): Promise<void> => {
        while (next < creates) made.push(await wl.tasks.create({ projectId: 'ACME', title: `Task ${next++}` }))
      }
      await Promise.all(Array.from({ length: atOnce }, worker))
      const seconds = (performance.now() - startedAtMs) / 1000
      proxy.choose = () => 'none'

      const stored: Task[] = []
      for await (const task of stage.wl.tasks.list({ limit: 100, sort: 'createdAt' })) stored.push(task)
      const byId = (a: Task, b: Task): number => a.id.localeCompare(b.id)
      assert.equal(stored.length, creates)
      assert.deepEqual(made.toSorted(byId), stored.toSorted(byId))
      assert.equal(new Set(stored.map(({ title }) => title)).size, creates)

      const faults = proxy.requests.length - (proxy.counts.get('none') ?? 0)
      for (const trouble of [...troubles, 'slow, lost'] as const)
        assert.ok(proxy.counts.get(trouble), `no request met "${trouble}"`)
      context.diagnostic(
        `${creates} creates, ${proxy.requests.length} requests, ${faults} faults, 0 lost, 0 doubled, ${seconds.toFixed(1)} s`,
      )
    })
  },
  { slowMs: 9_000 },
)
