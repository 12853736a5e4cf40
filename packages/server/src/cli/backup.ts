import { existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { expectStore } from '../db/open.js'
import { copyStore } from '../db/sqlite/copy.js'
import { embeddedStore, expectWords, type RunCommand } from './command.js'
import { help } from './help.js'

export const run: RunCommand = async (words) => {
  const [file] = expectWords(words, help.backup, 'FILE') as [string]
  const store = embeddedStore('Back it up with: pg_dump --format=custom --file=FILE "$DATABASE_URL"')
  expectStore(store)
  if (existsSync(file)) throw new Error(`${file} already exists. Choose another name, or remove it.`)
  if (!statSync(dirname(file), { throwIfNoEntry: false })?.isDirectory())
    throw new Error(`Folder ${dirname(file)} not found.`)
  const pages = await copyStore(store.path, file)
  console.log(`Copied ${pages} pages to ${file}. The copy passed its integrity check.`)
  return 0
}
