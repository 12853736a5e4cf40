import assert from 'node:assert/strict'
import { it } from 'node:test'
import { engines } from 'worklore-testing/engines'
import { migrate } from '../../../db/migrate.js'
import { openDb } from '../../../db/open.js'
import { blockerLink, followLinks, insertLinks } from './link-store.js'

for (const engine of engines) {
  it(`links are followed in statements of a bounded number of tasks on ${engine.name}`, async (test) => {
    const store = await engine.createPreparedStore()
    const statements: string[] = []
    const db = await openDb(store, { observe: (text) => statements.push(text) })
    test.after(async () => {
      await db.close()
      await store.remove()
    })
    await migrate(db)
    await db.run("insert into tenants (tenant_id, name, plan, created_at) values ('ten_1', 'one', 'free', 0)")
    const middle = Array.from({ length: 450 }, (_, at) => `MID-${at}`)
    const chain = Array.from({ length: 30 }, (_, at) => `END-${at}`)
    const links = [
      ...middle.flatMap((id) => [blockerLink('TOP-1', id), blockerLink(id, chain[0]!)]),
      ...chain.slice(1).map((id, at) => blockerLink(chain[at]!, id)),
    ]
    await db.runAll(insertLinks(db, 'ten_1', links))
    statements.length = 0
    const found = await followLinks(db, 'ten_1', ['TOP-1'], 10_000)
    assert.deepEqual(
      found.map(({ from, to }) => `${from} ${to}`).sort(),
      links.map(({ taskId, otherId }) => `${taskId} ${otherId}`).sort(),
    )
    // One statement for TOP-1, three for its 450 blockers, the last of which starts the chain, then the chain's rest.
    assert.ok(statements.length >= 4 && statements.length <= 4 + chain.length, `${statements.length} statements`)
    assert.equal((await followLinks(db, 'ten_1', ['TOP-1'], 100)).length, 100)
  })
}
