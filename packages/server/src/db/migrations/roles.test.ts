import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { engines } from 'worklore-testing/engines'
import { systemClock } from '../../base/clock.js'
import { createTenant } from '../../tenancy/tenants/service.js'
import { migrate } from '../migrate.js'
import { openDb } from '../open.js'
import { roles } from './0033-roles.js'

for (const engine of engines) {
  describe(`the migration for roles on ${engine.name}`, () => {
    it('makes users with a live admin key admins, and everyone else a member', async () => {
      const store = await engine.createStore()
      const db = await openDb(store)
      try {
        await migrate(db)
        const { tenant } = await createTenant(db, systemClock, { name: 'one', plan: 'free' })
        const other = await createTenant(db, systemClock, { name: 'two', plan: 'free' })
        const keys: Record<string, [scopes: string, expiresAt: number | null, revokedAt: number | null][]> = {
          none: [],
          worker: [['["tasks:write","knowledge:write"]', null, null]],
          revoked: [['["admin"]', null, 1]],
          expired: [['["admin"]', 1, null]],
          ending: [['["admin"]', Date.now() + 3_600_000, null]],
          both: [
            ['["tasks:read"]', null, null],
            ['["tasks:read","admin"]', null, null],
          ],
        }
        for (const [id, own] of Object.entries(keys)) {
          for (const tenantId of [tenant.id, other.tenant.id]) {
            await db.run(
              `insert into users (tenant_id, id, name, kind, assignee_doc, created_at, updated_at)
               values (?, ?, ?, 'human', '{}', 1, 1)`,
              [tenantId, id, id],
            )
          }
          for (const [at, [scopes, expiresAt, revokedAt]] of own.entries()) {
            await db.run(
              `insert into api_keys (tenant_id, id, name, prefix, scopes, user_id, expires_at, revoked_at, created_at)
               values (?, ?, '', '', ?, ?, ?, ?, 1)`,
              [tenant.id, `key_${id}${at}`, scopes, id, expiresAt, revokedAt],
            )
          }
        }
        await db.transaction((tx) => roles.fill!(tx))
        const rolesOf = async (tenantId: string) => {
          const rows = await db.all<{ id: string; role: string }>(
            "select id, role from users where tenant_id = ? and id not like 'usr_%'",
            [tenantId],
          )
          return Object.fromEntries(rows.map(({ id, role }) => [id, role]))
        }
        const members = { none: 'member', worker: 'member', revoked: 'member', expired: 'member' }
        assert.deepEqual(await rolesOf(tenant.id), { ...members, ending: 'admin', both: 'admin' })
        assert.deepEqual(await rolesOf(other.tenant.id), { ...members, ending: 'member', both: 'member' })
      } finally {
        await db.close()
        await store.remove()
      }
    })
  })
}
