import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { engines } from 'worklore-testing/engines'
import { systemClock } from '../../base/clock.js'
import { ownOrigin } from '../../operations/call.js'
import { createProject } from '../../tenancy/projects/service.js'
import { createTenant } from '../../tenancy/tenants/service.js'
import { createTask } from '../../work/tasks/service.js'
import { migrate } from '../migrate.js'
import { openDb } from '../open.js'
import { statuses } from './0031-statuses.js'

const added = (status: string): string => `,"statusCategory":"${status}"`

for (const engine of engines) {
  describe(`the migration for statuses on ${engine.name}`, () => {
    it('gives every task its status as the category, and counts the bytes', async () => {
      const store = await engine.createStore()
      const db = await openDb(store)
      try {
        await migrate(db)
        const { tenant } = await createTenant(db, systemClock, { name: 'one', plan: 'free' })
        const actor = { keyId: 'key_1', keyName: '', userId: null, projectIds: null, keyExpiresAt: null }
        const call = {
          db,
          clock: Date.now,
          actor: { ...actor, tenantId: tenant.id, scopes: ['admin' as const] },
          origin: ownOrigin('test'),
        }
        await createProject(call, { key: 'OLD', name: 'Old' })
        const given = ['todo', 'in_review', 'done']
        for (const status of given) await createTask(call, { projectId: 'OLD', title: status, status })
        const bytes = async (): Promise<number> =>
          (await db.get<{ stored_bytes: number }>('select stored_bytes from tenants where tenant_id = ?', [tenant.id]))!
            .stored_bytes
        for (const column of ['doc', 'card']) {
          for (const status of given) {
            await db.run(`update tasks set ${column} = replace(${column}, ?, '') where status = ?`, [
              added(status),
              status,
            ])
          }
        }
        const before = await bytes()
        const updates = statuses.statements(db.dialect).filter((text) => text.startsWith('update'))
        assert.equal(updates.length, 2)
        await db.transaction(async (tx) => {
          for (const text of updates) await tx.run(text)
        })
        const rows = await db.all<{ doc: string; card: string }>('select doc, card from tasks order by number')
        assert.deepEqual(
          rows.map(({ doc }) => JSON.parse(`${doc}}`).statusCategory),
          given,
        )
        assert.deepEqual(
          rows.map(({ card }) => JSON.parse(`${card}}`).statusCategory),
          given,
        )
        assert.equal(await bytes(), before + given.reduce((sum, status) => sum + added(status).length, 0))
      } finally {
        await db.close()
        await store.remove()
      }
    })
  })
}
