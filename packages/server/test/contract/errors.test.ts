import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { expectError, expectInvalid, expectStatus } from 'worklore-testing/expect'
import { createKey, createProject, createTask } from 'worklore-testing/factories'
import type { Answer } from 'worklore-testing/harness'
import { sendRaw } from 'worklore-testing/raw-http'
import { describeTenant } from 'worklore-testing/service-suite'

const expectHeaders = ({ headers }: Answer): void => {
  for (const name of ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']) {
    assert.match(String(headers[name]), /^\d+$/, name)
  }
  assert.ok(headers['x-request-id'])
}

describeTenant('errors', (wl) => {
  before(async () => {
    await createProject(wl, { key: 'ACME' })
    await createTask(wl, 'ACME')
  })

  it('ask for a key, and say what is wrong with the one sent', async () => {
    const unknown = 'k'.repeat(40)
    const cases: [authorization: string | undefined, reason: string][] = [
      [undefined, 'missing'],
      ['Bearer', 'invalid'],
      ['Bearer short', 'invalid'],
      [`Basic ${wl.adminKey}`, 'invalid'],
      [wl.adminKey, 'invalid'],
      [`Bearer ${unknown}`, 'invalid'],
      [`Bearer ${wl.adminKey}x`, 'invalid'],
    ]
    for (const [authorization, reason] of cases) {
      for (const path of ['/v1/tasks', '/v1/nowhere', '/v1']) {
        const answer = await wl.get(path, { key: null, ...(authorization && { headers: { authorization } }) })
        assert.equal(expectError(answer, 'UNAUTHORIZED').reason, reason)
        assert.equal(answer.headers['www-authenticate'], 'Bearer')
        expectHeaders(answer)
      }
    }
  })

  it('take the scheme without regard to case', async () => {
    for (const scheme of ['bearer', 'BEARER', 'BeArEr']) {
      const headers = { authorization: `${scheme} ${wl.adminKey}` }
      expectStatus(await wl.get('/v1/me', { key: null, headers }), 200)
    }
  })

  it('name the scope that a key lacks', async () => {
    const { key } = await createKey(wl, { scopes: ['tasks:read'] })
    const answer = await wl.post('/v1/tasks', { projectId: 'ACME', title: 'x' }, { key })
    assert.equal(expectError(answer, 'FORBIDDEN').requiredScope, 'tasks:write')
    expectHeaders(answer)
  })

  it('tell a route that is not from a method that is not', async () => {
    for (const path of [
      '/v1/nowhere',
      '/v1',
      '/v1/',
      '/v1/tasks/ACME-1/watchers',
      '/v1/tasksx',
      '/V1/tasks',
      '/v2/tasks',
    ]) {
      const answer = await wl.get(path)
      expectError(answer, 'NOT_FOUND')
      if (path.startsWith('/v1')) expectHeaders(answer)
    }
    const allowed: [method: string, path: string, allow: string][] = [
      ['PUT', '/v1/tasks', 'GET, HEAD, POST'],
      ['POST', '/v1/tasks/ACME-1', 'DELETE, GET, HEAD, PATCH'],
      ['POST', '/v1/knowledge/a/b', 'DELETE, GET, HEAD, PATCH, PUT'],
      ['DELETE', '/v1/knowledge', 'GET, HEAD'],
      ['OPTIONS', '/v1/me', 'GET, HEAD'],
      ['GET', '/v1/keys/key_1/rotate', 'POST'],
    ]
    for (const [method, path, allow] of allowed) {
      const answer = await wl.request(method, path)
      expectError(answer, 'METHOD_NOT_ALLOWED')
      assert.equal(answer.headers.allow, allow)
      expectHeaders(answer)
    }
  })

  it('refuse bodies that are not JSON', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/xml', 'multipart/form-data']) {
      const answer = await wl.request('POST', '/v1/tasks', { rawBody: '{}', headers: { 'content-type': type } })
      expectError(answer, 'UNSUPPORTED_MEDIA_TYPE')
      expectHeaders(answer)
    }
    const json = JSON.stringify({ projectId: 'ACME', title: 'x' })
    const headers = { 'content-type': 'application/json; charset=utf-8' }
    expectStatus(await wl.request('POST', '/v1/tasks', { rawBody: json, headers }), 201)
  })

  it('refuse JSON that is malformed, of another shape, or not there', async () => {
    const bodies = ['{', '{"title":}', 'null', '[]', '"text"', '7', '', "{'a':1}", '{"a":1}}', '\u00a0{}']
    for (const rawBody of bodies) {
      const answer = await wl.request('POST', '/v1/tasks', { rawBody })
      assert.ok(Array.isArray(expectError(answer, 'VALIDATION_ERROR').details), rawBody)
      expectHeaders(answer)
    }
    expectError(await wl.request('POST', '/v1/tasks'), 'VALIDATION_ERROR')
    expectError(await wl.request('PATCH', '/v1/tasks/ACME-1', { rawBody: '[]' }), 'VALIDATION_ERROR')
    const deep = '['.repeat(100_000) + ']'.repeat(100_000)
    expectError(await wl.request('POST', '/v1/tasks', { rawBody: deep }), 'VALIDATION_ERROR')
    expectError(await wl.request('POST', '/v1/tasks', { rawBody: `{"title":${deep}}` }), 'VALIDATION_ERROR')
  })

  it('refuse text that is not Unicode', async () => {
    const rawBody = Buffer.from('{"projectId":"ACME","title":"\xff"}', 'latin1')
    expectError(await wl.request('POST', '/v1/tasks', { rawBody }), 'VALIDATION_ERROR')
    for (const text of ['\\u0000', 'a\\ud800b', '\\udc00', '\\udc00\\ud800']) {
      const task = await wl.request('POST', '/v1/tasks', { rawBody: `{"projectId":"ACME","title":"${text}"}` })
      expectInvalid(task, 'title')
      const label = `{"projectId":"ACME","title":"x","labels":["a","${text}"]}`
      expectInvalid(await wl.request('POST', '/v1/tasks', { rawBody: label }), 'labels.1')
      expectInvalid(await wl.request('PUT', '/v1/knowledge/x', { rawBody: `{"content":"${text}"}` }), 'content')
    }
    const pair = await wl.request('PUT', '/v1/knowledge/pair', { rawBody: '{"content":"\\ud83d\\ude42"}' })
    assert.equal(pair.body.data.content, '🙂')
  })

  it('find nothing in a path with a NUL', async () => {
    for (const path of ['tasks/%00', 'projects/a%00b', 'users/%00', 'keys/%00', 'knowledge/%00', 'nowhere/%00']) {
      const { status } = await wl.get(`/v1/${path}`)
      assert.ok(status === 400 || status === 404, `${path} → ${status}`)
    }
  })

  it('refuse keys that would reach a prototype', async () => {
    for (const name of ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty']) {
      const rawBody = `{"projectId":"ACME","title":"x","${name}":{"prototype":{"polluted":true}}}`
      expectError(await wl.request('POST', '/v1/tasks', { rawBody }), 'VALIDATION_ERROR')
      expectInvalid(await wl.get(`/v1/tasks?${name}=1`), name)
    }
    assert.equal(({} as Record<string, unknown>).polluted, undefined)
  })

  it('name unknown and doubled query parameters', async () => {
    expectInvalid(await wl.get('/v1/tasks?statuss=todo&foo'), 'statuss', 'foo')
    expectInvalid(await wl.get('/v1/tasks?status=todo&status=done'), 'status')
    expectInvalid(await wl.get('/v1/tasks?limit=1&limit=1'), 'limit')
    expectInvalid(await wl.get('/v1/tasks/ACME-1?fields=id'), 'fields')
    expectInvalid(await wl.post('/v1/tasks?dryRun=true', { projectId: 'ACME', title: 'x' }), 'dryRun')
    expectInvalid(await wl.patch('/v1/tasks/ACME-1?a=1', {}), 'a')
    expectInvalid(await wl.delete('/v1/tasks/ACME-1?recursive=true'), 'recursive')
    for (const path of ['me', 'projects', 'users', 'keys', 'knowledge', 'knowledge/x']) {
      expectInvalid(await wl.get(`/v1/${path}?unknown=1`), 'unknown')
    }
    for (const query of ['status=%', 'status=%ff', '%zz=1', 'label=%00']) {
      expectError(await wl.get(`/v1/tasks?${query}`), 'VALIDATION_ERROR')
    }
    expectStatus(await wl.get('/v1/tasks?'), 200)
    expectStatus(await wl.get('/v1/tasks?&limit=1&'), 200)
  })

  it('let a GET or a DELETE say JSON and send nothing', async () => {
    const headers = { 'content-type': 'application/json' }
    expectStatus(await wl.get('/v1/tasks', { headers }), 200)
    const { id } = await createTask(wl, 'ACME')
    expectStatus(await wl.delete(`/v1/tasks/${id}`, { headers }), 200)
  })

  it('refuse a field in the body of a DELETE, which takes none', async () => {
    const { id } = await createTask(wl, 'ACME')
    const remove = (body: object) => wl.request('DELETE', `/v1/tasks/${id}`, { body })
    expectInvalid(await remove({ junk: 1 }), 'junk')
    const { details } = expectError(await remove({ force: true }), 'VALIDATION_ERROR')
    assert.deepEqual(details, [{ path: 'force', message: 'belongs in the query, not in the body' }])
    expectStatus(await wl.request('DELETE', `/v1/tasks/${id}`, { body: {} }), 200)
  })

  it('refuse a blank where a number belongs', async () => {
    expectInvalid(await wl.get('/v1/tasks?limit=%20'), 'limit')
    expectInvalid(await wl.get('/v1/search?q=x&minScore=%20'), 'minScore')
    expectInvalid(await wl.get('/v1/knowledge/search?q=x&passages=+'), 'passages')
  })

  it('answer HEAD as GET without the body', async () => {
    for (const [path, status] of [
      ['/v1/tasks', 200],
      ['/v1/tasks/ACME-1', 200],
      ['/v1/tasks/ACME-99', 404],
    ] as const) {
      const answer = expectStatus(await wl.request('HEAD', path), status)
      assert.equal(answer.text, '')
      expectHeaders(answer)
    }
    assert.equal((await wl.request('HEAD', '/v1/tasks/ACME-1')).headers.etag, '"1"')
  })

  it('refuse a body that is too large, whether its length is told or not', async () => {
    const rawBody = JSON.stringify({ content: 'x'.repeat(2_097_152) })
    const told = await wl.request('PUT', '/v1/knowledge/x', { rawBody })
    expectError(told, 'PAYLOAD_TOO_LARGE')
    expectHeaders(told)
    const chunk = 'x'.repeat(2_097_153)
    const chunked = await sendRaw(
      wl.baseUrl,
      `PUT /v1/knowledge/x HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${wl.adminKey}\r\nContent-Type: application/json\r\n` +
        `Transfer-Encoding: chunked\r\n\r\n${chunk.length.toString(16)}\r\n${chunk}\r\n0\r\n\r\n`,
    )
    assert.deepEqual([chunked?.status, chunked?.body.error.code], [413, 'PAYLOAD_TOO_LARGE'])
  })

  it('keep a sane X-Request-Id and replace another', async () => {
    for (const id of ['abc', 'A-1_b.c:d/e+f=', 'x'.repeat(128)]) {
      const answer = await wl.get('/v1/nowhere', { headers: { 'x-request-id': id } })
      assert.equal(answer.headers['x-request-id'], id)
      assert.equal(answer.body.error.requestId, id)
    }
    const replaced = new Set<string>()
    for (const id of ['', 'two words', 'x'.repeat(129), '<script>', 'é']) {
      const answer = await wl.get('/v1/me', { headers: { 'x-request-id': id } })
      assert.match(String(answer.headers['x-request-id']), /^req_\w+$/)
      replaced.add(String(answer.headers['x-request-id']))
    }
    assert.equal(replaced.size, 5)
  })

  it('come with their headers where a request fails before it has a route', async () => {
    for (const path of ['/v1/tasks/%zz', '/v1/%ff']) {
      const answer = await wl.get(path)
      expectError(answer, 'VALIDATION_ERROR')
      expectHeaders(answer)
    }
    const raw: [bytes: string, status: number, code: string][] = [
      ['NONSENSE\r\n\r\n', 400, 'VALIDATION_ERROR'],
      [`GET /v1/me HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`, 431, 'HEADERS_TOO_LARGE'],
    ]
    for (const [bytes, status, code] of raw) {
      const answer = await sendRaw(wl.baseUrl, bytes)
      assert.deepEqual([answer?.status, answer?.body.error.code], [status, code])
      for (const name of ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'x-request-id']) {
        assert.ok(answer?.headers[name], name)
      }
    }
  })

  it('are the same however the address is written', async () => {
    const { port } = new URL(wl.baseUrl)
    const forms = [`http://127.0.0.1:${port}/v1/tasks`, '/%761/tasks', '/v1/t%61sks?limit=1']
    const authorization = `Authorization: Bearer ${wl.adminKey}\r\n`
    for (const form of forms) {
      const refused = await sendRaw(wl.baseUrl, `GET ${form} HTTP/1.1\r\nHost: x\r\n\r\n`)
      assert.equal(refused?.status, 401, form)
      assert.ok(refused?.headers['x-ratelimit-limit'])
      const letIn = await sendRaw(wl.baseUrl, `GET ${form} HTTP/1.1\r\nHost: x\r\n${authorization}\r\n`)
      assert.equal(letIn?.status, 200, form)
    }
    expectStatus(await wl.put('/v1/knowledge/by/address', { content: 'x' }), 201)
    for (const form of [`http://127.0.0.1:${port}/v1/knowledge/by/address`, '/v1/%6bnowledge/by%2Faddress']) {
      const found = await sendRaw(wl.baseUrl, `GET ${form} HTTP/1.1\r\nHost: x\r\n${authorization}\r\n`)
      assert.equal(found?.body.data.key, 'by/address')
    }
  })
})
