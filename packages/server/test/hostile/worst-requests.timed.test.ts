import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { engines, type TestStore } from 'worklore-testing/engines'
import { type Answer, send, testAdminKey } from 'worklore-testing/harness'
import { inLongRun, quietBoundMs } from 'worklore-testing/long-run'
import { type Operation, readOperations, type Schema } from 'worklore-testing/operations'
import { type RealProcess, startProcess } from 'worklore-testing/real-process'
import { hasProcessFigures, processorTimeOf } from './process-figures.js'
import { type WorstRequest, worstRequests } from './worst-requests.js'

/** The longest time that one request may occupy the main thread. */
const maxMs = quietBoundMs(50)
/** The short run has every so many of them. */
const stride = inLongRun(40, 1)
/** The first ones also pay for what is compiled, collected or cached, and a busy machine slows any of them. */
const tries = 6
const maxAnswerLength = 20_000

/** Parts of a schema whose values would take long to check if there were no end to them. */
const unbounded = (schema: Schema, path: string): string[] => [
  ...(schema.type === 'array' && schema.maxItems === undefined ? [`${path} has no maxItems`] : []),
  ...(schema.format !== undefined && schema.maxLength === undefined ? [`${path} has no maxLength`] : []),
  ...(schema.anyOf ?? []).flatMap((each) => unbounded(each, path)),
  ...(schema.items ? unbounded(schema.items, `${path}.items`) : []),
  ...Object.entries(schema.properties ?? {}).flatMap(([name, each]) => unbounded(each, `${path}.${name}`)),
]

describe('the worst requests of each operation', () => {
  let store: TestStore
  let node: RealProcess
  let operations: Operation[]
  before(async () => {
    store = await engines[0]!.createStore()
    node = await startProcess(store)
    const get = (path: string): Promise<Answer> => send(node.baseUrl, 'GET', path)
    operations = await readOperations({ get })
    const create = (path: string, body: unknown) => send(node.baseUrl, 'POST', path, { key: testAdminKey, body })
    await create('/v1/projects', { key: 'ACME', name: 'Acme' })
    await create('/v1/tasks', { projectId: 'ACME', title: 'x' })
  })
  after(async () => {
    await node.end('SIGKILL')
    await store.remove()
  })

  const busyMs = (): number => (hasProcessFigures ? processorTimeOf(node.pid).ran / 1e6 : performance.now())

  /** The processor's time that the service's main thread took for it, at best; waiting for a processor is not in it. */
  const measure = async ({ method, path, rawBody }: WorstRequest): Promise<{ ms: number; answer: Answer }> => {
    const body = rawBody && { rawBody: rawBody() }
    let best = { ms: Number.POSITIVE_INFINITY, answer: undefined as unknown as Answer }
    for (let left = tries; left > 0 && best.ms >= maxMs; left--) {
      const before = busyMs()
      const answer = await send(node.baseUrl, method, path, { key: testAdminKey, ...body })
      const ms = busyMs() - before
      if (ms < best.ms) best = { ms, answer }
    }
    return best
  }

  it('meet a bound for every list and every format', () => {
    for (const { id, parameters, body } of operations) {
      const schemas = [...(body ? [body] : []), ...parameters.map(({ schema }) => schema)]
      assert.deepEqual(
        schemas.flatMap((schema) => unbounded(schema, id)),
        [],
      )
    }
  })

  it(`keep the event loop for less than ${maxMs} ms, and those that are refused are told in few words`, async (test) => {
    let met = 0
    let count = 0
    let worst = { what: '', ms: 0 }
    const failures: string[] = []
    for (const operation of operations) {
      for (const request of worstRequests(operation, { projectId: 'ACME', taskId: 'ACME-1', key: 'x' })) {
        if (++met % stride !== 0) continue
        const { ms, answer } = await measure(request)
        count++
        if (ms > worst.ms) worst = { what: request.what, ms }
        if (ms >= maxMs) failures.push(`${request.what}: ${ms.toFixed(0)} ms, status ${answer.status}`)
        if (answer.status >= 500) failures.push(`${request.what}: status ${answer.status}`)
        if (answer.status >= 400 && answer.text.length > maxAnswerLength) {
          failures.push(`${request.what}: an answer of ${answer.text.length} characters`)
        }
      }
    }
    test.diagnostic(`${count} requests; the worst, ${worst.what}, took ${worst.ms.toFixed(1)} ms`)
    assert.deepEqual(failures, [])
  })
})
