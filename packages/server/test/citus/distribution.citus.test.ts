import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { it, type TestContext } from 'node:test'
import { addCitus, createCitusDatabase, createDatabases, dropCitusDatabase } from 'worklore-testing/citus'
import { runCommand } from 'worklore-testing/program'
import { migrate } from '../../src/db/migrate.js'
import type { Migration } from '../../src/db/migration.js'
import { migrations } from '../../src/db/migrations/index.js'
import { openDb } from '../../src/db/open.js'
import type { Db } from '../../src/db/port.js'
import { hasCitus, listNodes, listTables } from '../../src/db/postgres/citus.js'
import { coordinatorTables, sharedTables } from '../../src/db/shared-tables.js'

const create = async (test: TestContext, createWith: (name: string) => Promise<void>): Promise<string> => {
  const name = `test_${randomBytes(8).toString('hex')}`
  await createWith(name)
  test.after(() => dropCitusDatabase(name))
  return name
}

const storeNamed = (name: string) => {
  const url = new URL(process.env.WORKLORE_TEST_POSTGRES!)
  url.pathname = `/${name}`
  return { databaseUrl: url.href, dataDir: '', poolSize: 4 }
}

const open = async (test: TestContext, name: string): Promise<Db> => {
  const db = await openDb(storeNamed(name))
  test.after(() => db.close())
  return db
}

const expectAllDistributed = async (db: Db): Promise<void> => {
  for (const { name, kind } of await listTables(db)) {
    const expected = coordinatorTables.has(name) ? 'coordinator' : 'distributed'
    assert.equal(kind, sharedTables.has(name) ? 'reference' : expected, name)
  }
}

const addTenants = async (db: Db, count: number): Promise<void> => {
  for (let at = 1; at <= count; at++) {
    await db.run('insert into tenants (tenant_id, name, plan, created_at) values (?, ?, ?, 0)', [
      `ten_${at}`,
      '',
      'free',
    ])
    await db.run('insert into limit_windows (tenant_id, minute_used) values (?, ?)', [`ten_${at}`, at])
  }
}

const later = (statement: string): Migration[] => [
  ...migrations,
  { version: 1_000, name: 'later', minVersion: migrations.at(-1)!.version, statements: () => [statement] },
]

it('distributes a new store while it is migrated, and what a later migration creates', async (test) => {
  const db = await open(test, await create(test, createCitusDatabase))
  await migrate(db)
  await expectAllDistributed(db)
  await addTenants(db, 3)
  await assert.rejects(migrate(db, later('create table things (id text primary key)')), /things has no tenant_id/)
  assert.ok(!(await listTables(db)).some(({ name }) => name === 'things'), 'nothing is left of it')
  await migrate(db, later('create table things (tenant_id text collate "C", id text, primary key (tenant_id, id))'))
  await expectAllDistributed(db)
  const nodes = await listNodes(db)
  assert.ok(nodes.length >= 2)
  assert.equal(
    nodes.reduce((sum, { tenants }) => sum + tenants, 0),
    3,
  )
})

it('leaves a store with tenants alone until it is told to distribute it', async (test) => {
  const name = await create(test, createDatabases)
  const before = await open(test, name)
  await migrate(before)
  await addTenants(before, 5)
  assert.equal(await hasCitus(before), false)
  await addCitus(name)
  const db = await open(test, name)
  await migrate(db, later('create table things (tenant_id text collate "C", id text, primary key (tenant_id, id))'))
  assert.ok((await listTables(db)).every(({ kind }) => kind === 'local'))
  assert.match(await runCommand(storeNamed(name), 'distribute'), /^Distributed: tenants, /)
  await expectAllDistributed(db)
  const report = await runCommand(storeNamed(name), 'doctor')
  assert.match(
    report,
    /4 tables on every node: .*\n *1 tables on the coordinator: due_work\n *\d+ tables distributed by tenant/,
  )
  const counts = [...report.matchAll(/node .*: \d+ shards of tenants, (\d+) tenants/g)].map(([, count]) =>
    Number(count),
  )
  assert.equal(
    counts.reduce((sum, count) => sum + count, 0),
    5,
  )
  const rows = await db.all<{ used: number }>('select minute_used as used from limit_windows order by tenant_id')
  assert.deepEqual(
    rows.map(({ used }) => used),
    [1, 2, 3, 4, 5],
  )
  assert.match(await runCommand(storeNamed(name), 'distribute'), /^All tables are distributed already/)
})
