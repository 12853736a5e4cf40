import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { engines } from '../engines.js'
import { putItem } from '../factories.js'
import { startService } from '../harness.js'
import { keysOf, searchKnowledge } from './hybrid-fixture.js'

for (const engine of engines) {
  describe(`search after a backup was restored on ${engine.name}`, () => {
    it('notices that the log is another one, even where it has grown as long again', async () => {
      const wl = await startService(engine)
      await putItem(wl, 'kept', 'zebra crossing')
      await putItem(wl, 'lost', 'zebra herd')
      assert.deepEqual(keysOf(await searchKnowledge(wl, 'zebra')).toSorted(), ['kept', 'lost'])

      const { db } = wl.service.core
      await db.transaction(async (tx) => {
        await tx.run("delete from knowledge where tenant_id <> '' and key = 'lost'")
        await tx.run("delete from events where tenant_id <> '' and sequence = (select max(last_sequence) from tenants)")
        await tx.run("update tenants set last_sequence = last_sequence - 1 where tenant_id <> ''")
      })
      await putItem(wl, 'new', 'zebra stripes')
      assert.deepEqual(keysOf(await searchKnowledge(wl, 'zebra')).toSorted(), ['kept', 'new'])
      await wl.stop()
    })
  })
}
