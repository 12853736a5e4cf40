import { existsSync } from 'node:fs'
import { readConfig } from '../config.js'
import { sqlitePath } from '../db/open.js'
import { copyDatabase } from '../db/sqlite-copy.js'
import { type Command, expectWords } from './command.js'

const backupHelp = `Usage: worklore backup FILE

Copies the embedded database to FILE while the service runs, as it is at one moment, and checks the copy.
With DATABASE_URL, use PostgreSQL's own tool: pg_dump --format=custom --file=FILE "$DATABASE_URL"`

const restoreHelp = `Usage: worklore restore FILE --yes

Puts the contents of a backup in place of everything in the embedded database, in one transaction; the service may
go on running. With DATABASE_URL, use PostgreSQL's own tool:
pg_restore --clean --if-exists --dbname="$DATABASE_URL" FILE`

/** The embedded database's file, unless the store is elsewhere. */
const embeddedPath = (otherwise: string): string => {
  const config = readConfig(process.env)
  if (config.databaseUrl) throw new Error(`The store is a PostgreSQL database. ${otherwise}`)
  return sqlitePath(config)
}

export const backupCommand: Command = {
  about: 'Copy the embedded database while it serves',
  help: backupHelp,
  run: async (words) => {
    const [file] = expectWords(words, backupHelp, 'FILE') as [string]
    const source = embeddedPath('Back it up with: pg_dump --format=custom --file=FILE "$DATABASE_URL"')
    if (!existsSync(source)) throw new Error(`There is no database at ${source}.`)
    if (existsSync(file)) throw new Error(`${file} exists already. Choose another name, or remove it.`)
    const pages = await copyDatabase(source, file)
    console.log(`Copied ${pages} pages to ${file}; the copy is sound.`)
    return 0
  },
}

export const restoreCommand: Command = {
  about: 'Put a backup in place of the embedded database',
  help: restoreHelp,
  run: async (words) => {
    const isSure = words.includes('--yes')
    const [file] = expectWords(
      words.filter((word) => word !== '--yes'),
      restoreHelp,
      'FILE',
    ) as [string]
    const target = embeddedPath('Restore it with: pg_restore --clean --if-exists --dbname="$DATABASE_URL" FILE')
    if (!existsSync(file)) throw new Error(`There is no file ${file}.`)
    if (existsSync(target) && !isSure) {
      throw new Error(`This replaces everything in ${target}. Add --yes to do it.`)
    }
    const pages = await copyDatabase(file, target)
    console.log(`Restored ${pages} pages; the database is sound.`)
    return 0
  },
}
