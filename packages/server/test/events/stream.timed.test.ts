import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { engines } from 'worklore-testing/engines'
import { type EventStream, openStream } from 'worklore-testing/event-stream'
import { startService, type TestService } from 'worklore-testing/harness'
import { quietBoundMs } from 'worklore-testing/long-run'

/** A busy machine can hold up any one of them. */
const medianOf = (values: number[]): number => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!

for (const engine of engines) {
  describe(`the delay of GET /v1/events/stream on ${engine.name}`, () => {
    let wl: TestService
    const streams: EventStream[] = []
    before(async () => {
      wl = await startService(engine)
      await wl.post('/v1/projects', { key: 'ACME', name: 'Acme' })
    })
    after(async () => {
      for (const stream of streams) stream.close()
      await wl.stop()
    })

    const open = async (query: string, base = wl.baseUrl): Promise<EventStream> => {
      const stream = await openStream(`${base}/v1/events/stream${query}`, wl.adminKey)
      streams.push(stream)
      return stream
    }
    const createTask = (title: string) => wl.post('/v1/tasks', { projectId: 'ACME', title })
    const used = async (): Promise<number> => {
      const { limits } = (await wl.get('/v1/me')).body.data
      return limits[1].limit - limits[1].remaining
    }

    it('tells of changes as they come, within 200 ms, and counts as one request', async () => {
      const before = await used()
      const stream = await open('?types=task.*')
      assert.equal(stream.status, 200)
      assert.match(stream.response.headers['content-type']!, /^text\/event-stream/)
      assert.ok(stream.response.headers['x-ratelimit-limit'])
      assert.ok(stream.response.headers['x-request-id'])
      const delays: number[] = []
      for (let i = 0; i < 5; i++) {
        await createTask(`task ${i}`)
        const startedAt = performance.now()
        await stream.until(i + 1, 60_000)
        delays.push(performance.now() - startedAt)
      }
      assert.ok(medianOf(delays) < quietBoundMs(200), `${delays}`)
      assert.equal(stream.events[4]!.data.data.title, 'task 4')
      assert.equal(stream.events[4]!.id, String(stream.events[4]!.data.sequence))
      assert.equal((await used()) - before, 1 + 5 + 1)
    })

    it('is live on another node, and ends when its node stops', { skip: engine.name === 'sqlite' }, async () => {
      const other = await startService(engine, { store: wl.store })
      const stream = await open('?types=task.*', other.baseUrl)
      const delays: number[] = []
      for (let i = 0; i < 20; i++) {
        await createTask(`elsewhere ${i}`)
        const startedAt = performance.now()
        await stream.until(i + 1, 60_000)
        delays.push(performance.now() - startedAt)
      }
      assert.ok(medianOf(delays) < quietBoundMs(200), `${delays}`)
      const startedAt = performance.now()
      await other.stop()
      await stream.ended
      assert.ok(performance.now() - startedAt < quietBoundMs(3_000))
    })
  })
}
