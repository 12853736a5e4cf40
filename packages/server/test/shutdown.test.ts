import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { describe, it } from 'node:test'
import { engines } from 'worklore-testing/engines'
import { send, testAdminKey } from 'worklore-testing/harness'
import { quietBoundMs } from 'worklore-testing/long-run'
import { sendRaw } from 'worklore-testing/raw-http'
import { startProcess } from 'worklore-testing/real-process'
import { beginRequest } from './late-request.js'

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** After which a stop waits for no request. */
const deadlineMs = 10_000

const body = JSON.stringify({ projectId: 'ACME', title: 'x' })
const head = `POST /v1/tasks HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${testAdminKey}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`

const refusesConnections = (baseUrl: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(Number(new URL(baseUrl).port), '127.0.0.1', () => resolve(false))
    socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'ECONNREFUSED'))
  })

const services = [
  ...engines.map((engine) => ({ engine, name: engine.name, environment: {} })),
  { engine: engines.at(-1)!, name: 'two processes', environment: { WORKLORE_PROCESSES: '2' } },
]

describe('a stop under load', () => {
  for (const { engine, name, environment } of services) {
    it(`answers every request under way, and no connection holds it past 10 s, on ${name}`, async (test) => {
      const store = await engine.createPreparedStore()
      const node = await startProcess(store, environment)
      const { port } = new URL(node.baseUrl)
      await send(node.baseUrl, 'POST', '/v1/projects', { key: testAdminKey, body: { key: 'ACME', name: 'Acme' } })

      // Half a request, never finished; one that ends only after the signal; a crowd in the midst of it.
      const halfOpen = [head.slice(0, 60), head, ''].map((bytes) => {
        const socket = connect(Number(port), '127.0.0.1', () => socket.write(bytes))
        return socket.on('error', () => {})
      })
      const begun = await beginRequest(node.baseUrl, 'POST', '/v1/tasks', { key: testAdminKey, body: JSON.parse(body) })
      let connected = 0
      const countConnected = { onConnect: () => void connected++ }
      const crowd = Array.from({ length: 150 }, () => sendRaw(node.baseUrl, head + body, countConnected))
      while (connected < crowd.length) await pause(1)

      const signalledAt = performance.now()
      const ended = node.end('SIGTERM')
      const late = pause(500).then(begun.finish)
      const answers = await Promise.all(crowd)
      assert.equal((await late).status, 201, 'what was under way is finished')
      const cut = answers.filter((answer) => answer === undefined)
      const statuses = answers.map((answer) => answer?.status)
      assert.ok(statuses.every((status) => status === 201 || status === 503 || status === undefined))
      while (!(await refusesConnections(node.baseUrl))) {
        assert.ok(performance.now() - signalledAt < quietBoundMs(5_000), 'no new connection is taken')
        await pause(50)
      }
      const code = await ended
      const tookMs = performance.now() - signalledAt
      test.diagnostic(
        `exit ${code} after ${Math.round(tookMs)} ms; ${statuses.filter((status) => status === 201).length} of 150 created`,
      )
      assert.equal(code, 0, node.output())
      assert.ok(tookMs < quietBoundMs(11_500), `took ${tookMs} ms`)
      // Only the deadline cuts requests off, on a machine that is too busy to answer them all before it.
      if (tookMs < deadlineMs) assert.equal(cut.length, 0, `${cut.length} requests got no answer`)
      for (const socket of halfOpen) socket.destroy()

      // What was answered is there, and nothing else but what was cut off.
      const again = await startProcess(store)
      const { body: list } = await send(again.baseUrl, 'GET', '/v1/tasks?total=exact&limit=1', { key: testAdminKey })
      const answered = 1 + statuses.filter((status) => status === 201).length
      const { total } = list.pagination
      assert.ok(total >= answered && total <= answered + cut.length, `${total} tasks, ${answered} answered`)
      await again.end('SIGKILL')
      await store.remove()
    })
  }

  it('ends in good order while PostgreSQL is away', async () => {
    const store = await engines[1]!.createPreparedStore()
    const node = await startProcess(store)
    await send(node.baseUrl, 'GET', '/v1/tasks', { key: testAdminKey })
    await store.remove()
    const startedAt = performance.now()
    assert.equal(await node.end('SIGTERM'), 0, node.output())
    assert.ok(performance.now() - startedAt < quietBoundMs(11_000))
  })
})
