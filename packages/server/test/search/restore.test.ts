import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { engines } from 'worklore-testing/engines'
import { putItem } from 'worklore-testing/factories'
import { startService } from 'worklore-testing/harness'
import { afterRestore } from '../../src/cli/restore/after-restore.js'
import { keysOf, searchKnowledge } from './hybrid-fixture.js'

for (const engine of engines) {
  describe(`search after a backup was restored on ${engine.name}`, () => {
    it('notices that the log is another one, even where it has grown as long again', async (test) => {
      const wl = await startService(engine)
      test.after(() => wl.stop())
      await putItem(wl, 'kept', 'zebra crossing')
      await putItem(wl, 'lost', 'zebra herd')
      assert.deepEqual(keysOf(await searchKnowledge(wl, 'zebra')).toSorted(), ['kept', 'lost'])

      const { db } = wl.service.core
      const { tenant_id } = (await db.get<{ tenant_id: string }>('select tenant_id from tenants'))!
      await db.transaction(async (tx) => {
        await tx.run("delete from knowledge where tenant_id = ? and key = 'lost'", [tenant_id])
        for (const table of ['events', 'history']) {
          await tx.run(
            `delete from ${table} where tenant_id = ?
             and sequence = (select last_sequence from tenants where tenants.tenant_id = ?)`,
            [tenant_id, tenant_id],
          )
        }
        await tx.run('update tenants set last_sequence = last_sequence - 1 where tenant_id = ?', [tenant_id])
      }, tenant_id)
      await putItem(wl, 'new', 'zebra stripes')
      assert.deepEqual(keysOf(await searchKnowledge(wl, 'zebra')).toSorted(), ['kept', 'new'])
    })

    it('builds its index again when the log starts anew', async (test) => {
      const wl = await startService(engine)
      test.after(() => wl.stop())
      await putItem(wl, 'before', 'zebra crossing')
      assert.deepEqual(keysOf(await searchKnowledge(wl, 'zebra')), ['before'])
      assert.equal(await afterRestore(wl.service.core.db), 1)
      assert.deepEqual(keysOf(await searchKnowledge(wl, 'zebra')), ['before'])
      await putItem(wl, 'after', 'zebra herd')
      assert.deepEqual(keysOf(await searchKnowledge(wl, 'zebra')).toSorted(), ['after', 'before'])
    })
  })
}
