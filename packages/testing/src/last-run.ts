import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { StatementsByFile } from './statement-cover.js'

// Stored next to the built tests, because `npm ci` does not delete them there.
const timesFile = fileURLToPath(new URL('../last-times.json', import.meta.url))
const statementsFile = fileURLToPath(new URL('../last-statements.json', import.meta.url))

/** Assumed time of a file that has not run on this machine: the average. */
const unknownMs = 3_000

const read = <T>(file: string): Record<string, T> => {
  try {
    return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Record<string, T>) : {}
  } catch {
    // A killed run may have left an incomplete file.
    return {}
  }
}

/** Returns a function from a test file to the processor time of its last run on this machine, or a default. */
export const readLastTimes = (): ((file: string) => number) => {
  const times = read<number>(timesFile)
  return (name) => times[name] ?? unknownMs
}

/** Stores the processor times of these test files, and keeps the stored times of other files. */
export const noteTimes = (times: Record<string, number>): void =>
  writeFileSync(timesFile, JSON.stringify({ ...read(timesFile), ...times }))

/** Returns the stored SQL texts that each file ran on PostgreSQL: those of the last `npm test` and of later runs. */
export const readLastStatements = (): Record<string, string[]> => read(statementsFile)

export const noteStatements = (statements: StatementsByFile): void =>
  writeFileSync(statementsFile, JSON.stringify(statements))
