import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Accepts } from '../index/filter.js'
import { createWordIndex, type WordIndex } from '../index/word-index.js'
import { parseQuery } from '../text/query.js'
import { B, K1 } from './bm25.js'
import { rankByWords } from './rank.js'
import { resolveQuery } from './resolve-query.js'
import { EVIDENCE_WEIGHTS, evidenceOf, strengthScale } from './score.js'
import { createSearchScratch } from './search-scratch.js'

// One for all, as searches of one thread share it: what one leaves behind shows in the next.
const scratch = createSearchScratch()

const randomOf = (seed: number) => {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

const words = 'server servers serverless page error user cache queue report index'.split(' ')

// The first words often and the last seldom.
const textOf = (random: () => number) =>
  Array.from(
    { length: 1 + Math.floor(random() * 25) },
    () => words[Math.floor(words.length ** random()) - 1] ?? 'page',
  ).join(' ')

const put = (index: WordIndex, at: number, random: () => number) =>
  index.upsert({
    ref: `r${at}`,
    scope: '',
    title: '',
    body: random() < 0.01 ? `zeppelin ${textOf(random)}` : textOf(random),
  })

const frequenciesOf = (index: WordIndex, term: number): Map<number, number> => {
  const frequencies = new Map<number, number>()
  index.postings.visit(term, (cells, start, end) => {
    for (let at = start; at < end; at++) frequencies.set(cells[at]! >>> 8, cells[at]! & 0xff)
  })
  return frequencies
}

/** Every document's rank straight from the formula, in one go. */
const plainRanks = (index: WordIndex, text: string, accepts: Accepts): Map<number, number> => {
  const query = resolveQuery(index, parseQuery(text))
  const { documents } = index
  const meanLength = documents.totalLength / documents.liveCount
  const held = query.words.map(({ terms }) =>
    terms.map(({ term, idf }) => ({ idf, frequencies: frequenciesOf(index, term) })),
  )
  const coverageMost = query.words.reduce((sum, { idf, count }) => sum + idf * count, 0)
  const ranks = new Map<number, number>()
  for (let document = 0; document < documents.count; document++) {
    if (documents.isDeleted(document) || !accepts(document)) continue
    let bm25 = 0
    let coverage = 0
    for (const [at, { count }] of query.words.entries()) {
      const values = held[at]!.map(({ idf, frequencies }) => {
        const frequency = frequencies.get(document) ?? 0
        const length = 1 - B + B * Math.min(3, documents.lengthOf(document) / meanLength)
        return { value: (count * idf * frequency * (K1 + 1)) / (frequency + K1 * length), weight: count * idf }
      })
      const best = values.toSorted((a, b) => b.value - a.value)[0]
      if (!best || best.value === 0) continue
      bm25 += best.value
      coverage += best.weight
    }
    if (bm25 === 0) continue
    const strength = bm25 / strengthScale(coverageMost * (K1 + 1), index.size)
    ranks.set(document, EVIDENCE_WEIGHTS.strength * strength + (EVIDENCE_WEIGHTS.coverage * coverage) / coverageMost)
  }
  return ranks
}

const queries = [
  'page.',
  'page error.',
  'servers user.',
  'page serv',
  'error page page user cache queue report index.',
  'zeppelin page.',
  'zeppelin server user error.',
  'index zepp',
  'paeg error.',
]

const near = (a: number, b: number) => Math.abs(a - b) < 1e-4

const agrees = (index: WordIndex, text: string, top: number, accepts: Accepts = () => true) => {
  const plain = plainRanks(index, text, accepts)
  const { ranked, matches } = rankByWords(
    index,
    resolveQuery(index, parseQuery(text)),
    { top, countTo: 300, accepts },
    scratch,
  )
  assert.equal(matches, Math.min(300, plain.size), text)
  const best = [...plain.values()].sort((a, b) => b - a).slice(0, top)
  const found = ranked.map(evidenceOf)
  assert.equal(found.length, best.length, text)
  for (const [at, rank] of found.entries()) {
    assert.ok(near(rank, best[at]!), `${text}: place ${at} has ${rank} for ${best[at]}`)
    assert.ok(near(rank, plain.get(ranked[at]!.document)!), `${text}: the rank of place ${at}`)
  }
}

test('the best by impact-ordered postings and columns are the best by the formula', () => {
  const random = randomOf(1)
  const index = createWordIndex()
  for (let at = 0; at < 12_000; at++) put(index, at, random)
  for (const text of queries) {
    agrees(index, text, 10)
    agrees(index, text, 100)
    agrees(index, text, 10, (document) => document % 4 === 0)
    agrees(index, text, 10, (document) => document % 997 === 0)
  }
})

test('what is added, changed and removed meanwhile counts at once', () => {
  const random = randomOf(2)
  const index = createWordIndex()
  for (let at = 0; at < 5_000; at++) put(index, at, random)
  for (let round = 0; round < 12; round++) {
    for (const text of queries) agrees(index, text, 10)
    for (let change = 0; change < 150; change++) put(index, Math.floor(random() * 6_000), random)
    for (let change = 0; change < 50; change++) index.remove(`r${Math.floor(random() * 6_000)}`)
  }
})

test('impacts of a time when length meant more hide no document of now', () => {
  const index = createWordIndex()
  const upsert = (ref: string, body: string) => index.upsert({ ref, scope: '', title: '', body })
  for (let at = 0; at < 15_000; at++) upsert(`r${at}`, at < 2_000 ? 'tide' : `tide tide tide ${'pad '.repeat(57)}`)
  for (let at = 0; at < 5_000; at++) upsert(`s${at}`, 'ebb')
  agrees(index, 'tide.', 5)
  // So few that the impact-ordered postings are kept.
  for (let at = 0; at < 300; at++) upsert(`long${at}`, 'pad '.repeat(20_000))
  agrees(index, 'tide.', 5)
})

test('a common word that has become rare is found by its list', () => {
  const index = createWordIndex()
  for (let at = 0; at < 3_000; at++) index.upsert({ ref: `r${at}`, scope: '', title: '', body: 'ebb and tide' })
  agrees(index, 'tide.', 5)
  for (let at = 0; at < 2_995; at++) index.upsert({ ref: `r${at}`, scope: '', title: '', body: 'ebb and flow' })
  agrees(index, 'tide.', 5)
  agrees(index, 'flow tide.', 20)
})

test('equal documents come in the order of their names, however they are found', () => {
  const index = createWordIndex()
  for (let at = 0; at < 20_000; at++) put(index, at, randomOf(at % 50))
  const refs = (top: number) =>
    rankByWords(index, resolveQuery(index, parseQuery('page error.')), { top, countTo: 0 }, scratch).ranked.map(
      ({ document }) => index.documents.refs.text(index.documents.refOf(document)),
    )
  assert.deepEqual(refs(30), refs(20_000).slice(0, 30))
})
