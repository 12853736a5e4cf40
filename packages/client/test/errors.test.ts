import assert from 'node:assert/strict'
import { it } from 'node:test'
import * as client from '../src/index.js'
import { onEveryEngine } from './on-every-engine.js'

onEveryEngine('errors', (stage) => {
  it('have a class each, with everything the service said', async () => {
    const { wl, clientWith } = stage
    await wl.projects.create({ key: 'ACME', name: 'Acme' })
    const wrong = await wl.tasks.create({ projectId: 'NONE', title: '' }).catch((error) => error)
    assert.ok(wrong instanceof client.ValidationError)
    assert.ok(wrong instanceof client.ApiError && wrong instanceof client.WorkloreError && wrong instanceof Error)
    assert.deepEqual([wrong.status, wrong.code, wrong.name], [400, 'VALIDATION_ERROR', 'ValidationError'])
    assert.equal(wrong.details[0]!.path, 'title')
    assert.match(wrong.requestId!, /^req_/)
    assert.match(wrong.message, /title/)

    const unknown = await clientWith({ apiKey: 'wl_live_nobody' })
      .me()
      .catch((error) => error)
    assert.ok(unknown instanceof client.UnauthorizedError)
    assert.equal(unknown.reason, 'invalid')

    const { key } = await wl.keys.create({ name: 'reader', scopes: ['tasks:read'] })
    const forbidden = await clientWith({ apiKey: key! })
      .tasks.create({ projectId: 'ACME', title: 'x' })
      .catch((e) => e)
    assert.ok(forbidden instanceof client.ForbiddenError)
    assert.equal(forbidden.requiredScope, 'tasks:write')

    await assert.rejects(wl.tasks.get('ACME-99'), client.NotFoundError)
    await assert.rejects(wl.projects.create({ key: 'ACME', name: 'again' }), client.ConflictError)
    await assert.rejects(wl.knowledge.put('large', { content: 'x'.repeat(1_100_000) }), client.PayloadTooLargeError)
    const idempotencyKey = 'the-same'
    await wl.tasks.create({ projectId: 'ACME', title: 'one' }, { idempotencyKey })
    await assert.rejects(
      wl.tasks.create({ projectId: 'ACME', title: 'two' }, { idempotencyKey }),
      client.IdempotencyMismatchError,
    )
  })

  it('of something in between go by their status', async () => {
    const { proxy, clientWith } = stage
    const wl = clientWith({ maxRetries: 0 })
    proxy.queue.push('unavailable, wait unsaid', 'bad gateway')
    const unavailable = await wl.me().catch((error) => error)
    assert.ok(unavailable instanceof client.ServiceUnavailableError)
    assert.equal(unavailable.code, 'SERVICE_UNAVAILABLE')
    const gateway = await wl.me().catch((error) => error)
    assert.ok(gateway instanceof client.ApiError)
    assert.deepEqual([gateway.status, gateway.code], [504, 'HTTP_504'])
  })

  it('of the network and of time have their own', async () => {
    const { proxy, clientWith } = stage
    proxy.queue.push('reset', 'cut, lost', 'slow, lost')
    for (const [name, timeoutMs] of [
      ['NetworkError', 60_000],
      ['NetworkError', 60_000],
      ['TimeoutError', 300],
    ] as const) {
      const wl = clientWith({ maxRetries: 0, timeoutMs })
      const error = await wl.me().catch((error) => error)
      assert.ok(error instanceof client.NetworkError)
      assert.equal(error.name, name)
      assert.ok(error.cause)
    }
    const nowhere = clientWith({ baseUrl: 'http://127.0.0.1:1', maxRetries: 0 })
    await assert.rejects(nowhere.me(), client.NetworkError)
  })

  it('of use show before anything is sent', () => {
    assert.throws(() => stage.clientWith({ baseUrl: 'nowhere' }), TypeError)
    assert.throws(() => stage.clientWith({ apiKey: 'line\nbreak' }), TypeError)
  })
})
