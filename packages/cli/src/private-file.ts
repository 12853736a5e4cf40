import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { CommandError } from './exit-codes.js'

/** Replaces a file that only its owner can read, whole or not at all. */
export const writePrivateJson = (file: string, value: unknown): void => {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const next = `${file}.${process.pid}`
  writeFileSync(next, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 })
  renameSync(next, file)
}

/** What a JSON file has; undefined where there is none. */
export const readJson = (file: string): unknown => {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw error
  }
  try {
    return JSON.parse(text)
  } catch {
    throw new CommandError(`${file} is not valid JSON. Correct or remove it.`)
  }
}
