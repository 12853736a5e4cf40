import { openSync, readFileSync, writeSync } from 'node:fs'

/** What an agent did and heard, as it happened. */
export type JournalEntry =
  | { kind: 'claimed'; agent: string; token: string }
  /** A write under the claim was acknowledged. */
  | { kind: 'wrote'; agent: string; token: string }
  | { kind: 'handing in'; agent: string; token: string; status: string }
  | { kind: 'accepted'; agent: string; token: string; status: string }
  /** The claim was lost. */
  | { kind: 'refused'; agent: string; token: string }
  /** Nothing was ready; the last event before the call and the last one after it. */
  | { kind: 'nothing'; agent: string; after: number; until: number }

/** Each entry is in the file before the agent goes on, however its process ends. */
export const openJournal = (file: string): ((entry: JournalEntry) => void) => {
  const descriptor = openSync(file, 'a')
  return (entry) => void writeSync(descriptor, `${JSON.stringify(entry)}\n`)
}

export const readJournal = (file: string): JournalEntry[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
