import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { engines, type TestStore } from '../engines.js'
import { send } from '../harness.js'
import { environmentOf, serveProgram } from '../program.js'

describe('logs', () => {
  let store: TestStore
  before(async () => {
    store = await engines[0]!.createStore()
  })
  after(() => store.remove())

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
    assert.ok(stdout.split('\n').length > 14, 'the level trace has a line for each request')
    for (const key of [canary, adminKey]) assert.ok(!(stdout + stderr).includes(key))
  })
})
