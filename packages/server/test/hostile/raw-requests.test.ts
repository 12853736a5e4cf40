import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { engines } from 'worklore-testing/engines'
import { startService, type TestService, testAdminKey } from 'worklore-testing/harness'
import { sendRaw } from 'worklore-testing/raw-http'
import { expectRefusal } from './expect-refusal.js'

const known = `Host: x\r\nAuthorization: Bearer ${testAdminKey}\r\n`
const json = 'Content-Type: application/json\r\n'
const get = (target: string, headers = known): string => `GET ${target} HTTP/1.1\r\n${headers}\r\n`
const post = (headers: string, body: string): string =>
  `POST /v1/tasks HTTP/1.1\r\n${known}${json}${headers}\r\n${body}`

const refused: Record<string, string | Buffer> = {
  'Transfer-Encoding beside Content-Length': post(
    'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n',
    '0\r\n\r\nGET /v1/me HTTP/1.1\r\n\r\n',
  ),
  'two Transfer-Encodings': post('Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n', '0\r\n\r\n'),
  'an unknown Transfer-Encoding': post('Transfer-Encoding: xchunked\r\n', '0\r\n\r\n'),
  'a hidden Transfer-Encoding': post('Transfer-Encoding:\x0bchunked\r\n', '0\r\n\r\n'),
  'a compressed Transfer-Encoding': post('Transfer-Encoding: gzip, chunked\r\n', '2\r\n{}\r\n0\r\n\r\n'),
  'a compressed body': post('Content-Encoding: gzip\r\nContent-Length: 2\r\n', '{}'),
  'two Content-Lengths': post('Content-Length: 2\r\nContent-Length: 3\r\n', '{} '),
  'a negative Content-Length': post('Content-Length: -2\r\n', '{}'),
  'a Content-Length with a sign': post('Content-Length: +2\r\n', '{}'),
  'a Content-Length beyond every number': post(`Content-Length: ${'9'.repeat(30)}\r\n`, '{}'),
  'a Content-Length of gigabytes': post('Content-Length: 3000000000\r\n', '{}'),
  'a chunk size that is no number': post('Transfer-Encoding: chunked\r\n', 'ZZ\r\n{}\r\n'),
  'a chunk size beyond every number': post('Transfer-Encoding: chunked\r\n', `${'f'.repeat(20)}\r\n{}\r\n`),
  'a chunk with an endless extension': post('Transfer-Encoding: chunked\r\n', `1;${'a'.repeat(20_000)}\r\n{\r\n`),
  'a folded header': get('/v1/tasks', `${known}X-A: a\r\n b\r\n`),
  'a bare CR in a header': get('/v1/tasks', `${known}X-A: a\rb\r\n`),
  'bare LF lines': get('/v1/tasks').replaceAll('\r\n', '\n'),
  'a NUL in a header': get('/v1/tasks', `${known}X-A: a\0b\r\n`),
  'a space before the colon': get('/v1/tasks', `${known}X-A : a\r\n`),
  'no Host': get('/v1/tasks', `Authorization: Bearer ${testAdminKey}\r\n`),
  'a foreign Expect': post('Expect: a miracle\r\nContent-Length: 2\r\n', '{}'),
  'an unknown method': `FOO /v1/tasks HTTP/1.1\r\n${known}\r\n`,
  'a method of WebDAV': `PROPFIND /v1/tasks HTTP/1.1\r\n${known}\r\n`,
  TRACE: `TRACE /v1/tasks HTTP/1.1\r\n${known}\r\n`,
  CONNECT: `CONNECT example.com:443 HTTP/1.1\r\n${known}\r\n`,
  'the preface of HTTP/2': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'a version of the future': `GET /v1/tasks HTTP/9.9\r\n${known}\r\n`,
  'a TLS greeting': Buffer.from('16030100a5010000a10303', 'hex'),
  'headers of 17 KiB': get('/v1/tasks', `${known}X-A: ${'a'.repeat(17_000)}\r\n`),
  'an address of 20 KiB': get(`/v1/tasks?label=${'a'.repeat(20_000)}`),
  'an id of 9 KiB': get(`/v1/tasks/${'a'.repeat(9_000)}`),
  'a key of 9 KiB': get(`/v1/knowledge/${'a'.repeat(9_000)}`),
  'bytes that are no UTF-8 in the path': Buffer.from(get('/v1/knowledge/\xff\xfe'), 'latin1'),
  'percent-encoded bytes that are no UTF-8': get('/v1/knowledge/%ff'),
  'a percent-encoded half surrogate': get('/v1/knowledge/%ed%a0%80'),
  'a percent sign alone': get('/v1/tasks/%zz'),
  'NUL in the path': get('/v1/knowledge/%00'),
  'NUL in a query': get('/v1/tasks?label=%00'),
  'no UTF-8 in a query': get('/v1/tasks?label=%ff'),
  'a parameter given twice': get('/v1/tasks?limit=1&limit=2'),
  'an unknown parameter given twice': get('/v1/tasks?x=1&x=2'),
  'a parameter named __proto__': get('/v1/tasks?__proto__=1'),
  'a sort named constructor': get('/v1/tasks?sort=constructor'),
  'a number beyond every number': get('/v1/tasks?page=1e308'),
  'a list of 60 values': get(`/v1/tasks?label=${Array.from({ length: 60 }, (_, at) => `l${at}`).join(',')}`),
  'a cursor of another world': get('/v1/tasks?cursor=W10'),
  'no content type': `POST /v1/tasks HTTP/1.1\r\n${known}Content-Length: 2\r\n\r\n{}`,
  'a content type of nothing': `POST /v1/tasks HTTP/1.1\r\n${known}Content-Type: ;;;\r\nContent-Length: 2\r\n\r\n{}`,
}

describe('requests that no client would send', () => {
  let wl: TestService
  before(async () => {
    wl = await startService(engines[0]!)
    await wl.post('/v1/projects', { key: 'ACME', name: 'Acme' })
  })
  after(() => wl.stop())

  for (const [what, bytes] of Object.entries(refused)) {
    it(`refuses ${what}`, async () => void expectRefusal(await sendRaw(wl.baseUrl, bytes), what))
  }

  it('asks for a key however the address is written', async () => {
    const strangers = 'Host: x\r\n'
    for (const target of [
      'http://x/v1/tasks',
      '/%76%31/tasks',
      '/v1/%74asks',
      'HTTP://x/v1/tasks?limit=1',
      '/v1/me?',
    ]) {
      const answer = expectRefusal(await sendRaw(wl.baseUrl, get(target, strangers)), target)
      assert.equal(answer.status, 401, target)
    }
  })

  it('serves an address in its absolute and in its encoded form', async () => {
    await wl.put('/v1/knowledge/guides/setup', { content: 'text' })
    for (const target of [
      'http://x/v1/knowledge/guides/setup',
      '/v1/knowledg%65/guides/setup',
      '/%761/knowledge/guides%2Fsetup',
    ]) {
      const answer = await sendRaw(wl.baseUrl, get(target))
      assert.equal(answer?.status, 200, target)
      assert.equal(answer?.body.data.key, 'guides/setup')
    }
  })

  it('still serves the others, and counts none as under way any more', async () => {
    assert.equal((await wl.get('/v1/tasks')).status, 200)
    assert.equal((await wl.get('/readyz', { key: null })).status, 200)
  })
})
