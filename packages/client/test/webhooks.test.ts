import assert from 'node:assert/strict'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, it } from 'node:test'
import { verifyWebhook } from '../src/index.js'
import { onEveryEngine } from './on-every-engine.js'

interface Received {
  headers: IncomingHttpHeaders
  body: string
}

onEveryEngine(
  'webhooks',
  (stage) => {
    const received: Received[] = []
    const receiver = createServer(async (message, response) => {
      let body = ''
      for await (const chunk of message.setEncoding('utf8')) body += chunk
      received.push({ headers: message.headers, body })
      response.end()
    })
    let url: string
    before(async () => {
      await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done))
      url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`
    })
    after(() => {
      receiver.close()
      receiver.closeAllConnections()
    })

    const arrival = async (type: string): Promise<Received> => {
      for (;;) {
        const found = received.find(({ body }) => JSON.parse(body).type === type)
        if (found) return found
        await new Promise((done) => setTimeout(done, 20))
      }
    }

    it('are made, heard, verified and looked after', async () => {
      const { wl } = stage
      const { id, secret } = await wl.webhooks.create({ url, events: ['task.*'] })
      await wl.projects.create({ key: 'ACME', name: 'Acme' })
      const task = await wl.tasks.create({ projectId: 'ACME', title: 'Heard' })
      const { body, headers } = await arrival('task.created')
      const event = await verifyWebhook(body, headers, secret!)
      assert.ok(event.type === 'task.created')
      assert.deepEqual(event.data, task)

      const rotated = await wl.webhooks.rotateSecret(id)
      assert.notEqual(rotated.secret, secret)
      await wl.tasks.update(task.id, { status: 'done' })
      const second = await arrival('task.updated')
      for (const each of [secret, rotated.secret]) await verifyWebhook(second.body, second.headers, each!)

      const ping = await wl.webhooks.ping(id)
      assert.equal((await wl.webhooks.delivery(id, ping.id)).reason, 'ping')
      const [delivery] = (await wl.webhooks.deliveries(id, { limit: 1 })).data
      assert.equal((await wl.webhooks.redeliver(id, delivery!.id)).reason, 'redelivery')
      assert.equal((await wl.webhooks.replay(id, { fromSequence: event.sequence })).webhookId, id)
      assert.equal((await wl.webhooks.update(id, { active: false })).active, false)
      assert.equal((await wl.webhooks.get(id)).active, false)
      const ids: string[] = []
      for await (const webhook of wl.webhooks.list({ limit: 1 })) ids.push(webhook.id)
      assert.deepEqual(ids, [id])
      assert.deepEqual(await wl.webhooks.delete(id), { id, deleted: true })
    })
  },
  { config: { webhookAllow: ['127.0.0.0/8'] } },
)
