import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { engines } from 'worklore-testing/engines'
import { inLongRun } from 'worklore-testing/long-run'
import { startPostgres } from 'worklore-testing/postgres-server'
import { runCrashRounds } from './crash-rounds.js'

const rounds = inLongRun(3, 20)

describe('a crash', () => {
  it('loses no acknowledged write on sqlite', async () => {
    const store = await engines[0]!.createStore()
    try {
      const figures = await runCrashRounds({ store, nodes: 1, rounds, writers: 16, writesPerRound: 100 })
      assert.equal(figures.kills, rounds)
      assert.ok(figures.acknowledged >= 100 * rounds)
    } finally {
      await store.remove()
    }
  })

  it('loses no acknowledged write on postgres, whether nodes are killed or the server', async () => {
    const postgres = await startPostgres()
    const [sqlite] = engines
    const { dataDir, remove } = await sqlite!.createStore()
    const store = { dataDir, databaseUrl: postgres.url, poolSize: 5 }
    try {
      const figures = await runCrashRounds({ store, postgres, nodes: 2, rounds, writers: 16, writesPerRound: 50 })
      assert.ok(figures.postgresKills >= 1)
      assert.ok(figures.acknowledged >= 50 * rounds)
    } finally {
      await postgres.stop()
      await remove()
    }
  })
})
