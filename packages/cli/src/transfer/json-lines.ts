import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'

/** The lines of a file, with their numbers; empty ones are left out. */
export async function* numberedLines(file: string): AsyncGenerator<{ place: string; text: string }> {
  const input = file === '-' ? process.stdin : createReadStream(file)
  const name = file === '-' ? 'standard input' : file
  let number = 0
  for await (const text of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    number++
    const line = number === 1 ? text.replace(/^\ufeff/, '') : text
    if (line.trim() !== '') yield { place: `${name}:${number}`, text: line }
  }
}

/** Parses a line, or says what is wrong with it. */
export const parseLine = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw new Error('is not valid JSON')
  }
}
