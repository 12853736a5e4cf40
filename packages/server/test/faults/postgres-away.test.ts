import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { engines, type TestStore } from 'worklore-testing/engines'
import { startService, type TestService } from 'worklore-testing/harness'
import { quietBoundMs } from 'worklore-testing/long-run'
import { type PostgresServer, startPostgres } from 'worklore-testing/postgres-server'

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Longer than any request may hang, with room for a busy machine. */
const patienceMs = 8_000

describe('PostgreSQL going away', () => {
  let postgres: PostgresServer
  let wl: TestService
  let folder: TestStore

  before(async () => {
    postgres = await startPostgres()
    folder = await engines[0]!.createStore()
    const store = { dataDir: folder.dataDir, databaseUrl: postgres.url, poolSize: 5, remove: async () => {} }
    wl = await startService(engines[1]!, { store })
    await wl.post('/v1/projects', { key: 'ACME', name: 'Acme' })
  })
  after(async () => {
    await wl.stop()
    await postgres.stop()
    await folder.remove()
  })

  const create = () => wl.post('/v1/tasks', { projectId: 'ACME', title: 'A task' })

  const recovered = async (): Promise<number> => {
    const startedAt = performance.now()
    while ((await create()).status !== 201) await pause(50)
    return performance.now() - startedAt
  }

  const expectAway = async (): Promise<void> => {
    const startedAt = performance.now()
    const answers = await Promise.all([
      create(),
      wl.get('/v1/tasks'),
      wl.get('/v1/me'),
      wl.put('/v1/knowledge/a', { content: 'b' }),
      wl.get('/readyz', { key: null }),
    ])
    for (const { status, headers, body } of answers) {
      assert.equal(status, 503)
      assert.equal(body.error.code, 'SERVICE_UNAVAILABLE')
      assert.equal(headers['retry-after'], String(body.error.retryAfter))
    }
    assert.ok(performance.now() - startedAt < quietBoundMs(patienceMs), 'no request hangs')
    assert.equal((await wl.get('/healthz', { key: null })).status, 200)
  }

  for (const way of ['kill', 'stop'] as const) {
    it(`is a 503 and a red /readyz, and is over soon after its return (${way})`, async (test) => {
      if (way === 'kill') await postgres.kill()
      else await postgres.pause()
      await expectAway()
      await pause(4_000)
      await expectAway()
      await postgres.start()
      const recoveryMs = await recovered()
      test.diagnostic(`recovered in ${Math.round(recoveryMs)} ms`)
      assert.ok(recoveryMs < quietBoundMs(5_000), `took ${recoveryMs} ms`)
      assert.equal((await wl.get('/readyz', { key: null })).status, 200)
    })
  }
})
