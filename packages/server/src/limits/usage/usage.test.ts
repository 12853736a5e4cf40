import assert from 'node:assert/strict'
import { it } from 'node:test'
import { engines } from 'worklore-testing/engines'
import { systemClock } from '../../base/clock.js'
import { migrate } from '../../db/migrate.js'
import { openDb } from '../../db/open.js'
import type { Db } from '../../db/port.js'
import { createTenant } from '../../tenancy/tenants/service.js'
import { createUsage, listWaits } from './usage.js'

for (const engine of engines) {
  it(`counts and waits are kept until a write succeeds on ${engine.name}`, async () => {
    const store = await engine.createPreparedStore()
    const db = await openDb(store)
    try {
      await migrate(db)
      const { tenant } = await createTenant(db, systemClock, { name: 'first', plan: 'free' })
      const tenantId = tenant.id
      let isAway = true
      const failing: Db = {
        ...db,
        ofTenant: () => ({
          ...db,
          run: async (text, params) => {
            if (isAway) throw new Error('the store is away')
            return db.run(text, params)
          },
          transaction: async (work, group) => {
            if (isAway) throw new Error('the store is away')
            return db.transaction(work, group)
          },
        }),
      }
      const usage = createUsage(failing, systemClock)
      const untilMs = systemClock() + 60_000
      const key = { tenantId, keyId: 'key_1' }
      usage.noteWait(key, 'worker', untilMs)
      await assert.rejects(usage.flush(), /away/)
      usage.countRequest(key, {}, 200)
      await assert.rejects(usage.flush(), /away/)
      isAway = false
      await usage.flush()
      assert.equal((await listWaits(db, tenantId, systemClock(), 10)).length, 1)
    } finally {
      await db.close()
      await store.remove()
    }
  })
}
