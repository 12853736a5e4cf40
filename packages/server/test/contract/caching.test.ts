import assert from 'node:assert/strict'
import { it } from 'node:test'
import { sameOrigin, signIn, trade } from 'worklore-testing/console-session'
import { openStream } from 'worklore-testing/event-stream'
import { expectStatus } from 'worklore-testing/expect'
import { createProject, createTask } from 'worklore-testing/factories'
import { type Answer, send } from 'worklore-testing/harness'
import { exampleOf, fillPath, readOperations } from 'worklore-testing/operations'
import { sendRaw } from 'worklore-testing/raw-http'
import { describeService } from 'worklore-testing/service-suite'

const expectKeptToCaller = ({ headers, text }: Answer, about = text): void => {
  assert.equal(headers['cache-control'], 'private, no-cache', about)
  assert.match(headers.vary ?? '', /^Authorization, Cookie(, Accept-Encoding)?$/, about)
}

describeService('caches', (wl) => {
  it('keep nothing of signing in and out', async () => {
    const { headers } = await signIn(wl)
    const answers = [
      await trade(wl, { key: wl.adminKey }),
      await trade(wl, { key: 'wrong' }),
      await send(wl.baseUrl, 'DELETE', '/console/session', { headers }),
      await send(wl.baseUrl, 'DELETE', '/console/session', { headers: sameOrigin }),
    ]
    assert.deepEqual(
      answers.map(({ status }) => status),
      [201, 401, 200, 401],
    )
    for (const answer of answers) assert.equal(answer.headers['cache-control'], 'no-store')
  })

  it('give no answer to another caller, nor again without asking', async () => {
    for (const { id, method, template, body } of await readOperations(wl)) {
      const path = fillPath(template, () => 'no-such-record')
      const isWrite = method !== 'GET'
      const answer = await wl.request(
        method,
        path,
        isWrite && body ? { body: exampleOf({ ...body, required: [] }) } : {},
      )
      if (answer.headers['cache-control'] !== 'no-store') expectKeptToCaller(answer, id)
      expectKeptToCaller(await wl.request(method, path, { key: null }), id)
    }
  })

  it('are told so with records, lists, 304 and errors, with a key and with a session', async () => {
    await createProject(wl, { key: 'KEPT' })
    const { id } = await createTask(wl, 'KEPT')
    const { headers } = await signIn(wl)
    for (const path of [`/v1/tasks/${id}`, '/v1/tasks', '/v1/projects']) {
      for (const caller of [{}, { key: null, headers }]) {
        expectKeptToCaller(expectStatus(await wl.get(path, caller), 200))
      }
      const { etag } = (await wl.get(path)).headers
      expectKeptToCaller(expectStatus(await wl.get(path, { headers: { 'if-none-match': etag! } }), 304))
    }
    expectKeptToCaller(await wl.request('HEAD', `/v1/tasks/${id}`))
    expectKeptToCaller(await wl.get('/v1/no/such/route'))
    expectKeptToCaller(await wl.get('/v1/%'))
    for (const method of ['GET', 'DELETE']) {
      for (const path of ['/mcp', '/mcp/']) {
        const refused = expectStatus(await wl.request(method, path), 405)
        assert.equal(refused.headers.allow, 'POST')
        expectKeptToCaller(refused)
      }
    }
    expectKeptToCaller(expectStatus(await wl.get('/no/such/route'), 404))
    expectKeptToCaller(await wl.request('POST', '/v1/tasks', { rawBody: '{' }))
    const broken = await sendRaw(wl.baseUrl, 'GET /v1/tasks HTTP/1.1\r\nbad header\r\n\r\n')
    assert.equal(broken!.headers['cache-control'], 'no-store')
  })

  it('of browsers, which ask with the tag of any tenant, always get the record', async () => {
    const { headers } = await signIn(wl)
    const path = `/v1/tasks/${(await createTask(wl, 'KEPT')).id}`
    const { etag } = (await wl.get(path)).headers
    const known = { 'if-none-match': etag! }
    const withKey = { authorization: `Bearer ${wl.adminKey}` }
    for (const ofBrowser of [headers, { ...withKey, ...sameOrigin }, { ...withKey, origin: 'https://example.com' }]) {
      const answer = await wl.get(path, { key: null, headers: { ...ofBrowser, ...known } })
      assert.equal(expectStatus(answer, 200).headers.etag, etag)
    }
    expectStatus(await wl.get(path, { headers: known }), 304)
  })

  it('keep no secret or link', async () => {
    const shown = async (path: string, body: unknown, status: number): Promise<Answer> => {
      const headers = { 'idempotency-key': path }
      const answer = expectStatus(await wl.post(path, body, { headers }), status)
      assert.equal(answer.headers['cache-control'], 'no-store', path)
      const again = expectStatus(await wl.post(path, body, { headers }), status)
      assert.equal(again.headers['cache-control'], 'no-store', path)
      return answer
    }
    const key = (await shown('/v1/keys', { name: 'shown', scopes: ['admin'] }, 201)).body.data
    await shown(`/v1/keys/${key.id}/rotate`, {}, 200)
    await shown(`/v1/keys/${key.id}/console-link`, undefined, 200)
    const webhook = (await shown('/v1/webhooks', { url: 'https://example.com/', events: ['*'] }, 201)).body.data
    await shown(`/v1/webhooks/${webhook.id}/rotate-secret`, {}, 200)
    const stream = await openStream(`${wl.baseUrl}/v1/events/stream`, wl.adminKey)
    assert.equal(stream.response.headers['cache-control'], 'no-store')
    stream.close()
  })
})
