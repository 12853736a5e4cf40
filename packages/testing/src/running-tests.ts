import { readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'

/** Of the files that name the test that a process runs. */
export const noteEnding = '.running'

/** A line for each test process whose notes are in a folder: the test that began last, and when it did. */
export const runningTests = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith(noteEnding))
    .flatMap((name) => {
      try {
        const note = join(folder, name)
        const test = readFileSync(note, 'utf8') || 'before its first test'
        const seconds = Math.round((Date.now() - statSync(note).mtimeMs) / 1_000)
        return [`${basename(name, `.test.mjs${noteEnding}`)}: ${test} (${seconds} s)`]
      } catch {
        // The process has ended meanwhile.
        return []
      }
    })
