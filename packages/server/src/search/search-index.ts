import { type Accepts, compileFilter, type IndexFilter } from './filter.js'
import { type RankedDocument, rankByWords } from './rank.js'
import type { ResolvedQuery } from './resolve.js'
import type { WordParts } from './score.js'
import { NONE } from './string-table.js'
import type { WordIndex } from './word-index.js'

/** A document that may be among the answers. Its name is looked up for those that are: a name costs more than a rank. */
export type Candidate = RankedDocument & {
  /** The query is its very name. */
  isExact: boolean
}

export type IndexSearch = {
  query: ResolvedQuery
  filter: IndexFilter
  top: number
  /** How far the documents that match are to be counted. */
  countTo: number
  /** Refs that are the query itself, such as an id: first, with a score of 1. */
  exactRefs: readonly string[]
  /** Finds documents in another way, by meaning, of which the words' parts are wanted too. */
  near?: (accepts: Accepts | undefined) => readonly number[]
}

export type DocumentName = { ref: string; scope: string }

export const nameOf = ({ documents }: WordIndex, document: number): DocumentName => ({
  ref: documents.refs.text(documents.refOf(document)),
  scope: documents.scopes.text(documents.scopeOf(document)),
})

/** Orders documents of equal score. */
export const compareRefs = ({ documents: { refs, refOf } }: WordIndex, a: number, b: number): number =>
  refs.compare(refOf(a), refOf(b))

const EXACT: WordParts = { bm25: 0, strength: 1, lexical: 1, coverage: 1 }

const documentsOf = (index: WordIndex, refs: readonly string[], accepts: Accepts | undefined) =>
  refs
    .map((ref) => index.documents.find(ref))
    .filter((document) => document !== NONE && (accepts === undefined || accepts(document)))

/** The best of an index by words, best first, exact refs before all; and how many match. */
export const searchIndex = (index: WordIndex, search: IndexSearch): { candidates: Candidate[]; matches: number } => {
  const accepts = compileFilter(index, search.filter)
  const exact = documentsOf(index, search.exactRefs, accepts)
  const { ranked, matches } = rankByWords(index, search.query, {
    top: search.top + exact.length,
    countTo: search.countTo,
    accepts,
    also: [...exact, ...(search.near?.(accepts) ?? [])],
  })
  const candidates: Candidate[] = exact.map((document) => ({ document, ...EXACT, isExact: true }))
  for (const { document, bm25, strength, lexical, coverage } of ranked) {
    // Named one by one: spreading hundreds of these would cost more than finding them.
    if (!exact.includes(document)) candidates.push({ document, bm25, strength, lexical, coverage, isExact: false })
  }
  return { candidates, matches }
}
