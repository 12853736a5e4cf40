import { readConfig } from '../config.js'
import { isMigrated } from '../db/migrate.js'
import { openDb } from '../db/open.js'
import type { Db } from '../db/port.js'
import { loadPlans } from '../limits/plans.js'

export interface Command {
  about: string
  help: string
  /** Answers the exit code. */
  run(words: string[]): Promise<number>
}

/** Opens the store that the environment names, as the service would, and closes it after the work. */
export const withStore = async <T>(work: (db: Db) => Promise<T>): Promise<T> => {
  const db = await openDb(readConfig(process.env))
  try {
    return await work(db)
  } finally {
    await db.close()
  }
}

/** The same for work on records, which needs the schema of this program. */
export const withRecords = <T>(work: (db: Db) => Promise<T>): Promise<T> =>
  withStore(async (db) => {
    const isReady = await isMigrated(db).catch(() => false)
    if (!isReady)
      throw new Error('The store has no schema of this program yet: start the service, or run "worklore migrate".')
    return work(db)
  })

export const checkPlan = (name: string): string => {
  const plans = loadPlans(readConfig(process.env).plansFile)
  if (!plans.has(name)) throw new Error(`There is no plan "${name}". Known are ${[...plans.keys()].join(', ')}.`)
  return name
}

export const printJson = (value: unknown): void => console.log(JSON.stringify(value, null, 2))

/** The words of a command that are to be there, and no more. */
export const expectWords = (words: string[], help: string, ...names: string[]): string[] => {
  if (words.length !== names.length) throw new Error(`Expected ${names.join(' ') || 'no arguments'}.\n\n${help}`)
  return words
}

/** A command of several actions, each of which prints what it answers. */
export const commandOf = (
  about: string,
  help: string,
  actions: Record<string, (words: string[]) => Promise<unknown>>,
): Command => ({
  about,
  help,
  run: async ([action = '', ...words]) => {
    const act = actions[action]
    if (!act) throw new Error(help)
    printJson(await act(words))
    return 0
  },
})
