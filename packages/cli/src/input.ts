import { readFileSync } from 'node:fs'
import { usageError } from './exit-codes.js'

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Bytes as text, none of them lost. */
export const decode = (bytes: Uint8Array, name = ''): string => {
  try {
    return utf8.decode(bytes)
  } catch {
    throw new Error(`${name}is not UTF-8 text`)
  }
}

/** A file as text; an error does not name it. */
export const readText = (file: string): string => decode(readFileSync(file))

/** Standard input to its end, as text. Node reads a terminal or a slow pipe without blocking, hence the loop. */
export const readStandardInput = async (): Promise<string> => {
  if (process.stdin.isTTY) process.stderr.write('Reading from the terminal; end with Ctrl-D.\n')
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) chunks.push(chunk)
  return decode(Buffer.concat(chunks), 'standard input ')
}

/** The value of an option, or standard input where it is `-`. */
export const textOf = async <T extends string | undefined>(value: T): Promise<T | string> =>
  value === '-' ? readStandardInput() : value

/** What a file has, or standard input where it is `-`. */
export const contentOf = async (file: string): Promise<string> =>
  file === '-' ? readStandardInput() : decode(readFileSync(file), `${file} `)

/** A whole number from an option. */
export const countOf = (option: string, text: string, max = 1_000_000): number => {
  const count = Number(text)
  if (!/^\d+$/.test(text) || count < 1 || count > max) throw usageError(`${option} must be a number from 1 to ${max}.`)
  return count
}

/** Several values, each option repeated or with commas. */
export const listOf = (values: readonly string[] | undefined): string[] | undefined =>
  values?.flatMap((value) =>
    value
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== ''),
  )

/** How many records to list. */
export const limitOf = (text: string | undefined, usual: number): number =>
  text === undefined ? usual : countOf('--limit', text)
