import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createLimitsStore, type LimitsStore, planOf } from '../../test/limits-store.js'
import type { Db } from '../db/port.js'
import { createLocalLimiter } from './local-limiter.js'

const free = planOf('free')

describe('the limiter of one process', () => {
  let store: LimitsStore
  before(async () => {
    store = await createLimitsStore('sqlite')
  })
  after(() => store.remove())

  it('decides at once after the first request of a tenant', async () => {
    const tenantId = await store.addTenant()
    const limiter = createLocalLimiter(store.db, { wall: Date.now, steady: Date.now })
    await limiter.take(tenantId, free)
    assert.ok(!(limiter.take(tenantId, free) instanceof Promise))
    await limiter.close()
  })

  it('is not moved by steps of the calendar, and tells resets in the calendar as it is', async () => {
    const tenantId = await store.addTenant()
    let steadyMs = 50_000
    let wallMs = 1_800_000_000_000
    const settings = { wall: () => wallMs, steady: () => steadyMs }
    const limiter = createLocalLimiter(store.db, settings)
    for (let i = 0; i < 60; i++) await limiter.take(tenantId, free)
    for (const stepMs of [3_600_000, -7_200_000]) {
      wallMs += stepMs
      steadyMs += 10_000
      wallMs += 10_000
      const refused = await limiter.take(tenantId, free)
      assert.equal(refused.isAllowed, false)
      assert.equal(refused.shown.reset, Math.ceil(wallMs / 1_000) + refused.retryAfter!)
    }
    assert.equal((await limiter.take(tenantId, free)).retryAfter, 40)
    // The steps before the counts are written do not count either: they are stored in the calendar of that moment.
    await limiter.close()
    const next = createLocalLimiter(store.db, settings)
    assert.equal((await next.take(tenantId, free)).retryAfter, 40)
    await next.close()
    wallMs -= 3_600_000
    const afterStep = createLocalLimiter(store.db, settings)
    assert.equal((await afterStep.take(tenantId, free)).retryAfter, 60)
    await afterStep.close()
  })

  it('goes on while nothing can be written, and writes when it can again', async () => {
    const tenantId = await store.addTenant()
    let isFull = true
    const db: Db = {
      ...store.db,
      transaction: (work) => (isFull ? Promise.reject(new Error('disk full')) : store.db.transaction(work)),
    }
    const limiter = createLocalLimiter(db, { wall: Date.now, steady: Date.now })
    for (let i = 0; i < 10; i++) assert.equal((await limiter.take(tenantId, free)).isAllowed, true)
    for (let i = 0; i < 3; i++) await assert.rejects(limiter.flush(), /disk full/)
    isFull = false
    await limiter.flush()
    const used = async () =>
      (
        await store.db.get<{ minute_used: number }>('select minute_used from limit_windows where tenant_id = ?', [
          tenantId,
        ])
      )?.minute_used
    assert.equal(await used(), 10)
    isFull = true
    await limiter.take(tenantId, free)
    await assert.rejects(limiter.close(), /disk full/)
  })

  it('writes far fewer times than it counts', async () => {
    const tenantIds = [await store.addTenant(), await store.addTenant()]
    const plan = planOf('self-hosted')
    let writes = 0
    const db: Db = {
      ...store.db,
      transaction: (work) => {
        writes++
        return store.db.transaction(work)
      },
    }
    const limiter = createLocalLimiter(db, { wall: Date.now, steady: Date.now })
    for (let i = 0; i < 10_000; i++) await limiter.take(tenantIds[i % 2]!, plan)
    await limiter.close()
    assert.ok(writes <= 3, `${writes} writes`)
  })

  it('forgets tenants that are idle, and reads them again', async (test) => {
    test.mock.timers.enable({ apis: ['setInterval'] })
    const tenantId = await store.addTenant()
    let reads = 0
    let written = 0
    const db: Db = {
      ...store.db,
      transaction: async (work) => {
        const result = await store.db.transaction(work)
        written++
        return result
      },
      get: (text, params) => {
        reads++
        return store.db.get(text, params)
      },
    }
    let nowMs = 1_800_000_000_000
    const clock = () => nowMs
    const limiter = createLocalLimiter(db, { wall: clock, steady: clock })
    await limiter.take(tenantId, free)
    await limiter.flush()
    assert.equal(written, 1)
    test.mock.timers.tick(60_000)
    await limiter.take(tenantId, free)
    assert.equal(reads, 1)
    await limiter.flush()
    assert.equal(written, 2)
    nowMs += 6 * 60_000
    test.mock.timers.tick(60_000)
    assert.equal((await limiter.take(tenantId, free)).windows[1]?.remaining, 997)
    assert.equal(reads, 2)
    await limiter.close()
  })
})
