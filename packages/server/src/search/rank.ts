import { addToTouched, type CommonWord, type Judge, judgeOthers } from './common-words.js'
import type { Accepts } from './filter.js'
import { withRoom } from './growable.js'
import { addRareWord, touchHolders } from './rare-words.js'
import type { ResolvedQuery, ResolvedWord } from './resolve.js'
import { K1, strengthOf, WORDS_ONLY, type WordParts } from './score.js'
import { tally } from './tally.js'
import { createTop } from './top.js'
import type { WordIndex } from './word-index.js'

export type RankedDocument = WordParts & { document: number }

export type RankOptions = {
  top: number
  /** How far the documents that match are to be counted. */
  countTo: number
  accepts?: Accepts | undefined
  /** Documents whose parts are wanted whatever their rank, such as those found by meaning. */
  also?: readonly number[]
}

// Shared by all searches of a thread, and all zero between two of them.
let met = new Uint8Array(0)

const EXCLUDED = 0xff

const exclude = (index: WordIndex, terms: readonly number[]) => {
  for (const term of terms) {
    index.postings.visit(term, (cells, start, end) => {
      for (let at = start; at < end; at++) met[cells[at]! >>> 8] = EXCLUDED
    })
  }
}

// met[d] counts the required terms found so far, in their order; one missing leaves it behind for good.
const demand = (index: WordIndex, terms: readonly number[]) => {
  for (const [order, term] of terms.entries()) {
    index.postings.visit(term, (cells, start, end) => {
      for (let at = start; at < end; at++) {
        const document = cells[at]! >>> 8
        if (met[document] === order) met[document] = order + 1
      }
    })
  }
}

const forget = (index: WordIndex, { required = [], excluded }: ResolvedQuery) => {
  for (const term of [...required.slice(0, 1), ...excluded]) {
    index.postings.visit(term, (cells, start, end) => {
      for (let at = start; at < end; at++) met[cells[at]! >>> 8] = 0
    })
  }
}

/** Words of rare terms alone, and words that have a common one. */
const sortWords = (index: WordIndex, words: readonly ResolvedWord[]) => {
  const rare: ResolvedWord[] = []
  const common: CommonWord[] = []
  for (const word of words.toSorted((a, b) => b.idf - a.idf)) {
    const terms = word.terms.map((term) => ({ ...term, column: index.columnOf(term.term) }))
    if (terms.every(({ column }) => column === undefined)) rare.push(word)
    else {
      common.push({
        count: word.count,
        rare: terms.filter(({ column }) => column === undefined),
        common: terms.flatMap(({ idf, column }) =>
          column ? [{ column, most: idf * (K1 + 1) * word.count, weight: idf * word.count }] : [],
        ),
      })
    }
  }
  return { rare, common }
}

const createJudge = (
  index: WordIndex,
  { top: size, countTo }: RankOptions,
  perBm25: number,
  perWeight: number,
  isWanted: (document: number) => boolean,
) => {
  const { refs, refOf, count } = index.documents
  const top = createTop(Math.min(size, count), (a, b) => refs.compare(refOf(a), refOf(b)) < 0)
  let matches = 0
  const judge: Judge = {
    rankOf: (bm25, weight) => perBm25 * bm25 + perWeight * weight,
    get least() {
      return matches < countTo ? Number.NEGATIVE_INFINITY : top.floor()
    },
    take(document, rank) {
      if (!isWanted(document)) return false
      matches++
      if (rank >= top.floor()) top.offer(document, rank)
      return true
    },
  }
  return { judge, bestFirst: top.bestFirst, matches: () => Math.min(matches, countTo) }
}

export type Ranking = { ranked: RankedDocument[]; matches: number }

/** The best documents by their words, ties by ref, with the parts of the score of each; and how many there are. */
export const rankByWords = (index: WordIndex, query: ResolvedQuery, options: RankOptions): Ranking => {
  const { documents } = index
  const { required } = query
  const { accepts, also = [] } = options
  if (required === undefined) return { ranked: [], matches: 0 }
  const coverageMost = query.words.reduce((sum, word) => sum + word.count * word.idf, 0) || 1
  const lexicalMost = coverageMost * (K1 + 1)
  met = withRoom(met, documents.count)
  exclude(index, query.excluded)
  demand(index, required)
  const isWanted = (document: number) =>
    met[document] === required.length && !documents.isDead(document) && (accepts === undefined || accepts(document))
  const perBm25 = WORDS_ONLY.lexical / lexicalMost
  const perWeight = WORDS_ONLY.coverage / coverageMost
  const { judge, bestFirst, matches } = createJudge(index, options, perBm25, perWeight, isWanted)

  tally.open(documents.count)
  for (const document of also) tally.touch(document)
  const { rare, common } = sortWords(index, query.words)
  for (const { terms, count } of rare) addRareWord(index, terms, count)
  for (const word of common) touchHolders(index, word.rare)
  addToTouched(index, common)
  const { sums, touched, count } = tally
  for (let at = 0, { least } = judge; at < count; at++) {
    const document = touched[at]!
    const rank = judge.rankOf(sums[document * 2]!, sums[document * 2 + 1]!)
    if (rank >= least && judge.take(document, rank)) least = judge.least
  }
  if (common.length > 0) judgeOthers(index, common, judge)

  const chosen = bestFirst()
  const others = also.filter((document) => !chosen.includes(document) && met[document] === required.length)
  const ranked = [...chosen, ...others].map((document) => {
    const coverage = Math.min(1, sums[document * 2 + 1]! / coverageMost)
    const bm25 = coverage > 0 ? sums[document * 2]! : 0
    const strength = strengthOf(bm25, lexicalMost, index.size)
    return { document, bm25, strength, lexical: bm25 / lexicalMost, coverage }
  })
  tally.close(documents.count)
  forget(index, query)
  return { ranked, matches: matches() }
}
