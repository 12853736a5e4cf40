import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { engines, type TestStore } from 'worklore-testing/engines'
import { migrate } from '../../db/migrate.js'
import { openDb } from '../../db/open.js'
import type { Db } from '../../db/port.js'
import { type Call, ownOrigin } from '../../operations/call.js'
import type { Core } from '../../operations/core.js'
import { createProject } from '../../tenancy/projects/service.js'
import { getItem, patchItem, putItem } from '../knowledge/service.js'
import { createTask, getTask } from '../tasks/service.js'
import { basisOf, createBasisBuffer } from './basis.js'

for (const engine of engines) {
  describe(`statements of reads under claims on ${engine.name}`, () => {
    let store: TestStore
    let db: Db
    let call: Call & { core: Core }
    let statements: string[] = []

    before(async () => {
      store = await engine.createPreparedStore()
      db = await openDb(store, { observe: (text) => statements.push(text) })
      await migrate(db)
      await db.run("insert into tenants (tenant_id, name, plan, created_at) values ('ten_1', 'one', 'free', 0)")
      const actor = { keyId: 'operator', keyName: '', userId: null, projectIds: null, keyExpiresAt: null }
      call = {
        db,
        clock: Date.now,
        actor: { ...actor, tenantId: 'ten_1', scopes: ['admin'] },
        origin: ownOrigin('test'),
        core: { basis: createBasisBuffer(db, Date.now) } as Core,
      }
      await createProject(call, { key: 'ONE', name: 'One' })
      await putItem(call, 'a', { content: 'text' }, {})
    })
    after(async () => {
      await db.close()
      await store.remove()
    })

    const countOf = async (work: () => unknown): Promise<number> => {
      statements = []
      await work()
      return statements.length
    }

    it('are one, as without a claim, and one more where what is read is new to the task', async () => {
      const { id } = await createTask(call, { projectId: 'ONE', title: 'Work' })
      const held = [1, 'operator', Date.now() + 60_000, id]
      await db.run(
        "update tasks set claim_number = ?, claim_key_id = ?, claim_expires_at = ? where tenant_id = 'ten_1' and id = ?",
        held,
      )
      const under = { ...call, basis: basisOf(call, `${id}.1`) }
      assert.equal(await countOf(() => getItem(call, 'a', undefined)), 1)
      assert.equal(await countOf(() => getItem(under, 'a', undefined)), 2)
      assert.equal(await countOf(() => getItem(under, 'a', undefined)), 1)
      assert.ok((await countOf(() => call.core.basis.flush())) > 1)
      assert.equal(await countOf(() => getItem(under, 'a', undefined)), 1)
      assert.equal(await countOf(() => call.core.basis.flush()), 0, 'what was written is not written again')
      assert.equal(await countOf(() => getTask(call, id)), 1)
    })

    it('of writes that change nothing about whether an item holds do not name its dependents', async () => {
      statements = []
      await putItem(call, 'b', { content: 'text' }, {})
      await putItem(call, 'b', { content: 'other' }, {})
      await patchItem(call, 'b', undefined, { title: 'A title' }, {})
      assert.ok(statements.every((text) => !/stale_checks|task_products|stale_marks/.test(text)))
    })
  })
}
