import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { ValidationError, Worklore } from '../src/index.js'

describe('a client that is set up wrongly', () => {
  const requests: string[] = []
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`)
    const location = request.url!.startsWith('/moved') ? request.url!.replace('/moved', '') : undefined
    if (location) response.writeHead(Number(request.headers['x-status'] ?? 302), { location }).end()
    else response.writeHead(200, { 'content-type': 'application/json' }).end('{"data":[]}')
  })
  let origin: string
  before(async () => {
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  after(() => server.close())

  it('hears of a redirect at once instead of taking a read for its create', async () => {
    const wl = new Worklore({ baseUrl: `${origin}/moved`, apiKey: 'any' })
    await assert.rejects(wl.tasks.create({ projectId: 'ACME', title: 'x' }), (error: Error) => {
      assert.ok(error instanceof ValidationError)
      assert.match(error.message, /baseUrl/)
      return true
    })
    assert.deepEqual(requests, ['POST /moved/v1/tasks'])
  })

  it('is refused without a key, and drops what an address has after its path', async () => {
    assert.throws(() => new Worklore({ baseUrl: origin, apiKey: undefined as never }), /apiKey/)
    requests.length = 0
    await new Worklore({ baseUrl: `${origin}/api/?x=1#y`, apiKey: 'any' }).me()
    assert.deepEqual(requests, ['GET /api/v1/me'])
  })
})
