import { mkdirSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { CommandError } from './exit-codes.js'

/** Undefined where there is no such file. */
const ifThere = <T>(read: () => T): T | undefined => {
  try {
    return read()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw error
  }
}

/** Only its owner can read a file with a key. */
export const privateMode = 0o600

/** Replaces a file, or the one that a link leads to, whole or not at all. */
export const replaceFile = (file: string, text: string, mode: number): void => {
  const target = ifThere(() => realpathSync(file)) ?? file
  mkdirSync(dirname(target), { recursive: true, mode: 0o700 })
  const next = `${target}.${process.pid}`
  try {
    writeFileSync(next, text, { mode })
    renameSync(next, target)
  } catch (error) {
    rmSync(next, { force: true })
    throw error
  }
}

export const writePrivateJson = (file: string, value: unknown): void =>
  replaceFile(file, `${JSON.stringify(value, null, 2)}\n`, privateMode)

/** What a file has; undefined where there is none. */
export const readIfThere = (file: string): string | undefined => ifThere(() => readFileSync(file, 'utf8'))

/** What a JSON file has; undefined where there is none. */
export const readJson = (file: string): unknown => {
  const text = readIfThere(file)
  if (text === undefined) return undefined
  try {
    return JSON.parse(text)
  } catch {
    throw new CommandError(`${file} is not valid JSON. Correct or remove it.`)
  }
}
