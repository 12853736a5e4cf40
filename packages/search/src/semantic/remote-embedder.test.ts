import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { createRemoteEmbedder, type RemoteEmbedderOptions } from './remote-embedder.js'

interface Call {
  authorization: string | undefined
  body: { model: string; input: string[] }
}

type Respond = (call: Call, response: ServerResponse, number: number) => void

const vectorOf = (text: string) => [text.length, 1, 0]

const succeed: Respond = ({ body }, response) => {
  const data = body.input.map((text, index) => ({ index, embedding: vectorOf(text) }))
  response.end(JSON.stringify({ data: data.reverse() }))
}

const fail =
  (status: number, headers: Record<string, string> = {}): Respond =>
  (_, response) => {
    response.writeHead(status, headers).end('no')
  }

const readBody = async (request: IncomingMessage): Promise<Call['body']> => {
  let text = ''
  for await (const chunk of request) text += chunk
  return JSON.parse(text) as Call['body']
}

const endpoint = async (respond: Respond, options: Partial<RemoteEmbedderOptions> = {}) => {
  const calls: Call[] = []
  const server = createServer(async (request, response) => {
    const call = { authorization: request.headers.authorization, body: await readBody(request) }
    calls.push(call)
    respond(call, response, calls.length)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/embeddings`
  const embedder = createRemoteEmbedder({ url, model: 'm', apiKey: 'secret-key', backoffMs: 1, ...options })
  const stop = async () => {
    await embedder.close()
    server.closeAllConnections()
    server.close()
  }
  return { embedder, calls, stop }
}

test('texts go in batches and come back as unit vectors in their order', async () => {
  const { embedder, calls, stop } = await endpoint(succeed, { batchSize: 2 })
  const vectors = await embedder.embed(['a', 'bb', 'ccc'])
  assert.deepEqual(
    calls.map((call) => call.body.input),
    [['a', 'bb'], ['ccc']],
  )
  assert.equal(calls[0]!.authorization, 'Bearer secret-key')
  for (const [i, text] of ['a', 'bb', 'ccc'].entries()) {
    assert.ok(Math.abs(vectors[i]![0]! / vectors[i]![1]! - text.length) < 1e-5)
    assert.ok(Math.abs(Math.hypot(...vectors[i]!) - 1) < 1e-6)
  }
  assert.equal(embedder.dimensions, 3)
  await stop()
})

for (const status of [429, 500, 503]) {
  test(`${status} is tried again`, async () => {
    const failing = fail(status, { 'retry-after': '0' })
    const respond: Respond = (call, response, number) => (number < 3 ? failing : succeed)(call, response, number)
    const { embedder, calls, stop } = await endpoint(respond)
    assert.equal((await embedder.embed(['a'])).length, 1)
    assert.equal(calls.length, 3)
    await stop()
  })
}

test('a lasting refusal is told at once, without the key', async () => {
  const { embedder, calls, stop } = await endpoint(fail(401))
  await assert.rejects(
    embedder.embed(['a']),
    (error: Error) => /401/.test(error.message) && !/secret/.test(error.message),
  )
  assert.equal(calls.length, 1)
  await stop()
})

test('a query gives up soon', async () => {
  const { embedder, calls, stop } = await endpoint(fail(503))
  await assert.rejects(embedder.embed(['a'], 'query'), /503/)
  assert.equal(calls.length, 2)
  await stop()
})

test('a silent endpoint and a dropped connection are failures like others', async () => {
  const silent = await endpoint(() => {}, { timeoutMs: 20 })
  await assert.rejects(silent.embedder.embed(['a'], 'query'), /timeout/)
  await silent.stop()
  const dropped = await endpoint((_, response) => response.destroy())
  await assert.rejects(dropped.embedder.embed(['a'], 'query'), /socket|closed|hang/)
  await dropped.stop()
})

test('fewer vectors than texts are no answer', async () => {
  const { embedder, stop } = await endpoint((_, response) => response.end('{"data":[]}'))
  await assert.rejects(embedder.embed(['a'], 'query'), /0 vectors for 1 texts/)
  await stop()
})

test('closing ends what runs', async () => {
  const { embedder, stop } = await endpoint(() => {})
  const running = embedder.embed(['a'])
  await stop()
  await assert.rejects(running, /closed/)
})
