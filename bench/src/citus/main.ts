import assert from 'node:assert/strict'
import { spread } from './spread.js'

/** Alternates between one and two Citus workers: `CITUS=FOLDER npm run bench citus [rounds] [seconds]`. */
const [rounds = '2', seconds = '15'] = process.argv.slice(2)

for (let round = 0; round < Number(rounds); round++) {
  for (const workers of [2, 1]) {
    const { created, failed, tenantsByWorker } = await spread(workers, Number(seconds))
    assert.ok(tenantsByWorker.length <= workers)
    console.log(
      `${workers} workers, tenants on each: ${tenantsByWorker.join(', ')}: ` +
        `${(created / Number(seconds)).toFixed(0)} tasks created a second, ${failed} requests failed`,
    )
  }
}
