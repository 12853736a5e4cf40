import assert from 'node:assert/strict'
import { after, it } from 'node:test'
import { type EventStream, openStream } from 'worklore-testing/event-stream'
import { expectStatus } from 'worklore-testing/expect'
import { rowsOf, startService } from 'worklore-testing/harness'
import { describeService } from 'worklore-testing/service-suite'
import { until } from 'worklore-testing/until'
import { trimTickets } from '../../src/subscribers/events/tickets.js'

describeService('a ticket for the stream', (wl, engine) => {
  const streams: EventStream[] = []
  after(() => {
    for (const stream of streams) stream.close()
  })

  const issue = async (key = wl.adminKey): Promise<string> =>
    expectStatus(await wl.post('/v1/events/ticket', undefined, { key }), 200).body.data.ticket
  const open = async (ticket: string, query = '', baseUrl = wl.baseUrl): Promise<EventStream> => {
    const stream = await openStream(`${baseUrl}/v1/events/stream?ticket=${ticket}${query}`, null)
    streams.push(stream)
    return stream
  }
  const statusOf = async (ticket: string): Promise<number> => (await open(ticket)).status
  const createKey = async (more: object = {}): Promise<{ id: string; key: string }> =>
    (await wl.post('/v1/keys', { name: 'reader', scopes: ['knowledge:read'], ...more })).body.data

  it('opens it once, with the sight of its key', async () => {
    const { key } = await createKey()
    const { ticket, expiresAt } = (await wl.post('/v1/events/ticket', undefined, { key })).body.data
    assert.match(ticket, /^wl_ticket_/)
    const leftMs = Date.parse(expiresAt) - Date.now()
    assert.ok(leftMs > 20_000 && leftMs <= 30_000)
    const stream = await open(ticket)
    assert.equal(stream.status, 200)
    await wl.post('/v1/users', { name: 'Ada' })
    await wl.post('/v1/projects', { key: 'ACME', name: 'Acme' })
    await wl.post('/v1/tasks', { projectId: 'ACME', title: 'unseen' })
    await wl.put('/v1/knowledge/seen', { content: 'x' })
    const events = await stream.until(3)
    assert.deepEqual(
      events.map(({ data }) => data.type),
      ['user.created', 'project.created', 'knowledge.created'],
    )
    assert.equal(await statusOf(ticket), 401)
  })

  it('is good on another node', { skip: engine.name === 'sqlite' }, async (test) => {
    const other = await startService(engine, { store: wl.store })
    test.after(() => other.stop())
    const ticket = await issue()
    const stream = await open(ticket, '', other.baseUrl)
    assert.equal(stream.status, 200)
    assert.equal(await statusOf(ticket), 401)
    stream.close()
  })

  it('is kept as a hash, and given to one of many that use it at once', async () => {
    const ticket = await issue()
    const rows = await rowsOf<object>(wl, 'select * from stream_tickets')
    assert.equal(rows.length, 1)
    assert.ok(!JSON.stringify(rows).includes(ticket.slice(-32)))
    const statuses = await Promise.all(Array.from({ length: 10 }, () => statusOf(ticket)))
    assert.deepEqual(statuses.sort(), [200, ...Array(9).fill(401)])
  })

  it('is refused when it is unknown, misspelt, late or used elsewhere', async () => {
    const unknown = (await issue()).slice(0, -4)
    for (const ticket of [`${unknown}0000`, unknown, '', 'x', 'wl_ticket_', encodeURIComponent("'; --")]) {
      assert.equal(await statusOf(ticket), 401, ticket)
    }
    const late = await issue()
    assert.equal((await wl.get(`/v1/events?ticket=${late}`, { key: null })).status, 401)
    assert.equal((await wl.get(`/v1/me?ticket=${late}`, { key: null })).status, 401)
    wl.passTime(30_000)
    const refused = await open(late)
    assert.equal(refused.status, 401)
    assert.equal(refused.response.headers['www-authenticate'], 'Bearer')
  })

  it('gives way to the header', async () => {
    const ticket = await issue()
    const { status } = await openStream(`${wl.baseUrl}/v1/events/stream?ticket=${ticket}`, 'wl_live_nobody')
    assert.equal(status, 401)
    assert.equal(await statusOf(ticket), 200)
  })

  it('ends with its key: revoked, expired or rotated', async () => {
    const hourMs = 3_600_000
    const soon = () => ({ expiresAt: new Date(wl.service.core.clock() + hourMs).toISOString() })
    const endings = [
      [() => ({}), (id: string) => wl.delete(`/v1/keys/${id}`), 'revoked'],
      [() => ({}), (id: string) => wl.post(`/v1/keys/${id}/rotate`, {}), 'expired'],
      [soon, async () => wl.passTime(hourMs), 'expired'],
    ] as const
    for (const [fields, end, reason] of endings) {
      const { id, key } = await createKey(fields())
      const stream = await open(await issue(key))
      const unused = await issue(key)
      await until(
        async () => stream.ready,
        (ready) => ready !== undefined,
      )
      await end(id)
      // Nothing that happens after the key was revoked or rotated is shown.
      if (end.length > 0) await wl.put('/v1/knowledge/unseen', { content: `after ${id}` })
      await stream.ended
      assert.ok(!JSON.stringify(stream.events).includes(`after ${id}`))
      assert.equal(stream.events.at(-1)!.name, 'end')
      assert.equal(stream.events.at(-1)!.data.reason, reason)
      assert.equal(await statusOf(unused), 401)
    }
  })

  it('is one of 20 unused ones of its key at most', async () => {
    const [busy, other] = [await createKey(), await createKey()]
    for (let count = 0; count < 20; count++) await issue(busy.key)
    const refused = expectStatus(await wl.post('/v1/events/ticket', undefined, { key: busy.key }), 429)
    assert.ok(refused.body.error.retryAfter >= 1 && refused.body.error.retryAfter <= 30)
    await issue(other.key)
    wl.passTime(30_000)
    await issue(busy.key)
  })

  it('is not shown again in a replay', async () => {
    const headers = { 'idempotency-key': 'once' }
    const first = expectStatus(await wl.post('/v1/events/ticket', undefined, { headers }), 200)
    const again = expectStatus(await wl.post('/v1/events/ticket', undefined, { headers }), 200)
    assert.deepEqual(again.body.data, { ...first.body.data, ticket: null })
  })

  it('is trimmed once it is late', async () => {
    await issue()
    wl.passTime(30_000)
    const fresh = await issue()
    const { db, clock } = wl.service.core
    await trimTickets(db, clock())
    assert.equal((await rowsOf<object>(wl, 'select * from stream_tickets')).length, 1)
    assert.equal(await statusOf(fresh), 200)
  })
})
