import { decodeCursor, encodeCursor, listFingerprint } from '../../base/paging.js'
import type { Call } from '../../operations/call.js'

/** Which of the results of a search are wanted, and how the next call asks for those after them. */
export interface SearchPage {
  readonly start: number
  readonly limit: number
  readonly budget: number
  cursorAt(next: number): string
}

export const searchPage = (
  call: Call,
  query: object,
  { cursor, ...rest }: { cursor: string | undefined; limit: number; budget: number },
): SearchPage => {
  const fingerprint = listFingerprint([call.actor.tenantId, 'search', query])
  const [next] = cursor === undefined ? [0] : decodeCursor<[number]>(cursor, fingerprint, ['integer'])
  return { ...rest, start: Math.max(0, next), cursorAt: (next) => encodeCursor(fingerprint, [next]) }
}

/** Where the last result that is ranked was shown, and more match. */
export const endOfRanking = ', no more are ranked: narrow the query'
