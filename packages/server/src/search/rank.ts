import type { Accepts } from './filter.js'
import { withRoom } from './growable.js'
import type { ResolvedQuery, ResolvedWord } from './resolve.js'
import { B, K1, strengthOf, WORDS_ONLY, type WordParts } from './score.js'
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

// Scratch shared by all searches of a thread, all zero between two of them. sums[2d] is document d's BM25 so far,
// sums[2d + 1] the weight of the words it holds: side by side, for they are always touched together.
let sums = new Float32Array(0)
let best = new Float32Array(0)
let touched = new Uint32Array(0)
let met = new Uint8Array(0)

type Gain = { most: number; weight: number; floor: number; slope: number; lengths: Uint32Array }

// The two loops that a search spends its time in: apart from their callers, so that the compiler sees them whole.
const addRun = (
  cells: Uint32Array,
  start: number,
  end: number,
  gain: Gain,
  count: number,
  isClosed: boolean,
): number => {
  const { most, weight, floor, slope, lengths } = gain
  const into = sums
  const list = touched
  let next = count
  for (let at = start; at < end; at++) {
    const posting = cells[at]!
    const document = posting >>> 8
    const frequency = posting & 0xff
    const cell = document * 2
    if (into[cell] === 0) {
      if (isClosed) continue
      list[next++] = document
    }
    into[cell]! += (most * frequency) / (frequency + floor + slope * lengths[document]!)
    into[cell + 1]! += weight
  }
  return next
}

const raiseRun = (cells: Uint32Array, start: number, end: number, gain: Gain, holders: number[]) => {
  const { most, weight, floor, slope, lengths } = gain
  const into = best
  for (let at = start; at < end; at++) {
    const document = cells[at]! >>> 8
    const frequency = cells[at]! & 0xff
    const cell = document * 2
    const value = (most * frequency) / (frequency + floor + slope * lengths[document]!)
    if (value <= into[cell]!) continue
    if (into[cell] === 0) holders.push(document)
    into[cell] = value
    into[cell + 1] = weight
  }
}

const moveBest = (holders: readonly number[], count: number, isClosed: boolean): number => {
  let next = count
  for (const document of holders) {
    const cell = document * 2
    const isNew = sums[cell] === 0
    if (isNew && !isClosed) touched[next++] = document
    if (!isNew || !isClosed) {
      sums[cell]! += best[cell]!
      sums[cell + 1]! += best[cell + 1]!
    }
    best[cell] = 0
    best[cell + 1] = 0
  }
  return next
}

/** `isClosed`: documents not touched before this word could not reach the top any more, and are passed over. */
const addWord = (index: WordIndex, word: ResolvedWord, touchedCount: number, isClosed: boolean): number => {
  const { lengths, totalLength } = index.documents
  const floor = K1 * (1 - B)
  const slope = (K1 * B * index.size) / Math.max(1, totalLength)
  let count = touchedCount
  const holders: number[] = []
  for (const { term, idf } of word.terms) {
    const gain = { most: idf * (K1 + 1) * word.count, weight: idf * word.count, floor, slope, lengths }
    index.postings.visit(term, (cells, start, end) => {
      if (word.terms.length === 1) count = addRun(cells, start, end, gain, count, isClosed)
      else raiseRun(cells, start, end, gain, holders)
    })
  }
  return moveBest(holders, count, isClosed)
}

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

const offerAll = (
  count: number,
  lexical: number,
  coverage: number,
  isWanted: (document: number) => boolean,
  top: ReturnType<typeof createTop>,
  countTo: number,
): number => {
  const from = sums
  const list = touched
  let floor = Number.NEGATIVE_INFINITY
  let matches = 0
  for (let at = 0; at < count; at++) {
    const document = list[at]!
    const rank = lexical * from[document * 2]! + coverage * from[document * 2 + 1]!
    if ((rank < floor && matches >= countTo) || !isWanted(document)) continue
    matches++
    if (rank < floor) continue
    top.offer(document, rank)
    floor = top.floor()
  }
  return Math.min(matches, countTo)
}

// A common word touches many documents for little: worth a look whether the rarer ones have settled the top already.
const COMMON_SHARE = 0.02
const COMMON_LEAST = 2_000

const isCommon = (index: WordIndex, word: ResolvedWord) => {
  const held = word.terms.reduce((sum, { term }) => sum + index.postings.count(term), 0)
  return held > Math.max(COMMON_LEAST, index.size * COMMON_SHARE)
}

const clear = (index: WordIndex, count: number, { required = [], excluded }: ResolvedQuery) => {
  if (count * 4 > index.documents.count) sums.fill(0, 0, index.documents.count * 2)
  else {
    for (let at = 0; at < count; at++) {
      sums[touched[at]! * 2] = 0
      sums[touched[at]! * 2 + 1] = 0
    }
  }
  for (const term of [...required.slice(0, 1), ...excluded]) {
    index.postings.visit(term, (cells, start, end) => {
      for (let at = start; at < end; at++) met[cells[at]! >>> 8] = 0
    })
  }
}

export type Ranking = { ranked: RankedDocument[]; matches: number }

/** The best documents by their words, ties by ref, with the parts of the score of each; and how many there are. */
export const rankByWords = (index: WordIndex, query: ResolvedQuery, options: RankOptions): Ranking => {
  const { documents } = index
  const { required } = query
  if (required === undefined) return { ranked: [], matches: 0 }
  sums = withRoom(sums, documents.count * 2)
  best = withRoom(best, documents.count * 2)
  touched = withRoom(touched, documents.count)
  met = withRoom(met, documents.count)

  const coverageMost = query.words.reduce((sum, word) => sum + word.count * word.idf, 0) || 1
  const lexicalMost = coverageMost * (K1 + 1)
  const accepts = options.accepts
  exclude(index, query.excluded)
  demand(index, required)
  const isWanted = (document: number) =>
    met[document] === required.length && (accepts === undefined || accepts(document))
  const isEarlier = (a: number, b: number) => documents.refs.compare(documents.refOf(a), documents.refOf(b)) < 0
  const bestSoFar = (count: number) => {
    const top = createTop(Math.min(options.top, documents.count), isEarlier)
    const perBm25 = WORDS_ONLY.lexical / lexicalMost
    const perWeight = WORDS_ONLY.coverage / coverageMost
    return { top, matches: offerAll(count, perBm25, perWeight, isWanted, top, options.countTo) }
  }

  let count = 0
  for (const document of options.also ?? []) {
    // Next to nothing, but touched: its words count even where the top is closed.
    if (sums[document * 2] === 0) touched[count++] = document
    sums[document * 2] = Number.EPSILON
  }
  const rarestFirst = query.words.toSorted((a, b) => b.idf - a.idf)
  let rest = coverageMost
  let isClosed = false
  let lookedAt = 0
  for (const word of rarestFirst) {
    const mostToCome = (rest / coverageMost) * (WORDS_ONLY.lexical + WORDS_ONLY.coverage)
    const isEnough = count >= Math.max(options.top, options.countTo, lookedAt * 2)
    if (!isClosed && isEnough && isCommon(index, word)) {
      const { top, matches } = bestSoFar(count)
      isClosed = matches >= options.countTo && top.floor() > mostToCome
      lookedAt = count
    }
    count = addWord(index, word, count, isClosed)
    rest -= word.count * word.idf
  }

  const { top, matches } = bestSoFar(count)
  const chosen = top.bestFirst()
  const others = options.also?.filter((document) => !chosen.includes(document) && met[document] === required.length)
  const ranked = [...chosen, ...(others ?? [])].map((document) => {
    const coverage = Math.min(1, sums[document * 2 + 1]! / coverageMost)
    const bm25 = coverage > 0 ? sums[document * 2]! : 0
    const strength = strengthOf(bm25, lexicalMost, index.size)
    return { document, bm25, strength, lexical: bm25 / lexicalMost, coverage }
  })
  clear(index, count, query)
  return { ranked, matches }
}
