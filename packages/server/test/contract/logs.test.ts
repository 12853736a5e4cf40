import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { engines, type TestStore } from 'worklore-testing/engines'
import { send } from 'worklore-testing/harness'
import { environmentOf, serveProgram } from 'worklore-testing/program'

describe('logs', () => {
  let store: TestStore
  before(async () => {
    store = await engines[0]!.createStore()
  })
  after(() => store.remove())

  it('name the trace of a request beside its id', async (test) => {
    const own = await engines[0]!.createStore()
    test.after(() => own.remove())
    const serving = await serveProgram(test, { ...environmentOf(own), LOG_LEVEL: 'debug' })
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    const headers = { traceparent, 'x-request-id': 'traced' }
    await send(serving.baseUrl, 'GET', '/v1/me', { key: null, headers })
    await send(serving.baseUrl, 'GET', '/v1/me', {
      key: null,
      headers: { traceparent: 'none', 'x-request-id': 'other' },
    })
    serving.signal('SIGTERM')
    const lines = (await serving.ended).stderr.split('\n').filter((line) => line.includes('"requestId"'))
    assert.deepEqual(
      lines.map((line) => JSON.parse(line)).map(({ requestId, traceparent }) => [requestId, traceparent]),
      [
        ['traced', traceparent],
        ['other', undefined],
      ],
    )
  })

  it('never hold a key, not even at the level trace', async (test) => {
    const adminKey = 'canary-of-the-operator-0123456789-abcdef'
    const serving = await serveProgram(test, {
      ...environmentOf(store),
      WORKLORE_ADMIN_KEY: adminKey,
      LOG_LEVEL: 'trace',
    })
    const request = (method: string, path: string, key: string, body?: object, headers: Record<string, string> = {}) =>
      send(serving.baseUrl, method, path, { key, ...(body && { body }), headers })
    const made = await request('POST', '/v1/keys', adminKey, { name: 'canary', scopes: ['tasks:read'] })
    const canary: string = made.body.data.key
    for (const key of [canary, adminKey]) {
      await request('GET', '/v1/me', key)
      await request('GET', `/v1/tasks?label=${key}`, key)
      await request('GET', `/v1/nowhere/${key}`, key)
      await request('GET', `/v1/tasks/${key}`, key)
      await request('POST', '/v1/tasks', key, { projectId: key, title: key })
      await request('GET', '/v1/me', key, undefined, { 'x-request-id': key })
      await request('GET', '/v1/me', `${key}x`)
    }
    serving.signal('SIGTERM')
    const { stdout, stderr } = await serving.ended
    assert.ok(stderr.split('\n').length > 14, 'the level trace has a line for each request')
    for (const key of [canary, adminKey]) assert.ok(!(stdout + stderr).includes(key))
  })
})
