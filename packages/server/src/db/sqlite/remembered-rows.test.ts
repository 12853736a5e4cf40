import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, describe, it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import type { Db } from '../port.js'
import { openSqlite } from './database.js'

const statement = 'select text from notes where tenant_id = ? and id = ?'

describe('rows that SQLite looks up again', () => {
  let folder: string
  let db: Db
  let other: Db
  const read: string[] = []

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'worklore-test-'))
    const path = join(folder, 'rows.db')
    db = openSqlite(path, { isOnlyWriter: true, observe: (text) => read.push(text) })
    other = openSqlite(path)
    await db.run('create table notes (tenant_id text, id text, text text)')
  })
  after(async () => {
    await db.close()
    await other.close()
    rmSync(folder, { recursive: true })
  })
  beforeEach(async () => {
    await write('a', 'n', 'first')
    await write('b', 'n', 'of b')
  })

  const write = (tenantId: string, id: string, text: string, store = db) =>
    store.transaction(async (tx) => {
      await tx.run('delete from notes where tenant_id = ? and id = ?', [tenantId, id])
      await tx.run('insert into notes (tenant_id, id, text) values (?, ?, ?)', [tenantId, id, text])
    }, tenantId)
  const lookUp = async (tenantId: string, id: string): Promise<string | undefined> =>
    (await db.lookup<{ text: string }>(statement, [tenantId, id], tenantId))?.text
  /** The text, read from the store so many times by so many look-ups. */
  const readOf = async (tenantId: string, id: string, times: number) => {
    read.length = 0
    const texts = new Set<string | undefined>()
    for (let count = 0; count < times; count++) texts.add(await lookUp(tenantId, id))
    return [...texts, read.filter((text) => text === statement).length]
  }

  it('are read twice, and then no more', async () => {
    assert.deepEqual(await readOf('a', 'n', 10), ['first', 2])
  })

  it('are read again after their group has committed, and after no other', async () => {
    await readOf('a', 'n', 3)
    await write('b', 'n', 'of b again')
    assert.deepEqual(await readOf('a', 'n', 1), ['first', 0])
    await write('a', 'n', 'second')
    assert.deepEqual(await readOf('a', 'n', 3), ['second', 2])
  })

  it('are told apart by tenant and id', async () => {
    await write('a', 'm', 'another')
    for (let count = 0; count < 3; count++) {
      assert.deepEqual(
        [await lookUp('a', 'n'), await lookUp('a', 'm'), await lookUp('b', 'n')],
        ['first', 'another', 'of b'],
      )
    }
  })

  it('are read again after another process has committed', async () => {
    await readOf('a', 'n', 3)
    await write('a', 'n', 'from elsewhere', other)
    await turn()
    assert.equal(await lookUp('a', 'n'), 'from elsewhere')
  })

  it('are read each time where there is none, or where it is large', async () => {
    assert.deepEqual(await readOf('a', 'missing', 4), [undefined, 4])
    await write('a', 'large', 'x'.repeat(100_000))
    assert.equal((await readOf('a', 'large', 4))[1], 4)
  })

  it('cannot be changed by those who share them', async () => {
    for (let count = 0; count < 3; count++) await lookUp('a', 'n')
    const row = (await db.lookup<{ text: string }>(statement, ['a', 'n'], 'a'))!
    assert.throws(() => {
      row.text = 'changed'
    }, TypeError)
  })
})
