import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { engines } from 'worklore-testing/engines'
import { testAdminKey } from 'worklore-testing/harness'
import { startProcess } from 'worklore-testing/real-process'

describe('a body that is far too large', () => {
  it('is refused with an answer that reaches its sender, who is still sending', async () => {
    const store = await engines[0]!.createPreparedStore()
    const node = await startProcess(store)
    try {
      const body = JSON.stringify({ content: 'x'.repeat(6_000_000) })
      const headers = { authorization: `Bearer ${testAdminKey}`, 'content-type': 'application/json' }
      for (let sent = 0; sent < 30; sent++) {
        const answer = await fetch(`${node.baseUrl}/v1/knowledge/large`, { method: 'PUT', headers, body })
        const { error } = (await answer.json()) as { error: { code: string } }
        assert.deepEqual([answer.status, error.code], [413, 'PAYLOAD_TOO_LARGE'])
      }
    } finally {
      await node.end('SIGKILL')
      await store.remove()
    }
  })
})
