import type { Accepts } from './filter.js'
import { withRoom } from './growable.js'
import type { ResolvedQuery, ResolvedWord } from './resolve.js'
import { B, K1, type WordParts, WORDS_ONLY } from './score.js'
import { createTop } from './top.js'
import type { WordIndex } from './word-index.js'

export type RankedDocument = WordParts & { document: number }

export type RankOptions = {
  top: number
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

const addWord = (index: WordIndex, word: ResolvedWord, touchedCount: number): number => {
  const { lengths, totalLength } = index.documents
  const floor = K1 * (1 - B)
  const slope = (K1 * B * index.size) / Math.max(1, totalLength)
  const only = word.terms.length === 1
  let count = touchedCount
  let holders = 0
  const held: number[] = []
  for (const { term, idf } of word.terms) {
    const most = idf * (K1 + 1) * word.count
    const weight = idf * word.count
    index.postings.visit(term, (cells, start, end) => {
      for (let at = start; at < end; at++) {
        const document = cells[at]! >>> 8
        const frequency = cells[at]! & 0xff
        const gain = (most * frequency) / (frequency + floor + slope * lengths[document]!)
        const cell = document * 2
        if (only) {
          if (sums[cell] === 0) touched[count++] = document
          sums[cell]! += gain
          sums[cell + 1]! += weight
        } else if (gain > best[cell]!) {
          if (best[cell] === 0) held[holders++] = document
          best[cell] = gain
          best[cell + 1] = weight
        }
      }
    })
  }
  for (const document of held) {
    const cell = document * 2
    if (sums[cell] === 0) touched[count++] = document
    sums[cell]! += best[cell]!
    sums[cell + 1]! += best[cell + 1]!
    best[cell] = 0
    best[cell + 1] = 0
  }
  return count
}

const exclude = (index: WordIndex, terms: readonly number[]) => {
  for (const term of terms) {
    index.postings.visit(term, (cells, start, end) => {
      for (let at = start; at < end; at++) {
        const cell = (cells[at]! >>> 8) * 2
        if (sums[cell] !== 0) sums[cell] = Number.NEGATIVE_INFINITY
      }
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

/** The best documents by their words, ties by ref; and the parts of the score of each. */
export const rankByWords = (index: WordIndex, query: ResolvedQuery, options: RankOptions): RankedDocument[] => {
  const { documents } = index
  if (query.required === undefined) return []
  const required = query.required
  sums = withRoom(sums, documents.count * 2)
  best = withRoom(best, documents.count * 2)
  touched = withRoom(touched, documents.count)
  met = withRoom(met, documents.count)

  const coverageMost = query.words.reduce((sum, word) => sum + word.count * word.idf, 0) || 1
  const lexicalMost = coverageMost * (K1 + 1)
  let count = 0
  for (const word of query.words) count = addWord(index, word, count)
  exclude(index, query.excluded)
  demand(index, required)

  const accepts = options.accepts
  const isWanted = (document: number) =>
    sums[document * 2]! > 0 && met[document] === required.length && (accepts === undefined || accepts(document))
  const rankOf = (document: number) =>
    (WORDS_ONLY.lexical * sums[document * 2]!) / lexicalMost +
    (WORDS_ONLY.coverage * sums[document * 2 + 1]!) / coverageMost
  const isBetter = (a: number, b: number) => {
    const difference = rankOf(a) - rankOf(b)
    return difference > 0 || (difference === 0 && documents.refs.compare(documents.refOf(a), documents.refOf(b)) < 0)
  }

  const top = createTop(options.top, isBetter)
  for (let at = 0; at < count; at++) {
    const document = touched[at]!
    const worst = top.worst
    if (worst !== undefined && !isBetter(document, worst)) continue
    if (isWanted(document)) top.offer(document)
  }
  const chosen = top.bestFirst()
  const others = options.also?.filter((document) => !chosen.includes(document) && met[document] === required.length)
  const ranked = [...chosen, ...(others ?? [])].map((document) => {
    const bm25 = sums[document * 2]!
    return { document, bm25, lexical: bm25 / lexicalMost, coverage: sums[document * 2 + 1]! / coverageMost }
  })

  for (let at = 0; at < count; at++) {
    sums[touched[at]! * 2] = 0
    sums[touched[at]! * 2 + 1] = 0
  }
  if (required.length > 0) clearMet(index, required[0]!)
  return ranked
}

const clearMet = (index: WordIndex, term: number) =>
  index.postings.visit(term, (cells, start, end) => {
    for (let at = start; at < end; at++) met[cells[at]! >>> 8] = 0
  })
