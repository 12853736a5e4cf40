import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { engines } from '../engines.js'
import { startPostgres } from '../postgres-server.js'
import { runCrashRounds } from './crash-rounds.js'

describe('a crash', () => {
  it('loses no acknowledged write on sqlite', async () => {
    const store = await engines[0]!.createStore()
    try {
      const figures = await runCrashRounds({ store, nodes: 1, rounds: 3, writers: 16, writesPerRound: 100 })
      assert.equal(figures.kills, 3)
      assert.ok(figures.acknowledged >= 300)
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
      const figures = await runCrashRounds({ store, postgres, nodes: 2, rounds: 3, writers: 16, writesPerRound: 50 })
      assert.equal(figures.postgresKills, 1)
      assert.ok(figures.acknowledged >= 150)
    } finally {
      await postgres.stop()
      await remove()
    }
  })
})
