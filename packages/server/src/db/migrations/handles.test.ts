import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { engines } from 'worklore-testing/engines'
import { systemClock } from '../../base/clock.js'
import { createTenant } from '../../tenancy/tenants/service.js'
import { migrate } from '../migrate.js'
import { openDb } from '../open.js'
import { handles } from './0022-handles.js'

for (const engine of engines) {
  describe(`the migration for handles on ${engine.name}`, () => {
    it('gives every user one, the oldest first, in each tenant', async () => {
      const store = await engine.createStore()
      const db = await openDb(store)
      try {
        await migrate(db)
        const names = ['Ada', 'Zoë', 'ADA', 'Ada 2', '漢字', 'ada', 'Иван']
        // The newest is the tenant's first admin.
        const expected = ['ada', 'zoe', 'ada-2', 'ada-2-2', 'user', 'ada-3', 'user-2', 'admin']
        const tenantIds: string[] = []
        for (const name of ['first', 'second']) {
          const { tenant } = await createTenant(db, systemClock, { name, plan: 'free' })
          tenantIds.push(tenant.id)
          for (const [at, name] of names.entries()) {
            await db.run(
              `insert into users (tenant_id, id, name, kind, assignee_doc, created_at, updated_at)
               values (?, ?, ?, 'human', '{}', ?, 1)`,
              [tenant.id, `usr_${9 - at}`, name, at],
            )
          }
        }
        await db.transaction((tx) => handles.fill!(tx))
        for (const tenantId of tenantIds) {
          const rows = await db.all<{ handle: string }>(
            'select handle from users where tenant_id = ? order by created_at',
            [tenantId],
          )
          assert.deepEqual(
            rows.map(({ handle }) => handle),
            expected,
          )
        }
      } finally {
        await db.close()
        await store.remove()
      }
    })
  })
}
