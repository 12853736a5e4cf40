import { invalid } from '../../base/errors.js'
import { isStorable, utf8Length } from '../../base/text.js'

export const maxKeyBytes = 512

const controlCharacter = /[\u0000-\u001f\u007f-\u009f]/

/** Returns the problem with a key, or undefined if it is valid. */
export const keyProblem = (key: string): string | undefined => {
  if (key === '') return 'must not be empty'
  if (!isStorable(key)) return 'must be valid Unicode text'
  if (utf8Length(key) > maxKeyBytes) return `must have at most ${maxKeyBytes} bytes of UTF-8`
  if (controlCharacter.test(key)) return 'must not contain control characters'
  if (key.startsWith('/') || key.endsWith('/')) return 'must not start or end with a slash'
  for (const segment of key.split('/')) {
    if (segment === '') return 'must not contain an empty segment (two slashes in a row)'
    if (segment === '.' || segment === '..') return `must not contain the segment "${segment}"`
  }
  return undefined
}

export const checkKey = (key: string, path = 'key'): string => {
  const problem = keyProblem(key)
  if (problem) throw invalid({ path, message: problem })
  return key
}

/** The path of a search cannot be an item's too. */
export const checkWritableKey = (key: string, path = 'key'): string => {
  if (key === 'search') throw invalid({ path, message: 'must not be "search", which is reserved' })
  return checkKey(key, path)
}

/** The first text, by code points, that is after every text with the prefix; undefined if there is none. */
export const endOfPrefix = (prefix: string): string | undefined => {
  const points = Array.from(prefix)
  for (let last = points.pop(); last !== undefined; last = points.pop()) {
    const code = last.codePointAt(0)!
    if (code < 0x10ffff) return points.join('') + String.fromCodePoint(code === 0xd7ff ? 0xe000 : code + 1)
  }
  return undefined
}
