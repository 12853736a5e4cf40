import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { engines } from 'worklore-testing/engines'
import { startService, type TestService } from 'worklore-testing/harness'
import { until } from 'worklore-testing/until'

for (const engine of engines) {
  describe(`figures of a node on ${engine.name}`, () => {
    let wl: TestService
    before(async () => {
      wl = await startService(engine)
    })
    after(() => wl.stop())

    const textOf = async (): Promise<string> => (await wl.get('/metrics', { key: null })).text

    it('say that it is ready, what its background work does, and how its connections fare', async () => {
      // The work that begins with the service may wait for a connection.
      const text = await until(
        textOf,
        (text) =>
          /last_success_timestamp_seconds\{kind="settling due tasks"\}/.test(text) &&
          !/state="waiting"\} [1-9]/.test(text),
      )
      assert.match(text, /^worklore_ready 1$/m)
      assert.match(text, /^worklore_draining 0$/m)
      assert.match(text, /^worklore_background_last_success_timestamp_seconds\{kind="settling due tasks"\} \d/m)
      assert.match(text, /^worklore_due_work_tenants\{kind="tasks"\} \d/m)
      assert.match(text, /^worklore_due_work_oldest_age_seconds\{kind="tasks"\} \d/m)
      const ofStore = [
        /^worklore_database_work\{kind="transactions",state="waiting"\} 0$/m,
        /^worklore_database_work\{kind="statements",state="running"\} \d+$/m,
        /^worklore_database_connections_lost_total 0$/m,
        /^worklore_database_primary_moves_total 0$/m,
        /^worklore_database_listens_total 1$/m,
      ]
      for (const line of ofStore) assert.equal(line.test(text), engine.name !== 'sqlite', String(line))
    })

    it('say that it is about to stop', async () => {
      wl.service.drain()
      const text = await textOf()
      assert.match(text, /^worklore_ready 0$/m)
      assert.match(text, /^worklore_draining 1$/m)
    })
  })
}
