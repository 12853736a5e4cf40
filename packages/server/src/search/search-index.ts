import { type Accepts, compileFilter, type IndexFilter } from './filter.js'
import type { ParsedQuery } from './query.js'
import { rankByWords } from './rank.js'
import { resolveQuery } from './resolve.js'
import { scoreByWords, type WordParts } from './score.js'
import { NONE } from './string-table.js'
import type { WordIndex } from './word-index.js'

export type Candidate = WordParts & {
  ref: string
  scope: string
  score: number
  /** The query is its very name. */
  isExact: boolean
}

export type IndexSearch = {
  query: ParsedQuery
  filter: IndexFilter
  top: number
  /** Refs that are the query itself, such as an id: first, with a score of 1. */
  exactRefs: readonly string[]
  /** Finds documents in another way, by meaning, of which the words' parts are wanted too. */
  near?: (accepts: Accepts | undefined) => readonly number[]
}

const EXACT: WordParts = { bm25: 0, strength: 1, lexical: 1, coverage: 1 }

const documentsOf = (index: WordIndex, refs: readonly string[], accepts: Accepts | undefined) =>
  refs
    .map((ref) => index.documents.find(ref))
    .filter((document) => document !== NONE && (accepts === undefined || accepts(document)))

/** The best of an index by words, best first, exact refs before all. */
export const searchIndex = (index: WordIndex, search: IndexSearch): Candidate[] => {
  const { refs, scopes, refOf, scopeOf } = index.documents
  const accepts = compileFilter(index, search.filter)
  // Named one by one: spreading two hundred of these would cost more than finding them.
  const candidate = (
    document: number,
    { bm25, strength, lexical, coverage }: WordParts,
    score: number,
    isExact = false,
  ): Candidate => ({
    ref: refs.text(refOf(document)),
    scope: scopes.text(scopeOf(document)),
    bm25,
    strength,
    lexical,
    coverage,
    score,
    isExact,
  })
  const exact = documentsOf(index, search.exactRefs, accepts)
  const ranked = rankByWords(index, resolveQuery(index, search.query), {
    top: search.top,
    accepts,
    also: search.near?.(accepts) ?? [],
  })
  const candidates = exact.map((document) => candidate(document, EXACT, 1, true))
  for (const found of ranked) {
    if (!exact.includes(found.document)) candidates.push(candidate(found.document, found, scoreByWords(found)))
  }
  return candidates
}
