import { type Accepts, areChainsFollowed, compileFilter, type IndexFilter } from '../index/filter.js'
import type { WordIndex } from '../index/word-index.js'
import { type RankedDocument, type RankOptions, rankByWords } from './rank.js'
import type { ResolvedQuery } from './resolve-query.js'
import type { WordParts } from './score.js'
import type { SearchScratch } from './search-scratch.js'

/** A document that may be among the hits. Its name is looked up for hits alone: a name costs more than a rank. */
export interface Candidate extends RankedDocument {
  /** The query is its very name. */
  isExact: boolean
}

export interface IndexSearch {
  query: ResolvedQuery
  filter: IndexFilter
  top: number
  /** How far the documents that match are to be counted. */
  countTo: number
  /** Document names found in the query, such as an ID. Their documents come first, with a score of 1. */
  exactNames: readonly string[]
  /** Whether of documents that replace each other only the best is wanted, where the filter follows them. */
  areChainsJoined?: boolean
  /** Finds semantic candidates, whose word scores are wanted too. */
  findSimilar?: (accepts: Accepts | undefined) => readonly number[]
}

export interface DocumentName {
  ref: string
  scope: string
}

export const nameOf = ({ documents }: WordIndex, document: number): DocumentName => ({
  ref: documents.refs.text(documents.refOf(document)),
  scope: documents.scopes.text(documents.scopeOf(document)),
})

const EXACT: WordParts = { bm25: 0, strength: 1, lexical: 1, coverage: 1 }

const documentsNamed = (index: WordIndex, names: readonly string[], accepts: Accepts | undefined) =>
  names.flatMap(index.documents.named).filter((document) => accepts === undefined || accepts(document))

interface IndexMatches {
  candidates: Candidate[]
  /** How many match. */
  matches: number
  /** Whether a document was left out because the one that replaced it is not in the index yet. */
  isOutdated: boolean
}

/** Returns the best matches by words, best first. Exact name matches come before all others. */
export const searchIndex = (index: WordIndex, search: IndexSearch, scratch: SearchScratch): IndexMatches => {
  let isOutdated = false
  const accepts = compileFilter(index, search.filter, () => {
    isOutdated = true
  })
  const exact = documentsNamed(index, search.exactNames, accepts)
  const options: RankOptions = {
    top: search.top + exact.length,
    countTo: search.countTo,
    accepts,
    areChainsJoined: search.areChainsJoined === true && areChainsFollowed(index, search.filter),
    also: [...exact, ...(search.findSimilar?.(accepts) ?? [])],
  }
  const { ranked, matches } = rankByWords(index, search.query, options, scratch)
  const candidates: Candidate[] = exact.map((document) => ({ document, ...EXACT, isExact: true }))
  for (const { document, bm25, strength, lexical, coverage } of ranked) {
    // Named one by one: spreading hundreds of these would cost more than finding them.
    if (!exact.includes(document)) candidates.push({ document, bm25, strength, lexical, coverage, isExact: false })
  }
  return { candidates, matches, isOutdated }
}
