import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { engines, type TestStore } from 'worklore-testing/engines'
import { migrate } from '../../db/migrate.js'
import { openDb } from '../../db/open.js'
import type { Db } from '../../db/port.js'
import { type Call, ownOrigin } from '../../operations/call.js'
import { createProject } from '../../tenancy/projects/service.js'
import { moveKnowledge } from './moves/move.js'
import { putItem } from './service.js'

for (const engine of engines) {
  describe(`statements of knowledge writes on ${engine.name}`, () => {
    let store: TestStore
    let db: Db
    let call: Call
    let statements: string[] = []

    before(async () => {
      store = await engine.createPreparedStore()
      db = await openDb(store, { observe: (text) => statements.push(text) })
      await migrate(db)
      await db.run("insert into tenants (tenant_id, name, plan, created_at) values ('ten_1', 'one', 'free', 0)")
      const actor = { keyId: 'key_1', keyName: '', userId: null, projectIds: null, keyExpiresAt: null }
      call = {
        db,
        clock: Date.now,
        actor: { ...actor, tenantId: 'ten_1', scopes: ['admin'] },
        origin: ownOrigin('test'),
      }
      await createProject(call, { key: 'ONE', name: 'One' })
    })
    after(async () => {
      await db.close()
      await store.remove()
    })

    const countOf = async (key: string, content: string, place: { projectId?: string | null }): Promise<number> => {
      statements = []
      await putItem(call, key, { content, ...place }, {})
      return statements.length
    }

    it('are no more without a project than for the tenant, where the item exists', async () => {
      await countOf('wide', 'first', { projectId: null })
      const named = await countOf('wide', 'second', { projectId: null })
      assert.equal(await countOf('wide', 'third', {}), named)
    })

    it('are one more where the item is of a project or new', async () => {
      await countOf('placed', 'first', { projectId: 'ONE' })
      const named = await countOf('placed', 'second', { projectId: 'ONE' })
      assert.equal(await countOf('placed', 'third', {}), named + 1)
      const created = await countOf('new/named', 'first', { projectId: null })
      assert.equal(await countOf('new/read', 'first', {}), created + 1)
    })

    it('of a move are as many for an item with many links and dependents as for one without', async () => {
      const countOfMove = async (key: string): Promise<number> => {
        statements = []
        await moveKnowledge(call, { from: key, to: `${key}/moved` })
        return statements.length
      }
      await putItem(call, 'moved/alone', { content: 'text' }, {})
      const { id, version } = await putItem(call, 'moved/known', { content: 'text' }, {})
      for (let at = 0; at < 20; at++) {
        await putItem(call, `moved/source-${at}`, { content: '[[moved/known]]' }, {})
        await db.run('insert into task_basis (tenant_id, task_id, item_id, version, read_at) values (?, ?, ?, ?, ?)', [
          ...['ten_1', `ONE-${at}`, id, version, 0],
        ])
      }
      const alone = await countOfMove('moved/alone')
      // One more statement records that the dependents must be checked after the commit.
      assert.ok((await countOfMove('moved/known')) <= alone + 1)
    })
  })
}
