import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { DatabaseSync } from '@photostructure/sqlite'
import { engines } from 'worklore-testing/engines'
import { type BlockingMeter, startBlockingMeter } from './blocked.js'
import { shapes } from './blocking.js'
import { hasProcessFigures } from './process-figures.js'

/** Of the processor's time of the service's main thread, between a request of another tenant and its answer. */
const maxBlockedMs = { get: 50, write: 200 }
/** The first ones also pay for what is compiled, collected or cached. */
const tries = 4

/** What the yardstick takes on a processor of 2.5 GHz that does nothing else. */
const yardstickMs = 60

/** How much longer work of this kind takes here and now, as where others share the processor's caches: at least 1. */
const slowness = (): number => {
  const db = new DatabaseSync(':memory:')
  db.exec(
    'create table t (a text, b int, c text, d text, primary key (a, b)) without rowid; create index i on t (c, b)',
  )
  const insert = db.prepare('insert into t values (?, ?, ?, ?)')
  const text = JSON.stringify({ text: 'd'.repeat(1_000), labels: ['a', 'b'] })
  const before = process.cpuUsage()
  db.exec('begin')
  for (let at = 0; at < 3_000; at++) {
    insert.run('x', at, `r${(at * 7_919) % 3_000}`, JSON.stringify({ ...JSON.parse(text), at }))
  }
  db.exec('commit')
  const { user, system } = process.cpuUsage(before)
  db.close()
  return Math.max(1, (user + system) / 1_000 / yardstickMs)
}

for (const engine of engines) {
  describe(`on ${engine.name} another tenant is hardly kept waiting by`, { skip: !hasProcessFigures }, () => {
    let meter: BlockingMeter
    before(async () => {
      meter = await startBlockingMeter(engine)
    })
    after(() => meter.stop())

    for (const { name, prepare } of shapes) {
      it(name, async (test) => {
        const send = await prepare(meter.send)
        let round = 0
        for (const [kind, maxMs] of Object.entries(maxBlockedMs) as ['get' | 'write', number][]) {
          const measured: string[] = []
          for (let left = tries; left > 0; left--) {
            const before = slowness()
            const ms = await meter.measure(kind, () => send(round++))
            const slower = Math.max(before, slowness())
            measured.push(
              `a ${kind} for ${ms.toFixed(0)} ms, on a machine ${slower.toFixed(1)} times slower than alone`,
            )
            if (ms <= slower * maxMs) break
            assert.ok(left > 1, measured.join('\n'))
          }
          test.diagnostic(measured.at(-1)!)
        }
      })
    }
  })
}
