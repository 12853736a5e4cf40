import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { engines } from 'worklore-testing/engines'
import { send, testAdminKey } from 'worklore-testing/harness'
import { startProcess } from 'worklore-testing/real-process'
import { until } from 'worklore-testing/until'
import { hasProcessFigures, openFilesOf } from './process-figures.js'
import { getRequest, sendUnread } from './unread.js'

const pipelined =
  getRequest('/docs/static/swagger-ui-bundle.js').repeat(8) + getRequest('/v1/me', testAdminKey).repeat(500)

describe('pipelined requests that nobody waits for', () => {
  for (const engine of engines) {
    it(`leave nothing behind when their connections close, on ${engine.name}`, async () => {
      const store = await engine.createPreparedStore()
      const node = await startProcess(store)
      try {
        const port = Number(new URL(node.baseUrl).port)
        const me = () => send(node.baseUrl, 'GET', '/v1/me', { key: testAdminKey })
        assert.equal((await me()).status, 200)
        const filesBefore = hasProcessFigures ? openFilesOf(node.pid) : 0
        for (let round = 0; round < 4; round++) {
          const sockets = await Promise.all([1, 2, 3, 4].map(() => sendUnread(port, pipelined)))
          await new Promise((resolve) => setTimeout(resolve, 1_000))
          for (const socket of sockets) socket.destroy()
        }
        const files = await until(
          async () => (hasProcessFigures ? openFilesOf(node.pid) : 0),
          (count) => count <= filesBefore + 15,
        )
        assert.ok(files <= filesBefore + 15, `${files} open files, ${filesBefore} before`)
        // The store may still be busy with the last of them; a count that was never given back stays.
        await until(me, ({ status }) => status === 200)
        for (let at = 0; at < 20; at++) {
          const { status, text } = await me()
          assert.equal(status, 200, text)
        }
      } finally {
        await node.end('SIGKILL')
        await store.remove()
      }
    })
  }
})
