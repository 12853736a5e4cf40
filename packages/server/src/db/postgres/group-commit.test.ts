import assert from 'node:assert/strict'
import { it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { engines } from 'worklore-testing/engines'
import { migrate } from '../migrate.js'
import { openDb } from '../open.js'

it('commits changes of a tenant that have run for a second, and does the rest in order', async (test) => {
  const store = await engines.find(({ name }) => name === 'postgres')!.createPreparedStore()
  test.after(() => store.remove())
  const done: (string | number)[] = []
  const db = await openDb(store, {
    observe: (text) => {
      if (text.includes('set commit_count')) done.push('begun')
    },
  })
  test.after(() => db.close())
  await migrate(db)
  const change = (at: number, ms: number) =>
    db.transaction(async (tx) => {
      await tx.get('select 1 as one')
      await pause(ms)
      done.push(at)
    }, 'ten_1')
  await Promise.all([change(0, 0), change(1, 1_100), change(2, 0), change(3, 0)])
  assert.deepEqual(done, ['begun', 0, 1, 'begun', 2, 3])
})
