import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { engines } from 'worklore-testing/engines'
import { openStream } from 'worklore-testing/event-stream'
import { startService, type TestService } from 'worklore-testing/harness'
import { type Receiver, startReceiver } from 'worklore-testing/receiver'
import { until } from 'worklore-testing/until'
import { callTool } from '../mcp/messages.js'

const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
const headers = { traceparent }

for (const engine of engines) {
  describe(`traceparent on ${engine.name}`, () => {
    let wl: TestService
    let receiver: Receiver
    before(async () => {
      receiver = await startReceiver()
      wl = await startService(engine, {
        config: { webhookAllow: ['127.0.0.0/8'] },
        webhooks: { pollIntervalMs: 50 },
      })
      await wl.post('/v1/projects', { key: 'ACME', name: 'Acme' })
    })
    after(async () => {
      await wl.stop()
      await receiver.close()
    })

    const latest = async (): Promise<number> => (await wl.get('/v1/events?after=latest')).body.pagination.nextAfter
    const eventsAfter = async (sequence: number) => (await wl.get(`/v1/events?after=${sequence}`)).body.data

    it('is stored with the events of a request, a batch and an MCP call', async () => {
      const from = await latest()
      const create = { method: 'POST', path: '/v1/tasks', body: { projectId: 'ACME', title: 'one of many' } }
      await wl.post('/v1/tasks', { projectId: 'ACME', title: 'one' }, { headers })
      await wl.post('/v1/batch', { operations: [create, create] }, { headers })
      await wl.put('/v1/knowledge/a', { content: 'text' }, { headers })
      const called = await callTool(wl, 'create_task', { project: 'ACME', title: 'by an agent' }, { headers })
      assert.equal(called.isError, false, called.text)
      const events = await eventsAfter(from)
      assert.equal(events.length, 5)
      for (const event of events) assert.equal(event.traceparent, traceparent, event.via)
    })

    it('is left out where there is none, or an invalid one, which is no error', async () => {
      const from = await latest()
      for (const sent of [undefined, 'nonsense', traceparent.replaceAll(/[1-9a-f]/g, '0')]) {
        const made = await wl.post(
          '/v1/tasks',
          { projectId: 'ACME', title: 'one' },
          sent ? { headers: { traceparent: sent } } : {},
        )
        assert.equal(made.status, 201)
      }
      const events = await eventsAfter(from)
      assert.equal(events.length, 3)
      for (const event of events) assert.ok(!('traceparent' in event))
    })

    it('is sent in the stream and with webhook deliveries, repeated ones too', async () => {
      const stream = await openStream(`${wl.baseUrl}/v1/events/stream`, wl.adminKey)
      const hook = (await wl.post('/v1/webhooks', { url: receiver.url, events: ['task.created'] })).body.data
      await wl.post('/v1/tasks', { projectId: 'ACME', title: 'told' }, { headers })
      await wl.post('/v1/tasks', { projectId: 'ACME', title: 'untraced' })
      await receiver.until(2)
      const path = `/v1/webhooks/${hook.id}/deliveries`
      const sent = await until(
        async () => (await wl.get(path)).body.data,
        ({ length }) => length === 2,
      )
      await wl.post(`${path}/${sent[1].id}/redeliver`, {})
      const received = await receiver.until(3)
      assert.deepEqual(
        received.map(({ headers, event }) => [headers.traceparent, event.traceparent]),
        [
          [traceparent, traceparent],
          [undefined, undefined],
          [traceparent, traceparent],
        ],
      )
      const streamed = (await stream.until(3)).map(({ data }) => [data.type, data.traceparent])
      stream.close()
      assert.deepEqual(streamed.slice(1), [
        ['task.created', traceparent],
        ['task.created', undefined],
      ])
    })
  })
}
