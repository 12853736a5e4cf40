import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createLimitsStore, type LimitsStore, planOf } from '../../test/limits-store.js'
import { systemClock } from '../base/clock.js'
import { openDb } from '../db/open.js'
import { createSharedLimiter } from './shared-limiter.js'

const free = planOf('free')
const isUnavailable = { code: 'SERVICE_UNAVAILABLE' }

describe('the limiter of many nodes', () => {
  let store: LimitsStore
  before(async () => {
    store = await createLimitsStore('postgres')
  })
  after(() => store.remove())

  it('refuses with 503 when the store does not answer in time, and goes on when it does', async () => {
    const [tenantId, other] = [await store.addTenant(), await store.addTenant()]
    const db = await openDb(store.settings)
    const limiter = createSharedLimiter(db, { wall: systemClock, steady: systemClock, waitMs: 3_000 })
    await Promise.all([limiter.take(tenantId, free), limiter.take(other, free)])
    await store.db.transaction(async (tx) => {
      // The limiter may take longer than the service lets a transaction idle.
      await tx.run('set local idle_in_transaction_session_timeout = 0')
      await tx.get('select 1 from limit_windows where tenant_id = ? for update', [tenantId])
      await assert.rejects(Promise.resolve(limiter.take(tenantId, free)), isUnavailable)
      assert.equal((await limiter.take(other, free)).isAllowed, true)
    })
    assert.equal((await limiter.take(tenantId, free)).isAllowed, true)
    await limiter.close()
    await db.close()
  })
})
