import assert from 'node:assert/strict'
import { it } from 'node:test'
import { engines } from 'worklore-testing/engines'
import { openDb } from '../open.js'

const postgres = engines.find(({ name }) => name === 'postgres')!

it('is not ready on a server that takes no writes', async (test) => {
  const store = await postgres.createPreparedStore()
  test.after(() => store.remove())
  const db = await openDb(store)
  test.after(() => db.close())
  await db.ping()
  const name = new URL(store.databaseUrl!).pathname.slice(1)
  await db.run(`alter database "${name}" set default_transaction_read_only = on`)
  const later = await openDb(store)
  test.after(() => later.close())
  await assert.rejects(later.ping(), { code: 'SERVICE_UNAVAILABLE', message: /read-only/ })
})
