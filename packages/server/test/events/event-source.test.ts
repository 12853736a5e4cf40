import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { EventSource } from 'eventsource'
import { engines, type TestStore } from 'worklore-testing/engines'
import { openStream } from 'worklore-testing/event-stream'
import { send, testAdminKey } from 'worklore-testing/harness'
import { environmentOf, runCommand, serveProgram } from 'worklore-testing/program'
import { until } from 'worklore-testing/until'

const come = (list: readonly unknown[], count: number): Promise<number> =>
  until(
    async () => list.length,
    (length) => length >= count,
  )

for (const engine of engines) {
  describe(`the stream and an EventSource library on ${engine.name}`, () => {
    let store: TestStore
    before(async () => {
      store = await engine.createPreparedStore()
    })
    after(() => store.remove())

    it('go through a restart without an event missed or repeated, even before the first event', async (test) => {
      const environment = { ...environmentOf(store), WORKLORE_ADMIN_KEY: testAdminKey, WORKLORE_PLAN: 'self-hosted' }
      const first = await serveProgram(test, environment)
      const { port } = new URL(first.baseUrl)
      const createKey = (name: string) => runCommand(store, 'keys', 'create', 'default', name, '--scope', 'admin')
      await createKey('before the stream')

      const ready: string[] = []
      const names: string[] = []
      const ids: number[] = []
      const source = new EventSource(`${first.baseUrl}/v1/events/stream?types=key.*`, {
        fetch: (url, init) =>
          fetch(url, { ...init, headers: { ...init.headers, authorization: `Bearer ${testAdminKey}` } }),
      })
      test.after(() => source.close())
      source.addEventListener('ready', ({ lastEventId, data }) => {
        assert.equal(JSON.parse(data).after, Number(lastEventId))
        ready.push(lastEventId)
      })
      source.addEventListener('message', ({ lastEventId, data }) => {
        ids.push(Number(lastEventId))
        names.push(JSON.parse(data).data.name)
      })
      const restart = async (serving: typeof first, whileAway: () => Promise<unknown>) => {
        serving.signal('SIGTERM')
        await serving.ended
        await whileAway()
        return serveProgram(test, { ...environment, PORT: port })
      }

      await come(ready, 1)
      const second = await restart(first, () => createKey('while away'))
      await come(names, 1)
      await createKey('live')
      await come(names, 2)
      const third = await restart(second, async () => {
        await createKey('while away again')
        await createKey('and once more')
      })
      await come(names, 4)
      const ended = await openStream(`${third.baseUrl}/v1/events/stream`, testAdminKey)
      await until(
        async () => ended.ready,
        (ready) => ready !== undefined,
      )
      ended.close()

      assert.deepEqual(names, ['while away', 'live', 'while away again', 'and once more'])
      assert.deepEqual(
        ids,
        ids.map((_, index) => ids[0]! + index),
      )
      assert.deepEqual(ready.map(Number), [ids[0]! - 1, ids[0]! - 1, ids[1]!])
      assert.equal(Number(ended.ready!.id), ids[3])
      const feed = await send(third.baseUrl, 'GET', `/v1/events?after=${ids[0]! - 1}&types=key.*`, {
        key: testAdminKey,
      })
      assert.deepEqual(
        feed.body.data.map(({ sequence }: { sequence: number }) => sequence),
        ids,
      )
    })
  })
}
