import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Receiver, startReceiver } from 'worklore-testing/receiver'
import { createDeliveryClient, type DeliveryClient } from './delivery/client.js'
import { createTargets, type Targets } from './target.js'

describe('a post to a webhook', () => {
  let receiver: Receiver
  const clients: DeliveryClient[] = []
  const clientOf = (targets: Targets, timeoutMs = 60_000): DeliveryClient => {
    const client = createDeliveryClient(targets, timeoutMs)
    clients.push(client)
    return client
  }
  before(async () => {
    receiver = await startReceiver()
  })
  after(async () => {
    for (const client of clients) client.close()
    await receiver.close()
  })

  it('does not reach a literal inner address, even one that was stored', async () => {
    const answer = await clientOf(createTargets([])).post(receiver.url, {}, '{}')
    assert.match(answer.error!, /not on the public internet/)
    assert.equal(receiver.received.length, 0)
  })

  it('does not reach a name that resolves to the inside', async () => {
    const url = receiver.url.replace('127.0.0.1', 'localhost')
    const answer = await clientOf(createTargets([])).post(url, {}, '{}')
    assert.match(answer.error!, /not on the public internet/)
    assert.equal(receiver.received.length, 0)
  })

  it('sends nothing over a connection that leads to the inside, though the name looked good', async () => {
    const honest = createTargets([])
    const rebound: Targets = { ...honest, resolve: async () => [{ address: '127.0.0.1', family: 4 }] }
    const url = receiver.url.replace('127.0.0.1', 'rebinding.example')
    const answer = await clientOf(rebound).post(url, {}, '{}')
    assert.match(answer.error!, /not on the public internet/)
    assert.equal(receiver.received.length, 0)
  })

  it('uses a connection again, and a new one where the old was closed meanwhile', async () => {
    const client = clientOf(createTargets(['127.0.0.1']))
    receiver.behave((response) => {
      response.end('ok')
      // Closes without having said so.
      const { socket } = response
      setTimeout(() => socket?.resetAndDestroy(), 20)
    })
    for (let i = 0; i < 3; i++) {
      assert.equal((await client.post(receiver.url, {}, '{}')).status, 200)
      await new Promise((done) => setTimeout(done, i === 1 ? 25 : 0))
    }
  })

  it('takes the status of an answer whose body never ends', async () => {
    const client = clientOf(createTargets(['127.0.0.1']), 3_000)
    receiver.behave((response) => {
      response.writeHead(200)
      response.write('begun')
    })
    const { status, body, durationMs } = await client.post(receiver.url, {}, '{}')
    assert.equal(status, 200)
    assert.equal(body, 'begun')
    assert.ok(durationMs >= 2_900, `${durationMs}`)
  })
})
