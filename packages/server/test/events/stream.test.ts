import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { engines } from 'worklore-testing/engines'
import { type EventStream, openStream } from 'worklore-testing/event-stream'
import { startService, type TestService } from 'worklore-testing/harness'
import { quietBoundMs } from 'worklore-testing/long-run'
import { runCommand } from 'worklore-testing/program'
import { createSharedReads } from '../../src/subscribers/events/shared-reads.js'

for (const engine of engines) {
  describe(`GET /v1/events/stream on ${engine.name}`, () => {
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

    const open = async (query = '', key = wl.adminKey, headers = {}, base = wl.baseUrl): Promise<EventStream> => {
      const stream = await openStream(`${base}/v1/events/stream${query}`, key, headers)
      streams.push(stream)
      return stream
    }
    const createTask = (title: string) => wl.post('/v1/tasks', { projectId: 'ACME', title })

    it('goes on after Last-Event-ID, however much came meanwhile', async () => {
      const first = await open()
      await createTask('seen')
      const last = (await first.until(1)).at(-1)!.id
      first.close()
      for (let i = 0; i < 250; i++) await wl.put('/v1/knowledge/counter', { content: String(i) })
      const again = await open('', wl.adminKey, { 'last-event-id': last })
      const events = await again.until(250)
      assert.deepEqual(
        events.map(({ id }) => Number(id)),
        Array.from({ length: 250 }, (_, i) => Number(last) + 1 + i),
      )
      assert.equal((await open('', wl.adminKey, { 'last-event-id': 'x' })).status, 400)
      assert.equal((await open('?after=0&types=project.*')).status, 200)
    })

    it('hears of a change that another process makes', async () => {
      const stream = await open('?types=key.*')
      await runCommand(wl.store, 'keys', 'create', 'default', 'from the command line', '--scope', 'admin')
      const [event] = await stream.until(1)
      assert.equal(event!.data.actor.keyName, 'command line')
    })

    it('shows only what the key may see, and ends when it is revoked or expires', async () => {
      const body = { name: 'short', scopes: ['knowledge:read'] }
      const revoked = (await wl.post('/v1/keys', body)).body.data
      const hourMs = 3_600_000
      const expiresAt = new Date(wl.service.core.clock() + hourMs).toISOString()
      const expiring = (await wl.post('/v1/keys', { ...body, expiresAt })).body.data
      const [a, b] = [await open('', revoked.key), await open('', expiring.key)]
      await createTask('unseen')
      await wl.put('/v1/knowledge/seen', { content: '1' })
      for (const stream of [a, b]) assert.equal((await stream.until(1))[0]!.data.type, 'knowledge.created')
      await wl.delete(`/v1/keys/${revoked.id}`)
      await a.ended
      assert.equal(a.events.at(-1)!.name, 'end')
      assert.equal(a.events.at(-1)!.data.code, 'UNAUTHORIZED')
      wl.passTime(hourMs)
      await b.ended
      assert.equal(b.events.length, 2)
      assert.equal((await open('', revoked.key)).status, 401)
    })

    it('shares one read among streams that stand at the same place', async () => {
      const { db, watches } = wl.service.core
      const tenantId = (await wl.get('/v1/me')).body.data.tenant.id
      const read = createSharedReads(db, watches.notificationCount)
      const everything = { types: null, projectIds: null }
      assert.equal(read(tenantId, 0, everything), read(tenantId, 0, everything))
      assert.notEqual(read(tenantId, 0, everything), read(tenantId, 1, everything))
    })

    it('ends when the service stops, at once', async () => {
      const alone = await startService(engine)
      await alone.get('/v1/me')
      const stream = await open('', alone.adminKey, {}, alone.baseUrl)
      const waiting = alone.get('/v1/events?after=latest&wait=30')
      await new Promise((done) => setTimeout(done, 100))
      const startedAt = performance.now()
      await alone.stop()
      await stream.ended
      assert.equal((await waiting).status, 200)
      assert.ok(performance.now() - startedAt < quietBoundMs(3_000))
    })
  })
}
