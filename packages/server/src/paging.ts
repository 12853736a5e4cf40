import { crc32 } from 'node:zlib'
import { invalid } from './errors.js'

type CursorValue = string | number

export interface Page<T> {
  items: T[]
  hasMore: boolean
  nextCursor: string | null
}

/** Ties a cursor to the list it came from: its filters, its order and its tenant. Guards against a mistake, not a foe. */
export const listFingerprint = (list: unknown): string => crc32(JSON.stringify(list)).toString(36)

export const encodeCursor = (fingerprint: string, values: readonly CursorValue[]): string =>
  Buffer.from(JSON.stringify([fingerprint, ...values])).toString('base64url')

const parseCursor = (cursor: string): unknown => {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
  } catch {
    return undefined
  }
}

const isOfKind = (value: unknown, kind: 'text' | 'integer'): boolean =>
  kind === 'text' ? typeof value === 'string' && !value.includes('\0') : Number.isSafeInteger(value)

export const decodeCursor = <T extends CursorValue[]>(
  cursor: string,
  fingerprint: string,
  kinds: readonly ('text' | 'integer')[],
): T => {
  const parsed = parseCursor(cursor)
  if (!Array.isArray(parsed) || parsed.length !== kinds.length + 1) {
    throw invalid({ path: 'cursor', message: 'is invalid; use nextCursor from the previous page' })
  }
  const [origin, ...values] = parsed
  if (origin !== fingerprint || !values.every((value, at) => isOfKind(value, kinds[at]!))) {
    throw invalid({
      path: 'cursor',
      message: 'was issued for other filters or another sort order; start again without it',
    })
  }
  return values as T
}

/** Cuts the one row more that was read to see whether there is more. */
export const pageOf = <R>(rows: R[], limit: number, cursorOf: (last: R) => string): Page<R> => {
  const hasMore = rows.length > limit
  const items = hasMore ? rows.slice(0, limit) : rows
  return { items, hasMore, nextCursor: hasMore ? cursorOf(items.at(-1)!) : null }
}
