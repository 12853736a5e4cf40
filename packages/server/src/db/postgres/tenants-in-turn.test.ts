import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createLimitsStore } from '../../../test/limits-store.js'
import { openDb } from '../open.js'

it('serves tenants whose statements wait in turn', async (test) => {
  const store = await createLimitsStore('postgres')
  test.after(() => store.remove())
  const db = await openDb(store.settings)
  test.after(() => db.close())
  const ended: string[] = []
  const ask = async (tenantId: string): Promise<void> => {
    await db.ofTenant(tenantId).get('select 1 as one')
    ended.push(tenantId)
  }
  await Promise.all([...Array.from({ length: 1_000 }, () => ask('ten_many')), ask('ten_one')])
  assert.ok(ended.indexOf('ten_one') < 500, `the one came after ${ended.indexOf('ten_one')} others`)
})
