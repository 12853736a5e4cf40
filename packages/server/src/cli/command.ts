import { readConfig } from '../config.js'
import { isMigrated } from '../db/migrate.js'
import { expectStore, openDb, type StoreSettings, sqlitePath } from '../db/open.js'
import type { Db } from '../db/port.js'
import { expectReachable } from '../db/reachable.js'
import { loadPlans } from '../limits/plans.js'

/** Answers the exit code. */
export type RunCommand = (words: string[]) => Promise<number>

/** Opens the store that the environment names, creating it where it is embedded, and closes it after the work. */
export const withNewStore = async <T>(work: (db: Db) => Promise<T>): Promise<T> => {
  const config = readConfig(process.env)
  const db = await openDb(config)
  try {
    await expectReachable(db, config)
    return await work(db)
  } finally {
    await db.close()
  }
}

/** The same for work on the records of a store that is there, with the schema of this program. */
export const withRecords = async <T>(work: (db: Db) => Promise<T>): Promise<T> => {
  expectStore(readConfig(process.env))
  return withNewStore(async (db) => {
    const isReady = await isMigrated(db).catch(() => false)
    if (!isReady)
      throw new Error(
        'Database schema is not up to date. Start this version of the service, or run "worklore migrate".',
      )
    return work(db)
  })
}

export const checkPlan = (name: string): string => {
  const plans = loadPlans(readConfig(process.env).plansFile)
  if (!plans.has(name)) throw new Error(`Unknown plan "${name}". Must be one of ${[...plans.keys()].join(', ')}.`)
  return name
}

export const printJson = (value: unknown): void => console.log(JSON.stringify(value, null, 2))

/** The words of a command that are to be there, and no more. */
export const expectWords = (words: string[], help: string, ...names: string[]): string[] => {
  if (words.length !== names.length) throw new Error(`Expected ${names.join(' ') || 'no arguments'}.\n\n${help}`)
  return words
}

/** A command of several actions, each of which prints what it answers. */
export const runAction =
  (help: string, actions: Record<string, (words: string[]) => Promise<unknown>>): RunCommand =>
  async ([action = '', ...words]) => {
    const act = Object.hasOwn(actions, action) ? actions[action] : undefined
    if (!act) throw new Error(help)
    printJson(await act(words))
    return 0
  }

/** The settings of the embedded store and its file; refuses where the store is elsewhere, and says what to use there. */
export const embeddedStore = (otherwise: string): StoreSettings & { path: string } => {
  const config = readConfig(process.env)
  if (config.databaseUrl) throw new Error(`The database is PostgreSQL. ${otherwise}`)
  return { ...config, path: sqlitePath(config) }
}
