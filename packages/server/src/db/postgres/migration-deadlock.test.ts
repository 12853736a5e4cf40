import assert from 'node:assert/strict'
import { it } from 'node:test'
import { engines } from 'worklore-testing/engines'
import { until } from 'worklore-testing/until'
import { openDb } from '../open.js'

it('a migration that meets a deadlock with a node that goes on serving runs again', async (test) => {
  const store = await engines.find(({ name }) => name === 'postgres')!.createStore()
  const [serving, migrating] = [await openDb(store), await openDb(store)]
  test.after(async () => {
    await serving.close()
    await migrating.close()
    await store.remove()
  })
  for (const name of ['first', 'second']) await serving.run(`create table ${name} (text text)`)
  const isWaiting = async (): Promise<boolean> =>
    (await serving.get(
      `select 1 as one from pg_locks l join pg_class c on c.oid = l.relation
       where c.relname = 'first' and l.mode = 'AccessExclusiveLock' and not l.granted`,
    )) !== undefined

  let attempts = 0
  let migrated: Promise<void> | undefined
  await serving.transaction(async (tx) => {
    // The migration is the one that looks for a deadlock first, and is ended.
    for (const name of ['deadlock_timeout', 'statement_timeout']) await tx.run(`set local ${name} = '120s'`)
    await tx.run(`insert into first (text) values ('served')`)
    migrated = migrating.migrationTransaction(async (migration) => {
      attempts++
      await migration.run(`set local deadlock_timeout = '5s'`)
      await migration.run('alter table second add column more text')
      await migration.run('alter table first add column more text')
    })
    await until(isWaiting, (isTrue) => isTrue)
    await tx.run(`insert into second (text) values ('served')`)
  })
  await migrated
  assert.equal(attempts, 2)
  assert.deepEqual([...(await serving.all('select text, more from second'))], [{ text: 'served', more: null }])
})
