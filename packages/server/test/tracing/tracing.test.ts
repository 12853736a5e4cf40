import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { engines } from 'worklore-testing/engines'
import { send } from 'worklore-testing/harness'
import { environmentOf, serveProgram } from 'worklore-testing/program'
import { startReceiver } from 'worklore-testing/receiver'
import { until } from 'worklore-testing/until'
import { createTracing } from '../../src/observability/tracing.js'
import type { WrittenSpan } from './otel.js'

const sent = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' }
const traceparent = `00-${sent.traceId}-${sent.spanId}-01`
const server = 1
const client = 2
const failed = 2

describe('tracing', () => {
  it('is nothing without an SDK', () => assert.equal(createTracing('1.0.0'), undefined))
})

for (const engine of engines) {
  describe(`tracing with an SDK on ${engine.name}`, () => {
    it('writes spans of requests, the store, searches and deliveries, under the trace of the caller', async (test) => {
      const store = await engine.createStore()
      const receiver = await startReceiver()
      const folder = await mkdtemp(join(tmpdir(), 'worklore-spans-'))
      test.after(async () => {
        await receiver.close()
        await store.remove()
        await rm(folder, { recursive: true })
      })
      const path = join(folder, 'spans')
      const key = 'operator-who-traces-0123456789-abcdef'
      const { baseUrl } = await serveProgram(test, {
        ...environmentOf(store),
        WORKLORE_ADMIN_KEY: key,
        WORKLORE_WEBHOOK_ALLOW: '127.0.0.0/8',
        NODE_OPTIONS: `--import ${new URL('./otel.js', import.meta.url)}`,
        SPANS_FILE: path,
      })
      const spans = (): WrittenSpan[] =>
        existsSync(path)
          ? readFileSync(path, 'utf8')
              .split('\n')
              .slice(0, -1)
              .map((line) => JSON.parse(line))
          : []
      const named = (name: string) => spans().filter((span) => span.name === name)
      const untilNamed = async (name: string): Promise<WrittenSpan> =>
        (
          await until(
            async () => named(name),
            ({ length }) => length > 0,
          )
        )[0]!
      const childrenOf = ({ spanId }: WrittenSpan) => spans().filter(({ parentSpanId }) => parentSpanId === spanId)
      const call = async (method: string, path: string, body?: object, headers: Record<string, string> = {}) =>
        send(baseUrl, method, path, { key, ...(body && { body }), headers })

      await call('POST', '/v1/projects', { key: 'ACME', name: 'Acme' })
      const root = await untilNamed('POST /v1/projects')
      assert.equal(root.parentSpanId, undefined)
      const [event] = (await call('GET', '/v1/events?types=project.created')).body.data
      assert.equal(event.traceparent, `00-${root.traceId}-${root.spanId}-01`)

      const hook = await call('POST', '/v1/webhooks', { url: receiver.url, events: ['task.*'] })
      assert.equal(hook.status, 201, hook.text)
      const headers = { traceparent, 'x-request-id': 'traced' }
      const made = await call('POST', '/v1/tasks', { projectId: 'ACME', title: 'Paint the fence' }, headers)
      assert.equal(made.status, 201, made.text)
      const request = await untilNamed('POST /v1/tasks')
      assert.deepEqual([request.traceId, request.parentSpanId, request.kind], [sent.traceId, sent.spanId, server])
      const { 'worklore.tenant.id': tenantId, 'worklore.key.id': keyId, ...attributes } = request.attributes
      assert.match(String(tenantId), /^ten_/)
      assert.match(String(keyId), /^key_/)
      assert.deepEqual(attributes, {
        'http.request.method': 'POST',
        'http.route': '/v1/tasks',
        'http.response.status_code': 201,
        'url.path': '/v1/tasks',
        'url.scheme': 'http',
        'worklore.request.id': 'traced',
      })
      const transaction = childrenOf(request).find(({ name }) => name === 'TRANSACTION')
      assert.ok(transaction, 'a request that writes has a transaction')
      const statements = childrenOf(transaction)
      assert.ok(statements.some(({ name }) => name === 'BATCH'))
      assert.ok(!JSON.stringify(statements).includes('Paint'), 'statements are written without their values')

      const [received] = await receiver.until(1)
      const delivery = await untilNamed('POST webhook')
      assert.deepEqual([delivery.traceId, delivery.parentSpanId, delivery.kind], [sent.traceId, sent.spanId, client])
      assert.equal(received!.headers.traceparent, `00-${sent.traceId}-${delivery.spanId}-01`)
      assert.equal(received!.event.traceparent, traceparent)
      assert.equal(delivery.attributes['http.response.status_code'], 200)

      await call('GET', '/v1/search?q=fence', undefined, headers)
      const search = await untilNamed('GET /v1/search')
      assert.ok(childrenOf(search).some(({ name }) => name === 'search'))
      assert.equal((await call('GET', '/v1/nowhere')).status, 404)
      await until(
        async () => spans().at(-1)?.attributes['url.path'],
        (path) => path === '/v1/nowhere',
      )
      const roots = spans().filter(({ parentSpanId }) => parentSpanId === undefined)
      assert.deepEqual(
        [...new Set(roots.map(({ kind }) => kind))].filter((kind) => ![server, client].includes(kind)),
        [],
      )
      assert.deepEqual(
        spans().filter(({ status }) => status === failed),
        [],
      )
    })
  })
}
