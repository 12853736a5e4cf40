import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { TestStore } from 'worklore-testing/engines'
import { expectStatus } from 'worklore-testing/expect'
import { testAdminKey } from 'worklore-testing/harness'
import { quietBoundMs } from 'worklore-testing/long-run'
import { until } from 'worklore-testing/until'
import { postgres, sendAnew, startProcesses } from './processes.js'

const body = JSON.stringify({ content: 'written while stopping' })

/** A write whose head a process has read, and nothing of its body. */
const beginWrite = async (baseUrl: string, key: string): Promise<Socket> => {
  const { hostname, port } = new URL(baseUrl)
  const head = `PUT /v1/knowledge/${key} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${testAdminKey}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`
  const socket = connect(Number(port), hostname).on('error', () => {})
  socket.write(head)
  await once(socket, 'data')
  return socket
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describe('stopping several processes', () => {
  let store: TestStore
  before(async () => {
    store = await postgres.createPreparedStore()
  })
  after(() => store.remove())

  it('drains each of them, finishes what is under way and exits with 0', async (test) => {
    const node = await startProcesses(store, 2, { WORKLORE_DRAIN_SECONDS: '6' })
    test.after(() => node.end('SIGKILL'))
    const writes = [await beginWrite(node.baseUrl, 'one'), await beginWrite(node.baseUrl, 'two')]
    const ended = node.end('SIGTERM')
    const readiness = async (): Promise<number[]> => {
      const statuses: number[] = []
      for (const _process of node.served()) {
        statuses.push((await sendAnew(node, 'GET', '/readyz', { key: null })).status)
      }
      return statuses
    }
    // Each of them hears of the signal for itself.
    assert.deepEqual(await until(readiness, (statuses) => statuses.every((status) => status === 503)), [503, 503])
    for (const _process of node.served()) expectStatus(await sendAnew(node, 'GET', '/v1/me'), 200)
    const answers = writes.map(async (socket) => {
      socket.write(body)
      return String((await socket.setEncoding('utf8').take(1).toArray())[0])
    })
    for (const answer of await Promise.all(answers)) assert.match(answer, /^HTTP\/1\.1 201 /)
    assert.equal(await ended, 0, node.output())
    assert.deepEqual(node.served().filter(isAlive), [])
    assert.equal(node.output().match(/"msg":"stopped"/g)?.length, 2)
    assert.doesNotMatch(node.output(), /process ended/)
  })

  it('ends at once at a second signal', async (test) => {
    const node = await startProcesses(store, 2)
    test.after(() => node.end('SIGKILL'))
    const socket = await beginWrite(node.baseUrl, 'never')
    const ended = node.end('SIGINT')
    await until(
      async () => node.output(),
      (output) => output.includes('"stopping"'),
    )
    assert.equal(await Promise.race([ended, pause(1_100, 'still finishing')]), 'still finishing')
    const signalledAt = performance.now()
    assert.equal(await node.end('SIGTERM'), 1)
    assert.ok(performance.now() - signalledAt < quietBoundMs(2_000))
    await until(
      async () => node.served().some(isAlive),
      (isAnyAlive) => !isAnyAlive,
    )
    socket.destroy()
  })

  it('leaves no process behind when the supervisor is killed', async () => {
    const node = await startProcesses(store, 2)
    await node.end('SIGKILL')
    const left = await until(
      async () => node.served().filter(isAlive),
      (alive) => alive.length === 0,
    )
    assert.deepEqual(left, [])
  })
})
