import type { IndexFilter } from './filter.js'
import { NONE } from './string-table.js'
import type { WordIndex } from './word-index.js'

export interface TermStatistics {
  /** Number of documents. A long document counts once for each of its passages. */
  size: number
  totalLength: number
  documentFrequency(term: number): number
}

/** Returns for each scope number of the index whether the filter covers the scope. */
export const coveredScopes = (
  { documents: { scopes } }: WordIndex,
  { scopes: only, exceptScopes = [] }: Pick<IndexFilter, 'scopes' | 'exceptScopes'>,
): Uint8Array => {
  const covered = new Uint8Array(scopes.count).fill(only === undefined ? 1 : 0)
  const mark = (names: readonly string[], value: number) => {
    for (const name of names) {
      const id = scopes.find(name)
      if (id !== NONE) covered[id] = value
    }
  }
  mark(only ?? [], 1)
  mark(exceptScopes, 0)
  return covered
}

/**
 * Returns the statistics of the scopes that a filter covers. Scores, corrections and completions depend on these alone,
 * so that they reveal nothing about projects that the search does not cover.
 */
export const termStatisticsOf = (
  index: WordIndex,
  filter: Pick<IndexFilter, 'scopes' | 'exceptScopes'> = {},
): TermStatistics => {
  const { documents, postings } = index
  const covered = coveredScopes(index, filter)
  let [size, totalLength] = [0, 0]
  for (const [scope, isCovered] of covered.entries()) {
    if (isCovered === 0) continue
    const totals = documents.totalsOf(scope)
    size += totals.liveCount
    totalLength += totals.length
  }
  if (size === documents.liveCount) {
    return { size, totalLength, documentFrequency: (term) => index.documentFrequency(term) }
  }
  const counts = new Map<number, number>()
  const count = (term: number): number => {
    let count = 0
    postings.visit(term, (cells, start, end) => {
      for (let at = start; at < end; at++) {
        const document = cells[at]! >>> 8
        if (covered[documents.scopeOf(document)] === 1 && !documents.isDeleted(document)) count++
      }
    })
    return count
  }
  return {
    size,
    totalLength,
    documentFrequency(term) {
      let known = counts.get(term)
      if (known === undefined) {
        known = count(term)
        counts.set(term, known)
      }
      return known
    },
  }
}
