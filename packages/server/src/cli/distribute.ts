import { distributeTables, hasCitus } from '../db/postgres/citus.js'
import { expectWords, type RunCommand, withRecords } from './command.js'
import { help } from './help.js'

export const run: RunCommand = async (words) => {
  expectWords(words, help.distribute)
  const distributed = await withRecords(async (db) => {
    if (db.dialect.name !== 'postgres' || !(await hasCitus(db)))
      throw new Error('The database does not have the Citus extension.')
    return db.migrationTransaction(async (tx) => {
      await tx.dialect.lockMigrations(tx)
      return distributeTables(tx)
    })
  })
  console.log(distributed.length > 0 ? `Distributed: ${distributed.join(', ')}` : 'All tables are distributed already.')
  return 0
}
