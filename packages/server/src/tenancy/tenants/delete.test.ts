import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { engines } from 'worklore-testing/engines'
import { systemClock } from '../../base/clock.js'
import { type Dialect, sqliteDialect } from '../../db/dialect.js'
import { migrate } from '../../db/migrate.js'
import { migrations } from '../../db/migrations/index.js'
import { openDb } from '../../db/open.js'
import { operatorCall } from '../../operations/call.js'
import { putItem } from '../../work/knowledge/service.js'
import { addComment } from '../../work/tasks/comments/service.js'
import { askQuestion } from '../../work/tasks/questions/service.js'
import { createTask } from '../../work/tasks/service.js'
import { createProject } from '../projects/service.js'
import { createUser } from '../users/service.js'
import { createTenant, deleteTenant } from './service.js'
import { tablesOfTenant } from './store.js'

const createdTables = (dialect: Dialect): { name: string; text: string }[] =>
  migrations
    .flatMap(({ statements }) => statements(dialect))
    .flatMap((text) => {
      const name = /^\s*create table (\w+)[\s\S]*\btenant_id\b/.exec(text)?.[1]
      return name === undefined ? [] : [{ name, text }]
    })

it('deletes from every table of tenants, unless its rows go with the tenant', () => {
  const kept = createdTables(sqliteDialect)
    .filter(({ text }) => !/references tenants( \(tenant_id\))? on delete cascade/.test(text))
    .map(({ name }) => name)
  assert.deepEqual(
    kept.filter((name) => !tablesOfTenant.includes(name)),
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
  })
}
