import { readConfig } from '../config.js'
import { type StoreSettings, sqlitePath } from '../db/open.js'

/** The settings of the embedded store and its file; refuses where the store is elsewhere, and says what to use there. */
export const embeddedStore = (otherwise: string): StoreSettings & { path: string } => {
  const config = readConfig(process.env)
  if (config.databaseUrl) throw new Error(`The database is PostgreSQL. ${otherwise}`)
  return { ...config, path: sqlitePath(config) }
}
