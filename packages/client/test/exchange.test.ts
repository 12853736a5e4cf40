import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, beforeEach, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { NetworkError, TimeoutError, ValidationError, Worklore, type WorkloreOptions } from '../src/index.js'

interface Received {
  method: string
  headers: IncomingHttpHeaders
  body: string
  port: number
}

describe('requests on Node', () => {
  const received: Received[] = []
  let answer: (request: IncomingMessage, response: ServerResponse) => void
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    received.push({ method: request.method!, headers: request.headers, body, port: request.socket.remotePort! })
    answer(request, response)
  })
  let port: number
  before(async () => {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    port = (server.address() as AddressInfo).port
  })
  beforeEach(() => {
    received.length = 0
    answer = (_request, response) => void response.end('{"data":{"text":"Grüße 🙂"}}')
  })
  after(() => {
    server.close()
    server.closeAllConnections()
  })
  const client = (options: Partial<WorkloreOptions> = {}): Worklore =>
    new Worklore({ baseUrl: `http://127.0.0.1:${port}`, apiKey: 'any', maxRetries: 0, ...options })
  const get = (wl: Worklore, signal?: AbortSignal) => wl.request({ method: 'GET', path: '/v1/x', signal })

  it('names the request and reports its response', async () => {
    answer = (_request, response) => {
      response.setHeader('x-request-id', 'import-7')
      response.setHeader('x-ratelimit-limit', '60')
      response.end('{"data":{}}')
    }
    const responses: [number, string | undefined, string | undefined][] = []
    const onResponse: WorkloreOptions['onResponse'] = ({ status, requestId, header }) =>
      responses.push([status, requestId, header('x-ratelimit-limit')])
    await client().tasks.create({ projectId: 'ACME', title: 'Once' }, { requestId: 'import-7', onResponse })
    await client({ onResponse }).tasks.get('ACME-1')
    assert.equal(received[0]!.headers['x-request-id'], 'import-7')
    assert.equal(received[1]!.headers['x-request-id'], undefined)
    assert.deepEqual(responses, [
      [200, 'import-7', '60'],
      [200, 'import-7', '60'],
    ])
  })

  it('takes the address and the key from the environment', async () => {
    const script = `import { Worklore } from 'worklore-client'
      try { console.log(JSON.stringify(await new Worklore().me())) } catch (error) { console.log(error.message) }`
    const run = async (env: Record<string, string>): Promise<string> => {
      const options = { env: { ...process.env, WORKLORE_URL: '', WORKLORE_KEY: '', ...env }, cwd: import.meta.dirname }
      const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], options)
      return stdout.trim()
    }
    const WORKLORE_URL = `http://127.0.0.1:${port}`
    assert.equal(await run({ WORKLORE_URL, WORKLORE_KEY: 'its-key' }), '{"text":"Grüße 🙂"}')
    assert.equal(received[0]!.headers.authorization, 'Bearer its-key')
    assert.equal(await run({ WORKLORE_URL }), 'apiKey is required: pass it, or set WORKLORE_KEY.')
    assert.equal(await run({ WORKLORE_KEY: 'its-key' }), 'baseUrl is required: pass it, or set WORKLORE_URL.')
  })

  for (const [way, options] of Object.entries({ own: {}, fetch: { fetch } })) {
    it(`arrive alike by ${way}`, async () => {
      const wl = client({ ...options, apiKey: 'from a file\n', userAgent: 'test/1' })
      assert.deepEqual(await get(wl), { data: { text: 'Grüße 🙂' } })
      for (const method of ['POST', 'PUT', 'DELETE', 'PATCH'] as const)
        await wl.request({ method, path: '/v1/x', body: { ü: 1 }, headers: { 'If-Match': '"1"' } })
      await wl.request({ method: 'POST', path: '/v1/x' })
      assert.deepEqual(
        received.map(({ method, body, headers }) => [method, body, headers['content-length'], headers['if-match']]),
        [
          ['GET', '', undefined, undefined],
          ...['POST', 'PUT', 'DELETE', 'PATCH'].map((method) => [method, '{"ü":1}', '8', '"1"']),
          ['POST', '', '0', undefined],
        ],
      )
      for (const { headers } of received) {
        assert.deepEqual([headers.authorization, headers['user-agent']], ['Bearer from a file', 'test/1'])
        assert.equal(headers['transfer-encoding'], undefined)
      }
      // How many connections `fetch` opens is its own affair.
      if (way === 'own') assert.equal(new Set(received.map((each) => each.port)).size, 1, 'the connection is not kept')
      assert.throws(() => client({ ...options, apiKey: 'a\nb' }), TypeError)
    })

    it(`end when they are aborted or take too long, by ${way}`, async () => {
      answer = (_request, response) => void response.writeHead(200).write('{')
      const wl = client(options)
      await assert.rejects(get(wl, AbortSignal.abort(new Error('mine'))), /^Error: mine$/)
      const controller = new AbortController()
      const aborted = assert.rejects(get(wl, controller.signal), /^Error: mine$/)
      while (received.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
      controller.abort(new Error('mine'))
      await aborted
      await assert.rejects(get(client({ ...options, timeoutMs: 50 })), TimeoutError)
    })

    it(`tell why there is no answer, by ${way}`, async () => {
      const refused = createServer().listen(0, '127.0.0.1')
      await once(refused, 'listening')
      const address = `http://127.0.0.1:${(refused.address() as AddressInfo).port}`
      refused.close()
      await once(refused, 'close')
      await assert.rejects(get(client({ ...options, baseUrl: address })), /ECONNREFUSED/)
      // A name with two addresses has a reason for each of them.
      const named = address.replace('127.0.0.1', 'localhost')
      await assert.rejects(get(client({ ...options, baseUrl: named })), /ECONNREFUSED/)
      answer = (request) => void request.socket.destroy()
      await assert.rejects(get(client(options)), NetworkError)
      answer = (_request, response) => {
        response.writeHead(200, { 'content-length': '100' }).write('{"data":')
        setTimeout(() => response.socket!.destroy(), 20)
      }
      await assert.rejects(get(client(options)), NetworkError)
      answer = (_request, response) => void response.writeHead(301, { location: 'https://elsewhere.example' }).end()
      await assert.rejects(get(client(options)), (error) => {
        assert.ok(error instanceof ValidationError)
        assert.match(error.message, /^baseUrl redirects to https:\/\/elsewhere\.example;/)
        return true
      })
    })
  }

  it('ask for compressed answers, but not of a service on the same machine', async () => {
    answer = ({ headers }, response) => {
      const isZipped = headers['accept-encoding'] === 'gzip'
      response.writeHead(200, isZipped ? { 'content-encoding': 'gzip' } : {})
      response.end(isZipped ? gzipSync('{"data":"zipped"}') : '{"data":"plain"}')
    }
    assert.deepEqual(await get(client()), { data: 'plain' })
    const elsewhere = client({ baseUrl: `http://[::ffff:127.0.0.1]:${port}` })
    assert.deepEqual(await get(elsewhere), { data: 'zipped' })
    answer = (_request, response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end('no gzip')
    await assert.rejects(get(elsewhere), NetworkError)
  })

  it('do not load fetch', async () => {
    const script = `import { Worklore } from '${new URL('../src/index.js', import.meta.url).href}'
      await new Worklore({ baseUrl: 'http://127.0.0.1:${port}', apiKey: 'x' }).me()
      console.log(JSON.stringify(process.moduleLoadList))`
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script])
    const loaded: string[] = JSON.parse(stdout)
    assert.ok(loaded.includes('NativeModule http'))
    assert.deepEqual(
      loaded.filter((name) => name.includes('undici')),
      [],
    )
  })
})
