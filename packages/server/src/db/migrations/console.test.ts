import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { engines } from 'worklore-testing/engines'
import { systemClock } from '../../base/clock.js'
import { operatorCall } from '../../operations/call.js'
import { createProject } from '../../tenancy/projects/service.js'
import { createTenant } from '../../tenancy/tenants/service.js'
import { addComment } from '../../work/tasks/comments/service.js'
import { createTask } from '../../work/tasks/service.js'
import { migrate } from '../migrate.js'
import { openDb } from '../open.js'
import type { Db } from '../port.js'
import { consoleSessions } from './0015-console.js'
import { migrations } from './index.js'

const readCards = async (db: Db): Promise<unknown[]> =>
  (await db.all<{ card: string }>('select card from tasks order by id')).map(({ card }) => JSON.parse(`${card}}`))
const events = 'select sequence, key_id, about from events order by sequence'

for (const engine of engines) {
  describe(`the migration for the console on ${engine.name}`, () => {
    it('gives old tasks and events what new ones are written with', async () => {
      const store = await engine.createStore()
      const db = await openDb(store)
      try {
        await migrate(db)
        const { tenant } = await createTenant(db, systemClock, { name: 'first', plan: 'free' })
        const call = operatorCall(db, systemClock, tenant.id)
        await createProject(call, { key: 'ACME', name: 'Acme' })
        const title = 'Quotes ", \\ and \u{1F680} \u2028'
        const labels = ['a "b"', 'c']
        const { id } = await createTask(call, { projectId: 'ACME', title, labels, dueDate: '2026-01-31' })
        await createTask(call, { projectId: 'ACME', title: 'Child', parentId: id, description: 'long' })
        await addComment(call, id, 'A comment')
        const written = [await readCards(db), await db.all(events)]

        await db.run("update tasks set card = ''")
        await db.run("update events set key_id = '', about = ''")
        // Later migrations add the fields that cards did not have yet.
        const since = migrations.filter(({ version }) => version >= consoleSessions.version)
        for (const statement of since.flatMap(({ statements }) => statements(db.dialect))) {
          if (/^update (tasks|events)/.test(statement)) await db.run(statement)
        }
        assert.deepEqual([await readCards(db), await db.all(events)], written)
      } finally {
        await db.close()
        await store.remove()
      }
    })
  })
}
