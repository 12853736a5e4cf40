import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { it } from 'node:test'
import { engines } from 'worklore-testing/engines'
import { send, testAdminKey } from 'worklore-testing/harness'
import { inLongRun } from 'worklore-testing/long-run'
import { startProcess } from 'worklore-testing/real-process'
import { hasProcessFigures, memoryOf } from './process-figures.js'

/** In the short run no more than a slow machine opens before the first of them has been idle for too long. */
const wanted = inLongRun(2_000, 10_000)
/** Each end of a connection is a file of its process; some are needed for the rest. One address gets half of them. */
const allowed =
  Number(/Max open files\s+\d+\s+(\d+)/.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1] ?? 1_024) - 500
const count = Math.min(wanted, Math.floor(allowed / 2))
const environment = { WORKLORE_CONNECTIONS: '30000', WORKLORE_CONNECTIONS_PER_ADDRESS: '15000' }
const batch = 250

const request = `GET /v1/me HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${testAdminKey}\r\n\r\n`

/** The service closes a connection only if it has been idle for longer than this. */
const keptMs = 60_000

interface Held {
  socket: Socket
  idleSinceMs: number
}

/** Opens a connection, sends one request and keeps the connection open. */
const hold = (port: number): Promise<Held> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(request))
    socket.once('error', reject)
    socket.once('data', (data) => {
      if (data.toString('latin1').startsWith('HTTP/1.1 200')) resolve({ socket, idleSinceMs: performance.now() })
      else reject(new Error(data.toString('latin1')))
    })
  })

it(`holds ${count} idle connections in less than 300 MB and without an error`, {
  skip: !hasProcessFigures,
}, async (test) => {
  const store = await engines[0]!.createStore()
  const node = await startProcess(store, environment)
  const held: Held[] = []
  try {
    const port = Number(new URL(node.baseUrl).port)
    const before = memoryOf(node.pid)
    while (held.length < count) {
      held.push(...(await Promise.all(Array.from({ length: Math.min(batch, count - held.length) }, () => hold(port)))))
    }
    let broken = 0
    for (const { socket, idleSinceMs } of held) {
      socket.once('close', () => {
        // On a busy machine, the first connections may time out before the last ones are open.
        if (performance.now() - idleSinceMs < keptMs) broken++
      })
    }
    const memory = memoryOf(node.pid)
    const answer = await send(node.baseUrl, 'GET', '/v1/tasks', { key: testAdminKey })
    test.diagnostic(`${held.length} connections: ${Math.round(memory / 1e6)} MB, ${Math.round(before / 1e6)} MB before`)
    assert.equal(answer.status, 200)
    assert.equal(broken, 0)
    assert.ok(memory < 300e6, `${memory} bytes`)
  } finally {
    for (const { socket } of held) socket.destroy()
    await node.end('SIGKILL')
    await store.remove()
  }
})
