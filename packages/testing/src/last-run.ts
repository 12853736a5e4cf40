import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { StatementsByFile } from './statement-cover.js'

// Beside the built tests, where `npm ci` leaves them.
const timesFile = fileURLToPath(new URL('../last-times.json', import.meta.url))
const statementsFile = fileURLToPath(new URL('../last-statements.json', import.meta.url))

/** Of a file that has not run on this machine. */
const unknownMs = 5_000

const read = <T>(file: string): Record<string, T> => {
  try {
    return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Record<string, T>) : {}
  } catch {
    // A run that was killed may have left half a file.
    return {}
  }
}

/** Returns how long each test file took when it last ran on this machine, or a guess. */
export const readLastTimes = (): ((file: string) => number) => {
  const times = read<number>(timesFile)
  return (name) => times[name] ?? unknownMs
}

/** Notes how long each test file took; the times of other files stay. */
export const noteTimes = (times: Record<string, number>): void =>
  writeFileSync(timesFile, JSON.stringify({ ...read(timesFile), ...times }))

/** Returns the texts of the statements that each file ran on PostgreSQL, in `npm test` and what has run since. */
export const readLastStatements = (): Record<string, string[]> => read(statementsFile)

export const noteStatements = (statements: StatementsByFile): void =>
  writeFileSync(statementsFile, JSON.stringify(statements))
