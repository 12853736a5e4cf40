import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { engines } from 'worklore-testing/engines'
import { systemClock } from '../../base/clock.js'
import { hashSecret } from '../../base/secret.js'
import { type Dialect, sqliteDialect } from '../../db/dialect.js'
import { forTenant } from '../../db/given-rows.js'
import { migrate } from '../../db/migrate.js'
import { migrations } from '../../db/migrations/index.js'
import { openDb } from '../../db/open.js'
import type { Db, Sql } from '../../db/port.js'
import { operatorCall } from '../../operations/call.js'
import { putItem } from '../../work/knowledge/service.js'
import { addComment } from '../../work/tasks/comments/service.js'
import { askQuestion } from '../../work/tasks/questions/service.js'
import { createTask } from '../../work/tasks/service.js'
import { findSecretOwner } from '../keys/store.js'
import { createProject } from '../projects/service.js'
import { createUser } from '../users/service.js'
import { createTenant, deleteTenant, listDeletingTenants, listTenantIds, maxStepRows } from './service.js'
import { tablesOfTenant } from './store.js'

const createdTables = (dialect: Dialect): { name: string; text: string }[] =>
  migrations
    .flatMap(({ statements }) => statements(dialect))
    .flatMap((text) => {
      const name = /^\s*create table (\w+)[\s\S]*\btenant_id\b/.exec(text)?.[1]
      return name === undefined ? [] : [{ name, text }]
    })

it('deletes from every table of tenants', () => {
  const names = createdTables(sqliteDialect).map(({ name }) => name)
  assert.deepEqual(
    names.filter((name) => name !== 'tenants' && !tablesOfTenant.includes(name)),
    [],
  )
})

for (const engine of engines) {
  describe(`deleting a tenant on ${engine.name}`, () => {
    it('leaves nothing of it in any table', async () => {
      const store = await engine.createPreparedStore()
      const db = await openDb(store)
      try {
        await migrate(db)
        const { tenant } = await createTenant(db, systemClock, { name: 'first', plan: 'free' })
        const call = operatorCall(db, systemClock, tenant.id)
        await createProject(call, { key: 'ACME', name: 'Acme' })
        const { id } = await createTask(call, { projectId: 'ACME', title: 'One', labels: ['bug'] })
        const user = await createUser(call, { name: 'Ada' })
        await createTask(call, { projectId: 'ACME', title: 'Two', blockedBy: [id], assigneeId: user.id })
        await addComment(call, id, 'A comment')
        await askQuestion(call, id, { body: 'A question' })
        await putItem(call, 'notes', { content: 'x' }, {})

        const tables = createdTables(db.dialect).map(({ name }) => name)
        const filled = async () => {
          const found: string[] = []
          for (const table of tables) {
            const row = await db.get(`select 1 as one from ${table} where tenant_id = ? limit 1`, [tenant.id])
            if (row) found.push(table)
          }
          return found
        }
        assert.ok((await filled()).length >= 12)
        assert.ok((await filled()).includes('inbox_entries'))
        await deleteTenant(db, tenant.id)
        assert.deepEqual(await filled(), [])
      } finally {
        await db.close()
        await store.remove()
      }
    })

    it('takes small steps, makes the tenant unusable with the first, and goes on after it was interrupted', async () => {
      const store = await engine.createPreparedStore()
      const db = await openDb(store)
      try {
        await migrate(db)
        const { tenant, key } = await createTenant(db, systemClock, { name: 'first', plan: 'free' })
        const other = await createTenant(db, systemClock, { name: 'other', plan: 'free' })
        const rows = Array.from({ length: 3_000 }, (_, starts_at) => ({ starts_at }))
        for (const { id } of [tenant, other.tenant]) {
          await db.run(
            `insert into usage_counts (tenant_id, span, starts_at, key_id, project_id, metric, value)
             select t.tenant_id, 'hour', given.starts_at, 'key', '', 'requests', 1
             from ${forTenant(db.dialect.rowsOf({ starts_at: 'bigint' }))}`,
            [JSON.stringify(rows), id],
          )
        }
        const steps: number[] = []
        let stepsLeft = 12
        const interrupted: Db = {
          ...db,
          transaction: (work, group) =>
            db.transaction(async (tx) => {
              const run: Sql['run'] = async (text, params) => {
                if (stepsLeft-- === 0) throw new Error('killed')
                const deleted = await tx.run(text, params)
                steps.push(deleted)
                return deleted
              }
              return work({ ...tx, run })
            }, group),
        }
        await assert.rejects(deleteTenant(interrupted, 'first'), /killed/)
        assert.equal(await findSecretOwner(db, hashSecret(key.secret)), undefined)
        assert.ok(await findSecretOwner(db, hashSecret(other.key.secret)))
        assert.deepEqual(await listTenantIds(db), [other.tenant.id])
        assert.deepEqual(
          (await listDeletingTenants(db)).map(({ id }) => id),
          [tenant.id],
        )

        stepsLeft = Number.POSITIVE_INFINITY
        await deleteTenant(interrupted, 'first')
        assert.ok(Math.max(...steps) <= maxStepRows, `${steps}`)
        const left = await db.all<{ tenant_id: string; count: number }>(
          'select tenant_id, count(*) as count from usage_counts group by tenant_id',
        )
        assert.deepEqual([...left], [{ tenant_id: other.tenant.id, count: 3_000 }])
        assert.deepEqual(await listDeletingTenants(db), [])
        await assert.rejects(deleteTenant(db, 'first'), /not found/)
      } finally {
        await db.close()
        await store.remove()
      }
    })
  })
}
