import { migrate } from '../db/migrate.js'
import { type Command, withStore } from './command.js'

export const migrateCommand: Command = {
  about: 'Bring the schema of the store up to date',
  help: 'Usage: worklore migrate\n\nBrings the schema up to date, as every start of the service does too.',
  run: async () => {
    const applied = await withStore((db) => migrate(db))
    console.log(applied.length > 0 ? `Applied: ${applied.join(', ')}` : 'The schema is up to date.')
    return 0
  },
}
