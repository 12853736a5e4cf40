import assert from 'node:assert/strict'
import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { it } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { type TestService, testAdminKey } from 'worklore-testing/harness'
import { describeService } from 'worklore-testing/service-suite'

const agent = new Agent({ keepAlive: true })

interface Bytes {
  status: number
  headers: IncomingHttpHeaders
  bytes: Buffer
}

const ask = (
  { baseUrl }: TestService,
  path: string,
  headers: Record<string, string>,
  method = 'GET',
  body?: string,
): Promise<Bytes> =>
  new Promise((resolve, reject) => {
    const all = { authorization: `Bearer ${testAdminKey}`, ...headers }
    const outgoing = httpRequest(`${baseUrl}${path}`, { agent, method, headers: all }, (incoming) => {
      const chunks: Buffer[] = []
      incoming.on('data', (chunk) => chunks.push(chunk))
      incoming.on('end', () =>
        resolve({ status: incoming.statusCode!, headers: incoming.headers, bytes: Buffer.concat(chunks) }),
      )
    })
    outgoing.on('error', reject)
    outgoing.end(body)
  })

const decoders: Record<string, (bytes: Buffer) => Buffer> = { br: brotliDecompressSync, gzip: gunzipSync }

describeService('compressed answers', (wl) => {
  const paths = ['/v1/knowledge/small', '/v1/knowledge/medium', '/v1/knowledge/large', '/v1/knowledge', '/openapi.json']

  it('hold the same bytes as those that are not, and say so', async () => {
    for (const [key, length] of Object.entries({ small: 3_000, medium: 40_000, large: 1_000_000 })) {
      await wl.put(`/v1/knowledge/${key}`, { content: 'Zeichen für Zeichen. '.repeat(length / 25) })
    }
    for (const path of [...paths, '/docs', '/docs/static/swagger-ui-bundle.js', '/metrics']) {
      const plain = await ask(wl, path, {})
      assert.equal(plain.headers['content-encoding'], undefined, path)
      for (const [encoding, decode] of Object.entries(decoders)) {
        const compressed = await ask(wl, path, { 'accept-encoding': encoding })
        if (plain.bytes.length < 1_024) {
          assert.equal(compressed.headers['content-encoding'], undefined, path)
          continue
        }
        assert.equal(compressed.status, 200)
        assert.equal(compressed.headers['content-encoding'], encoding, path)
        assert.match(compressed.headers.vary ?? '', /\bAccept-Encoding\b/, path)
        assert.match(plain.headers.vary ?? '', /\bAccept-Encoding\b/, path)
        assert.equal(Number(compressed.headers['content-length']), compressed.bytes.length, path)
        assert.ok(compressed.bytes.length < plain.bytes.length / 2, `${path}: ${compressed.bytes.length} bytes`)
        if (path !== '/metrics') assert.deepEqual(decode(compressed.bytes), plain.bytes, path)
        assert.equal(compressed.headers.etag, plain.headers.etag, path)
      }
    }
  })

  it('have the whole result of a write', async () => {
    const operations = Array.from({ length: 100 }, (_, at) => ({
      method: 'PUT',
      path: `/v1/knowledge/batch-${at}`,
      body: { content: 'Zeichen für Zeichen. '.repeat(5) },
    }))
    for (const [encoding, decode] of Object.entries(decoders)) {
      const headers = { 'content-type': 'application/json', 'accept-encoding': encoding }
      const { status, bytes } = await ask(wl, '/v1/batch', headers, 'POST', JSON.stringify({ operations }))
      assert.equal(status, 200)
      assert.equal(JSON.parse(decode(bytes).toString()).data.length, operations.length, encoding)
    }
  })

  it('keep the version as their ETag', async () => {
    const first = await ask(wl, '/v1/knowledge/medium', { 'accept-encoding': 'br' })
    assert.equal(first.headers.etag, '"1"')
    const known = await ask(wl, '/v1/knowledge/medium', { 'accept-encoding': 'br', 'if-none-match': '"1"' })
    assert.equal(known.status, 304)
    assert.equal(known.bytes.length, 0)
    const changed = await wl.put('/v1/knowledge/medium', { content: 'new' }, { headers: { 'if-match': '"1"' } })
    assert.equal(changed.status, 200)
  })

  it('are not made of small ones, nor for HEAD', async () => {
    const small = await ask(wl, '/v1/me', { 'accept-encoding': 'br, gzip' })
    assert.equal(small.headers['content-encoding'], undefined)
    const head = await ask(wl, '/v1/knowledge/large', { 'accept-encoding': 'br' }, 'HEAD')
    assert.equal(head.status, 200)
    assert.equal(head.headers['content-encoding'], undefined)
    assert.equal(head.bytes.length, 0)
  })

  it('are right however many are asked for at once', async () => {
    const plain = await ask(wl, '/v1/knowledge', {})
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => ask(wl, '/v1/knowledge', { 'accept-encoding': 'br' })),
    )
    for (const { status, headers, bytes } of answers) {
      assert.equal(status, 200, bytes.toString().slice(0, 300))
      const encoding = headers['content-encoding']
      assert.deepEqual(encoding === undefined ? bytes : decoders[encoding]!(bytes), plain.bytes)
    }
    assert.ok(answers.some(({ headers }) => headers['content-encoding'] === 'br'))
  })
})
