import { migrate } from '../db/migrate.js'
import { expectWords, type RunCommand, withNewStore } from './command.js'
import { help } from './help.js'

export const run: RunCommand = async (words) => {
  expectWords(words, help.migrate)
  const applied = await withNewStore((db) => migrate(db))
  console.log(applied.length > 0 ? `Applied: ${applied.join(', ')}` : 'The schema is up to date.')
  return 0
}
