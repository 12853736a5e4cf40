import { copyFileSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'

interface WrongFile {
  name: string
  path: string
  /** What the refusal says of it. */
  problem: RegExp
}

const change = (path: string, statements: string): void => {
  const connection = new DatabaseSync(path)
  connection.exec(`pragma journal_mode = delete; ${statements}`)
  connection.close()
}

/** Files that are not a whole store of ours, made of one that is. */
export const wrongFiles = (good: string, folder: string): WrongFile[] => {
  const { length } = readFileSync(good)
  const madeOf = (name: string, alter: (path: string) => void): string => {
    const path = join(folder, `${name}.db`)
    copyFileSync(good, path)
    alter(path)
    return path
  }
  const changed = (name: string, statements: string) => madeOf(name, (path) => change(path, statements))
  const cut = (name: string, bytes: number) => madeOf(name, (path) => truncateSync(path, bytes))
  const written = (name: string, content: string | Buffer): string => {
    const path = join(folder, name)
    writeFileSync(path, content)
    return path
  }
  const foreign = join(folder, 'foreign.db')
  change(foreign, 'create table notes (text); insert into notes values (1)')
  const folderOf = join(folder, 'a-folder.db')
  mkdirSync(folderOf)
  const overwritten = madeOf('overwritten', (path) => {
    const bytes = readFileSync(path)
    bytes.fill(0xa5, 4_096 * 3, 4_096 * 6)
    writeFileSync(path, bytes)
  })
  const longer = madeOf('longer', (path) => writeFileSync(path, Buffer.concat([readFileSync(path), Buffer.from('x')])))
  const inUse = madeOf('in-use', (path) => writeFileSync(`${path}-wal`, 'frames'))
  return [
    { name: 'missing', path: join(folder, 'none.db'), problem: /does not exist/ },
    { name: 'a folder', path: folderOf, problem: /not a file/ },
    { name: 'empty', path: written('empty.db', ''), problem: /is empty/ },
    { name: 'one byte', path: written('one.db', 'S'), problem: /not a SQLite database/ },
    { name: 'a text', path: written('a.txt', 'no database '.repeat(1_000)), problem: /not a SQLite database/ },
    { name: 'the header alone', path: cut('header', 100), problem: /incomplete/ },
    { name: 'one byte short', path: cut('short', length - 1), problem: /incomplete/ },
    { name: 'one page short', path: cut('page-short', length - 4_096), problem: /incomplete/ },
    { name: 'half', path: cut('half', Math.floor(length / 2)), problem: /incomplete/ },
    { name: 'one byte too long', path: longer, problem: /damaged/ },
    { name: 'with pages overwritten', path: overwritten, problem: /damaged|cannot be read/ },
    { name: 'a database with its log', path: inUse, problem: /database in use/ },
    { name: 'another program’s database', path: foreign, problem: /not a Worklore database/ },
    {
      name: 'of a newer schema',
      path: changed('newer', "insert into schema_migrations (version, name, applied_at) values (999, 'later', 0)"),
      problem: /version 999/,
    },
    {
      name: 'of an unreleased schema',
      path: changed('unreleased', "update schema_migrations set name = 'foundation' where version = 1"),
      problem: /unreleased version .*wl export/,
    },
    { name: 'with a table missing', path: changed('lacking', 'drop table events'), problem: /tables/ },
    {
      name: 'with a trigger',
      path: changed('trigger', 'create trigger t after insert on tasks begin delete from tasks; end'),
      problem: /tables/,
    },
    {
      name: 'with a column more',
      path: changed('column', 'alter table tasks add column extra text'),
      problem: /tables/,
    },
    {
      name: 'with records of no tenant',
      path: changed('torn', 'pragma foreign_keys = off; delete from tenants'),
      problem: /damaged/,
    },
  ]
}
