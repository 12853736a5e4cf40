import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createLimitsStore } from '../../../test/limits-store.js'
import { openDb } from '../open.js'

it('limits concurrent statements that have returned large results', async (test) => {
  const store = await createLimitsStore('postgres')
  test.after(() => store.remove())
  const db = await openDb(store.settings)
  test.after(() => db.close())
  const tenant = db.ofTenant('ten_1')
  const read = () => tenant.get<{ text: string }>("select repeat('x', 1000000) as text")
  assert.equal((await read())!.text.length, 1_000_000)
  const reading = Array.from({ length: 10 }, read)
  const { running, waiting } = db.figures!().work.large
  assert.deepEqual([running, waiting], [2, 8])
  await tenant.get('select 1 as one')
  for (const row of await Promise.all(reading)) assert.equal(row!.text.length, 1_000_000)
  assert.deepEqual(db.figures!().work.large, { running: 0, waiting: 0 })
})
