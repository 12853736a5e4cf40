import { crc32 } from 'node:zlib'
import type { Awaitable } from './awaitable.js'
import { invalid } from './errors.js'

type CursorValue = string | number
type ValueKind = 'text' | 'integer'

export interface Page<T> {
  items: T[]
  hasMore: boolean
  nextCursor: string | null
}

/** Ties a cursor to the list it came from: its filters, its order and its tenant. Guards against a mistake, not a foe. */
export const listFingerprint = (list: unknown): number => crc32(JSON.stringify(list))

/** The value of what has none and comes last or first; as long as a cursor's shortest number. */
const ends: readonly number[] = [Number.MAX_SAFE_INTEGER, -Number.MAX_SAFE_INTEGER]

/** Groups of seven bits, the lowest first, for the ends and for all other integers by turns of their sign. */
const writeInteger = (bytes: number[], value: number): void => {
  const end = ends.indexOf(value)
  const wide = BigInt(value)
  let rest = end >= 0 ? BigInt(end) : (wide < 0n ? -wide * 2n - 1n : wide * 2n) + BigInt(ends.length)
  for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80)
  bytes.push(Number(rest))
}

const fingerprintBytes = 4
const maxIntegerBits = 63n

/** Binary, since whoever pages by a model pays for each character of a cursor. */
export const encodeCursor = (fingerprint: number, values: readonly CursorValue[]): string => {
  const bytes: number[] = []
  for (const value of values) {
    if (typeof value === 'number') writeInteger(bytes, value)
    else {
      const text = Buffer.from(value)
      writeInteger(bytes, text.length)
      bytes.push(...text)
    }
  }
  const origin = Buffer.alloc(fingerprintBytes)
  origin.writeUInt32BE(fingerprint)
  return Buffer.concat([origin, Buffer.from(bytes)]).toString('base64url')
}

/** Reads the values of a cursor one after the other; throws a RangeError or TypeError where it is none. */
const createReader = (bytes: Buffer) => {
  let at = fingerprintBytes
  const readInteger = (): number => {
    let encoded = 0n
    let byte = 0x80
    for (let shift = 0n; byte >= 0x80; shift += 7n) {
      if (shift > maxIntegerBits) throw new RangeError('too long')
      byte = bytes.readUInt8(at++)
      encoded |= BigInt(byte & 0x7f) << shift
    }
    if (encoded < ends.length) return ends[Number(encoded)]!
    const turned = encoded - BigInt(ends.length)
    const value = Number(turned % 2n === 0n ? turned / 2n : -(turned + 1n) / 2n)
    if (!Number.isSafeInteger(value)) throw new RangeError('not an integer')
    return value
  }
  const readText = (): string => {
    const length = readInteger()
    if (length < 0 || at + length > bytes.length) throw new RangeError('too short')
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes.subarray(at, at + length))
    at += length
    if (text.includes('\0')) throw new RangeError('not a text')
    return text
  }
  return {
    read: (kind: ValueKind): CursorValue => (kind === 'integer' ? readInteger() : readText()),
    isAtEnd: () => at === bytes.length,
  }
}

const valuesOf = (bytes: Buffer, kinds: readonly ValueKind[]): CursorValue[] | undefined => {
  const reader = createReader(bytes)
  try {
    const values = kinds.map(reader.read)
    return reader.isAtEnd() ? values : undefined
  } catch {
    return undefined
  }
}

export const decodeCursor = <T extends CursorValue[]>(
  cursor: string,
  fingerprint: number,
  kinds: readonly ValueKind[],
): T => {
  const bytes = Buffer.from(cursor, 'base64url')
  // Decoding passes over characters that do not belong there.
  if (bytes.length <= fingerprintBytes || bytes.toString('base64url') !== cursor) {
    throw invalid({ path: 'cursor', message: 'is invalid; use the cursor from the previous page' })
  }
  const values = bytes.readUInt32BE() === fingerprint ? valuesOf(bytes, kinds) : undefined
  if (values) return values as T
  throw invalid({
    path: 'cursor',
    message: 'was issued for other filters or another sort order; start again without it',
  })
}

/** Cuts the one row more that was read to see whether there is more. */
export const pageOf = <R>(rows: readonly R[], limit: number, cursorOf: (last: R) => string): Page<R> => {
  const hasMore = rows.length > limit
  const items = rows.slice(0, limit)
  return { items, hasMore, nextCursor: hasMore ? cursorOf(items.at(-1)!) : null }
}

/** The position of a row in its list, as encoded in a cursor. */
type Place<Kinds extends readonly ValueKind[]> = {
  -readonly [At in keyof Kinds]: Kinds[At] extends 'integer' ? number : string
}

interface PagedList<Row, Kinds extends readonly ValueKind[]> {
  /** Identifies the list: its tenant, name and filters. */
  list: unknown
  /** The kinds of values that make up a position. */
  kinds: Kinds
  /** Reads rows in list order, after a position or from the start. */
  read(after: Place<Kinds> | undefined, count: number): Awaitable<readonly Row[]>
  placeOf(row: Row): Place<Kinds>
}

/** Reads a page of a list. The cursor is the position of the last row on the previous page. */
export const pagedList = async <Row, const Kinds extends readonly ValueKind[]>(
  { limit = 50, cursor }: { limit?: number; cursor?: string },
  { list, kinds, read, placeOf }: PagedList<Row, Kinds>,
): Promise<Page<Row>> => {
  const fingerprint = listFingerprint(list)
  const after = cursor === undefined ? undefined : (decodeCursor(cursor, fingerprint, kinds) as Place<Kinds>)
  const rows = await read(after, limit + 1)
  return pageOf(rows, limit, (last) => encodeCursor(fingerprint, placeOf(last) as readonly CursorValue[]))
}
