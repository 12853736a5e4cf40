import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { engines } from 'worklore-testing/engines'
import { putItem } from 'worklore-testing/factories'
import { startService } from 'worklore-testing/harness'
import { embeddedAll, findsSoon, searchKnowledge } from './hybrid-fixture.js'

const notes: Record<string, string> = {
  'pets/afternoon': 'The cat sleeps on the carpet all afternoon.',
  'finance/invoices': 'Invoices are paid within thirty days of receipt.',
  'ops/settings': 'Restart the database after changing its configuration.',
  'travel/京都': '京都の旅行について。秋の紅葉がとても綺麗です。',
}

for (const engine of engines) {
  describe(`search with the built-in model on ${engine.name}`, () => {
    it('finds what is meant, nothing for nonsense, and leaves to the words what the model cannot read', async () => {
      const wl = await startService(engine, {
        config: { embeddings: 'local' },
        search: { queries: { maxWaitMs: 30_000 }, embedding: { debounceMs: 5, pollMs: 100 } },
      })
      for (const [key, content] of Object.entries(notes)) await putItem(wl, encodeURIComponent(key), content)
      await embeddedAll(wl)
      assert.deepEqual(await findsSoon(wl, 'feline napping on a rug', ['pets/afternoon']), ['pets/afternoon'])
      assert.deepEqual(await findsSoon(wl, 'reboot postgres server', ['ops/settings']), ['ops/settings'])
      assert.deepEqual(await searchKnowledge(wl, 'qwzx blorptang fnurgle'), { data: [], semantic: true })
      const japanese = await searchKnowledge(wl, '紅葉', '&explain=true')
      assert.equal(japanese.semantic, false)
      assert.equal(japanese.data[0].key, 'travel/京都')
      await wl.stop()
    })
  })
}
