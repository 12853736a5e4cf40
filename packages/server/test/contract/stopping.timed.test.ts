import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { it } from 'node:test'
import { engines } from 'worklore-testing/engines'
import { quietBoundMs } from 'worklore-testing/long-run'
import { startProcess } from 'worklore-testing/real-process'

it('a stop does not wait for a connection that has sent nothing', async (test) => {
  const store = await engines[0]!.createPreparedStore()
  test.after(() => store.remove())
  const node = await startProcess(store)
  const { hostname, port } = new URL(node.baseUrl)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  // By a reset, perhaps.
  socket.on('error', () => {}).resume()
  const signalledAt = performance.now()
  assert.equal(await node.end('SIGTERM'), 0, node.output())
  // Those that have begun a request get ten seconds.
  assert.ok(performance.now() - signalledAt < quietBoundMs(8_000))
  socket.destroy()
})
