import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Engine, engines, type TestStore } from 'worklore-testing/engines'
import { migrate } from './migrate.js'
import { openDb } from './open.js'
import type { Db } from './port.js'
import { sharedTables } from './shared-tables.js'

interface UniqueIndex {
  table: string
  columns: string[]
}

const uniqueIndexesOf: Record<Engine['name'], (db: Db) => Promise<UniqueIndex[]>> = {
  sqlite: async (db) => {
    const rows = await db.all<{ name: string; columns: string }>(
      `select t.name, (select group_concat(c.name) from pragma_index_info(i.name) c) as columns
       from sqlite_master t, pragma_index_list(t.name) i
       where t.type = 'table' and i."unique" = 1`,
    )
    return rows.map(({ name, columns }) => ({ table: name, columns: columns.split(',') }))
  },
  postgres: async (db) => {
    const rows = await db.all<{ name: string; columns: string }>(
      `select t.relname as name,
         (select string_agg(a.attname, ',') from pg_attribute a
          where a.attrelid = t.oid and a.attnum = any(i.indkey)) as columns
       from pg_index i join pg_class t on t.oid = i.indrelid
       where i.indisunique and t.relnamespace = 'public'::regnamespace`,
    )
    return rows.map(({ name, columns }) => ({ table: name, columns: columns.split(',') }))
  },
}

const tablesOf: Record<Engine['name'], string> = {
  sqlite: "select name from sqlite_master where type = 'table' and name not like 'sqlite_%'",
  postgres: "select tablename as name from pg_tables where schemaname = 'public'",
}

for (const engine of engines) {
  describe(`tables on ${engine.name}`, () => {
    let store: TestStore
    let db: Db
    before(async () => {
      store = await engine.createStore()
      db = await openDb(store)
      await migrate(db)
    })
    after(async () => {
      await db.close()
      await store.remove()
    })

    it('have a foreign key to their tenant', async () => {
      const orphan =
        "insert into users (tenant_id, id, name, kind, assignee_doc, created_at, updated_at) values (?, 'u', '', '', '', 0, 0)"
      await assert.rejects(async () => db.run(orphan, ['ten_none']))
      await db.run("insert into tenants (tenant_id, name, plan, created_at) values ('ten_1', 'one', 'free', 0)")
      await db.run(orphan, ['ten_1'])
    })

    it('of tenants have tenant_id, in every unique index too', async () => {
      const tables = (await db.all<{ name: string }>(tablesOf[engine.name])).map(({ name }) => name)
      const unique = await uniqueIndexesOf[engine.name](db)
      assert.ok(tables.length > 20)
      for (const table of sharedTables) assert.ok(tables.includes(table), table)
      for (const table of tables.filter((name) => !sharedTables.has(name))) {
        const own = unique.filter((index) => index.table === table)
        assert.ok(own.length > 0, `${table} has no primary key`)
        for (const { columns } of own) assert.ok(columns.includes('tenant_id'), `${table} (${columns.join(', ')})`)
      }
    })
  })
}
