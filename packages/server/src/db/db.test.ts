import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { engines, type TestStore } from 'worklore-testing/engines'
import { statementOn } from './given-rows.js'
import { isMigrated, migrate } from './migrate.js'
import { migrations } from './migrations/index.js'
import { openDb } from './open.js'
import type { Db } from './port.js'

for (const engine of engines) {
  describe(`store on ${engine.name}`, () => {
    let store: TestStore
    let db: Db
    const insertTenant = 'insert into tenants (tenant_id, name, plan, created_at) values (?, ?, ?, ?)'
    const nameOf = async (id: string) =>
      (await db.get<{ name: string }>('select name from tenants where tenant_id = ?', [id]))?.name

    before(async () => {
      store = await engine.createStore()
      db = await openDb(store)
      await migrate(db)
    })
    after(async () => {
      await db.close()
      await store.remove()
    })

    it('is migrated once, however many nodes start together', async () => {
      const fresh = await engine.createStore()
      const nodes = await Promise.all([openDb(fresh), openDb(fresh), openDb(fresh)])
      const applied = await Promise.all(nodes.map((node) => migrate(node)))
      assert.deepEqual(applied.flat(), [...new Set(applied.flat())])
      assert.ok(await isMigrated(nodes[0]!))
      await Promise.all(nodes.map((node) => node.close()))
      await fresh.remove()
    })

    it('refuses a schema that is newer than the program', async () => {
      const fresh = await engine.createStore()
      const node = await openDb(fresh)
      await migrate(node)
      await node.run('insert into schema_migrations (version, name, applied_at) values (9999, ?, 0)', ['future'])
      await assert.rejects(migrate(node), /version 9999/)
      await node.close()
      await fresh.remove()
    })

    it('refuses the schema of an unreleased version and explains how to keep its data', async () => {
      const fresh = await engine.createStore()
      const node = await openDb(fresh)
      await migrate(node, [{ version: 1, name: 'foundation', statements: () => ['create table tenants (a text)'] }])
      await assert.rejects(migrate(node), /unreleased version .*"wl export".*"wl import"/)
      await node.close()
      await fresh.remove()
    })

    it('serves on a schema that is newer but compatible', async () => {
      const fresh = await engine.createStore()
      const node = await openDb(fresh)
      await migrate(node)
      const known = migrations.at(-1)!.version
      const expand = (version: number, minVersion?: number) => ({
        version,
        name: `later ${version}`,
        ...(minVersion && { minVersion }),
        statements: () => [`create table later_${version} (a text)`],
      })
      await migrate(node, [...migrations, expand(9_001, known)])
      assert.deepEqual(await migrate(node), [])
      assert.ok(await isMigrated(node))
      // One in between that is not compatible counts, whatever a later one says.
      await migrate(node, [...migrations, expand(9_001, known), expand(9_002), expand(9_003, known)])
      await assert.rejects(migrate(node), /version 9003/)
      assert.equal(await isMigrated(node), false)
      await node.close()
      await fresh.remove()
    })

    it('leaves nothing of a migration that fails midway', async () => {
      const fresh = await engine.createStore()
      const node = await openDb(fresh)
      const broken = { version: 1, name: 'broken', statements: () => ['create table half (a text)', 'create nonsense'] }
      await assert.rejects(migrate(node, [broken]))
      const mended = { version: 1, name: 'mended', statements: () => ['create table half (a text)'] }
      assert.deepEqual(await migrate(node, [mended]), ['mended'])
      await node.close()
      await fresh.remove()
    })

    for (const group of [undefined, 'together']) {
      it(`undoes only the transaction that fails among those that arrive together${group ? ' and share a commit' : ''}`, async () => {
        const idOf = (i: number) => `ten_${group}_${i}`
        const work = Array.from({ length: 120 }, (_, i) =>
          db.transaction(async (tx) => {
            await tx.run(insertTenant, [idOf(i), idOf(i), 'free', i])
            if (i % 3 === 1) throw new Error('undone')
            // A statement that the store itself refuses.
            if (i % 3 === 2) await tx.run(insertTenant, [idOf(i), 'twice', 'free', i])
          }, group),
        )
        const results = await Promise.allSettled(work)
        assert.deepEqual(
          results.map((result) => result.status),
          results.map((_, i) => (i % 3 ? 'rejected' : 'fulfilled')),
        )
        for (const i of [0, 3, 117]) assert.equal(await nameOf(idOf(i)), idOf(i))
        for (const i of [1, 2, 119]) assert.equal(await nameOf(idOf(i)), undefined)
      })
    }

    it('undoes only the transaction whose last write fails, which nothing waited for but the commit', async () => {
      const idOf = (i: number) => `ten_late_${i}`
      const refused = (i: number) => i % 5 === 4
      const work = Array.from({ length: 60 }, (_, i) =>
        db.transaction(async (tx) => {
          const write = async (): Promise<void> => {
            const inserted = await tx.run(`${insertTenant} on conflict do nothing`, [
              idOf(i - (i % 2)),
              idOf(i),
              'free',
              i,
            ])
            if (refused(i)) throw new Error(`refused after ${inserted}`)
          }
          await tx.awaitBeforeCommit(write())
          return i
        }, 'late'),
      )
      const results = await Promise.allSettled(work)
      assert.deepEqual(
        results.map((result) => result.status),
        results.map((_, i) => (refused(i) ? 'rejected' : 'fulfilled')),
      )
      // Of each two that write the same row the first wins, or the other where that was refused.
      for (let i = 0; i < 60; i += 2) assert.equal(await nameOf(idOf(i)), idOf(refused(i) ? i + 1 : i))
    })

    it('shows a transaction what an earlier one wrote last, though both share a commit', async () => {
      await db.run(insertTenant, ['ten_chain', 'chain', 'free', 0])
      const read = 'select last_sequence from tenants where tenant_id = ?'
      const seen = await Promise.all(
        Array.from({ length: 100 }, () =>
          db.transaction(async (tx) => {
            const { last_sequence } = (await tx.get<{ last_sequence: number }>(read, ['ten_chain']))!
            const write = async (): Promise<void> => {
              await tx.run('update tenants set last_sequence = ? where tenant_id = ?', [last_sequence + 1, 'ten_chain'])
            }
            await tx.awaitBeforeCommit(write())
            return last_sequence
          }, 'ten_chain'),
        ),
      )
      assert.deepEqual(
        seen.sort((a, b) => a - b),
        Array.from({ length: 100 }, (_, i) => i),
      )
    })

    it('counts without loss when transactions compete for one row', async () => {
      await db.run(insertTenant, ['ten_counter', 'counter', 'free', 0])
      const numbers = await Promise.all(
        Array.from({ length: 100 }, () =>
          db.transaction(
            async (tx) =>
              (
                await tx.runReturning<{ last_sequence: number }>(
                  'update tenants set last_sequence = last_sequence + 1 where tenant_id = ? returning last_sequence',
                  ['ten_counter'],
                )
              )[0]!.last_sequence,
          ),
        ),
      )
      assert.deepEqual(
        numbers.sort((a, b) => a - b),
        Array.from({ length: 100 }, (_, i) => i + 1),
      )
    })

    it('joins a transaction opened inside another', async () => {
      await assert.rejects(
        db.transaction(async (tx) => {
          await tx.transaction(async (inner) => inner.run(insertTenant, ['ten_inner', 'inner', 'free', 0]))
          throw new Error('outer fails')
        }),
      )
      assert.equal(await nameOf('ten_inner'), undefined)
    })

    it('reads from rows that it is given, however many there are', async () => {
      for (const count of [0, 1, 8, 9, 20, 256, 257, 1_000]) {
        const rows = Array.from({ length: count }, (_, place) => ({ name: `Row "${place}"`, place }))
        const { text, params } = statementOn(
          db,
          'given rows',
          { name: 'text', place: 'bigint' },
          rows,
          (given) => `select name, place from ${given} where name is not null and place >= ? order by place`,
        )
        assert.deepEqual([...(await db.all(text, [...params, 0]))], rows)
        assert.deepEqual([...(await db.all(text, [...params, count - 1]))], rows.slice(-1))
      }
    })

    it('gives texts back as they were, and sorts keys by their bytes', async () => {
      const names = ['%_\'";--', '日本語', '🙂', 'Z', 'a', 'é']
      for (const name of names) await db.run(insertTenant, [name, name, 'free', 0])
      const rows = await db.all<{ tenant_id: string; name: string }>(
        `select tenant_id, name from tenants where tenant_id in (${names.map(() => '?').join(', ')}) order by tenant_id`,
        names,
      )
      assert.deepEqual(
        rows.map((row) => row.name),
        [...names].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
      )
    })
  })
}
