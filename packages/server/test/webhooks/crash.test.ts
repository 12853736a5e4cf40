import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { engines } from 'worklore-testing/engines'
import { send, testAdminKey } from 'worklore-testing/harness'
import { quietBoundMs } from 'worklore-testing/long-run'
import { startProcess } from 'worklore-testing/real-process'
import { answer, startReceiver } from 'worklore-testing/receiver'

const environment = {
  WORKLORE_ADMIN_KEY: testAdminKey,
  WORKLORE_PLAN: 'self-hosted',
  WORKLORE_WEBHOOK_ALLOW: '127.0.0.0/8',
}
const key = testAdminKey
const changes = 60

for (const engine of engines) {
  describe(`a crash between commit and send on ${engine.name}`, () => {
    it('loses nothing: after a restart every event arrives within 30 s', async (t) => {
      const store = await engine.createPreparedStore()
      t.after(() => store.remove())
      const receiver = await startReceiver()
      t.after(() => receiver.close())
      const first = await startProcess(store, environment)
      t.after(() => first.end('SIGKILL'))
      const post = (path: string, body: object) => send(first.baseUrl, 'POST', path, { key, body })
      await post('/v1/projects', { key: 'ACME', name: 'Acme' })
      await post('/v1/webhooks', { url: receiver.url, events: ['task.*'] })

      // It answers a few, then no more: all that follows is committed and not sent.
      let answers = 0
      receiver.behave((response, entry) => {
        if (++answers <= 10) answer(200)(response, entry)
      })
      const written = await Promise.all(
        Array.from({ length: changes }, (_, i) => post('/v1/tasks', { projectId: 'ACME', title: `task ${i}` })),
      )
      assert.ok(written.every(({ status }) => status === 201))
      await receiver.until(11)
      await first.end('SIGKILL')

      receiver.behave(answer(200))
      const second = await startProcess(store, environment)
      t.after(() => second.end('SIGKILL'))
      const arrived = () => new Set(receiver.received.map(({ event }) => event.data.id))
      const startedAt = performance.now()
      await receiver.until(() => arrived().size === changes)
      assert.ok(performance.now() - startedAt < quietBoundMs(30_000))
      assert.deepEqual([...arrived()].sort(), written.map(({ body }) => body.data.id).sort())

      // What had been answered and written down before the crash is not sent again.
      const { data: list } = (await send(second.baseUrl, 'GET', '/v1/webhooks', { key })).body
      assert.equal(list.length, 1)
      assert.ok(receiver.received.length <= changes + 11, `${receiver.received.length} requests`)
      assert.equal(await second.end('SIGTERM'), 0)
    })
  })
}
