import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { DatabaseSync } from '@photostructure/sqlite'
import { engines } from 'worklore-testing/engines'
import { expectError } from 'worklore-testing/expect'
import { startService, type TestService } from 'worklore-testing/harness'
import { sqlitePath } from '../../src/db/open.js'

/** Starts a service, and runs `work` while another connection holds the write lock of its database. */
const whileLocked = async (work: (wl: TestService, unlock: () => void) => Promise<void>): Promise<void> => {
  const wl = await startService(engines[0]!)
  const other = new DatabaseSync(sqlitePath(wl.store))
  try {
    other.exec('begin immediate')
    await work(wl, () => other.exec('rollback'))
  } finally {
    other.close()
    await wl.stop()
  }
}

describe('a write lock of another process', () => {
  it('lets the service answer reads, and its writes wait until the lock is released', () =>
    whileLocked(async (wl, unlock) => {
      let hasWritten = false
      const written = wl.put('/v1/knowledge/note', { content: 'x' }).finally(() => {
        hasWritten = true
      })
      for (let at = 0; at < 10; at++) {
        assert.equal((await wl.get('/healthz', { key: null })).status, 200)
        assert.equal((await wl.get('/v1/knowledge')).status, 200)
      }
      assert.equal(hasWritten, false)
      unlock()
      assert.equal((await written).status, 201)
    }))

  it('fails writes with 503 after the statement time-out', () =>
    whileLocked(async (wl) => {
      const answer = await wl.put('/v1/knowledge/note', { content: 'x' })
      assert.match(expectError(answer, 'SERVICE_UNAVAILABLE').message, /locked by another writer/)
    }))
})
