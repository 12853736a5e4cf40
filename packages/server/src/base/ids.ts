import { randomFillSync } from 'node:crypto'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

// Random bytes are drawn in bulk: one draw for each id would cost more than the rest of making it.
const pool = Buffer.alloc(4096)
let used = pool.length

const randomByte = (): number => {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  return pool[used++]!
}

/** Letters and digits, each as likely as the others. */
export const randomBase62 = (length: number): string => {
  let text = ''
  while (text.length < length) {
    const byte = randomByte()
    if (byte < 248) text += alphabet[byte % 62]
  }
  return text
}

/** The number in base 62, padded to a fixed width. */
export const base62 = (value: number, width: number): string => {
  let text = ''
  for (let rest = value; text.length < width; rest = Math.floor(rest / 62)) text = alphabet[rest % 62] + text
  return text
}

type IdPrefix = 'ten' | 'prj' | 'usr' | 'key' | 'evt' | 'whk' | 'cmt' | 'aud' | 'ses' | 'tra' | 'pak'

export const newId = (prefix: IdPrefix): string => `${prefix}_${randomBase62(20)}`

let lastMs = 0
let countInMs = 0

/** An id that sorts by the time it was made at: 8 characters of it, then a count within the millisecond. */
export const newTimedId = (prefix: 'dlv' | 'cmt' | 'inb' | 'kno' | 'qst', nowMs: number): string => {
  countInMs = nowMs === lastMs ? countInMs + 1 : 0
  lastMs = nowMs
  return `${prefix}_${base62(nowMs, 8)}${base62(countInMs, 3)}${randomBase62(9)}`
}

/** Sorts before every such id of this time and later. */
export const timedIdFloor = (prefix: 'dlv' | 'inb', ms: number): string => `${prefix}_${base62(Math.max(0, ms), 8)}`
