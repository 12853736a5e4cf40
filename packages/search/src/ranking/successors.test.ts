import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { IndexFilter } from '../index/filter.js'
import { createWordIndex, type IndexedDocument, type WordIndex } from '../index/word-index.js'
import { createSignatureIndex } from '../semantic/signature-index.js'
import { createVectorCache } from '../semantic/vector-cache.js'
import { quantizeVector } from '../semantic/vectors.js'
import { compactIndex, decodeIndex, encodeIndex } from '../snapshot/index-snapshot.js'
import { parseQuery } from '../text/query.js'
import { runToEnd } from '../time-slicing.js'
import { searchDocuments } from './search-documents.js'
import { createScratchPool } from './search-scratch.js'

type Note = Partial<IndexedDocument> & { ref: string; body: string }

const indexOf = (notes: readonly Note[]): WordIndex => {
  const index = createWordIndex()
  for (const note of notes) index.upsert({ scope: '', title: '', ...note })
  return index
}

const stored = (index: WordIndex): WordIndex => runToEnd(decodeIndex(runToEnd(encodeIndex(index))))!

const current: IndexFilter = { followsSuccessors: true, withoutFacets: ['retracted'], notDueAt: 100 }

interface Options {
  filter?: IndexFilter
  top?: number
  vectors?: Record<string, readonly number[]>
  queryVector?: readonly number[]
}

const search = (
  words: WordIndex,
  text: string,
  { filter = current, top = 10, vectors = {}, queryVector }: Options = {},
) => {
  const signatures = createSignatureIndex()
  const vectorOf = (ref: string) => quantizeVector(Float32Array.from(vectors[ref] ?? []))
  for (const ref of Object.keys(vectors)) signatures.put(words.documents.refs.find(ref), vectorOf(ref), 1)
  return searchDocuments({
    collection: { words, signatures, vectors: createVectorCache() },
    queryVector: Promise.resolve(queryVector && { vector: Float32Array.from(queryVector), outOfVocabularyShare: 0 }),
    query: parseQuery(text),
    filter,
    exactNames: [text],
    top,
    from: 0,
    to: top,
    isExplained: false,
    scratch: createScratchPool(),
    isCancelled: () => false,
    readTexts: async (names) => new Map(names.map(({ ref }) => [ref, [bodies.get(ref) ?? '']])),
    readVectors: async (documents) =>
      documents.flatMap(({ document, ref }) =>
        vectors[ref] ? [{ document, windows: 1, vectors: new Uint8Array(vectorOf(ref).buffer) }] : [],
      ),
  })
}

/** A linear congruential generator: the same numbers every time. */
const randomOf = (seed: number) => {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 4_294_967_296
  }
}

const bodies = new Map<string, string>()
const found = async (...args: Parameters<typeof search>) =>
  (await search(...args)).hits.map(({ ref, foundBy }) => (foundBy === undefined ? ref : `${ref} by ${foundBy}`))

const chain: Note[] = [
  { ref: 'old', body: 'The port of the gateway is 8080', successor: 'newer' },
  { ref: 'newer', body: 'The gateway listens on 9090', successor: 'newest' },
  { ref: 'newest', body: 'Traffic enters through 7070' },
  { ref: 'other', body: 'The gateway of the harbour' },
]

test('the end of a chain is answered for what it replaced, once and with the better score', async () => {
  for (const index of [indexOf(chain), stored(indexOf(chain)), runToEnd(compactIndex(indexOf(chain)))]) {
    assert.deepEqual(await found(index, 'port of the gateway'), ['newest by old', 'other'])
    assert.deepEqual(await found(index, 'traffic'), ['newest'])
    assert.deepEqual(await found(index, 'old'), ['newest by old'])
    assert.deepEqual(await found(index, 'gateway', { filter: {} }), ['other', 'newer', 'old'])
    const joined = await search(index, 'port gateway')
    const asIs = await search(index, 'port gateway', { filter: {} })
    assert.ok(joined.hits[0]!.score >= asIs.hits[0]!.score)
  }
})

test('of equal texts the one that holds is the one that was found', async () => {
  const index = indexOf([
    { ref: 'a', body: 'same words', successor: 'b' },
    { ref: 'b', body: 'same words' },
  ])
  assert.deepEqual(await found(index, 'same words'), ['b'])
})

test('facets and dates are those of the answer, a prefix is that of the match', async () => {
  const index = indexOf([
    { ref: 'old/a', body: 'gateway port', successor: 'new/a', facets: ['tag:x'] },
    { ref: 'new/a', body: 'traffic', facets: ['tag:y'] },
    { ref: 'old/b', body: 'gateway wall', successor: 'new/b' },
    { ref: 'new/b', body: 'gateway', dates: { due: 100, updated: 1 } },
    { ref: 'old/c', body: 'gateway roof', successor: 'new/c' },
    { ref: 'new/c', body: 'roof', facets: ['retracted'] },
    { ref: 'old/d', body: 'gateway door', successor: 'new/d' },
    { ref: 'new/d', body: 'door', dates: { due: 101, updated: 1 } },
  ])
  const withFilter = (filter: IndexFilter) => found(index, 'gateway', { filter: { ...current, ...filter } })
  assert.deepEqual((await withFilter({})).sort(), ['new/a by old/a', 'new/d by old/d'])
  assert.deepEqual(await withFilter({ facets: [['tag:y']] }), ['new/a by old/a'])
  assert.deepEqual(await withFilter({ facets: [['tag:x']] }), [])
  assert.deepEqual(await withFilter({ namePrefix: 'new/' }), [])
  assert.deepEqual(await withFilter({ namePrefix: 'old/a' }), ['new/a by old/a'])
  assert.deepEqual(await withFilter({ exceptRef: 'new/a' }), ['new/d by old/d'])
  assert.deepEqual(await withFilter({ exceptRef: 'old/a' }), ['new/d by old/d'])
  assert.deepEqual(index.documents.nextDueAfter(100), 101)
  assert.deepEqual(stored(index).documents.nextDueAfter(99), 100)
})

test('documents without a date never end, whenever they came', async () => {
  const notes: Note[] = Array.from({ length: 200 }, (_, at) => ({
    ref: `note ${at}`,
    body: 'gateway',
    ...(at === 50 && { dates: { due: 1, updated: 1 } }),
  }))
  for (const index of [indexOf(notes), stored(indexOf(notes))]) {
    assert.equal((await search(index, 'gateway', { top: 300 })).hits.length, 199)
  }
})

test('a chain that changes is followed at once, and a missing end is told', async () => {
  const index = indexOf(chain)
  index.remove('newest')
  const { hits, isOutdated } = await search(index, 'gateway')
  assert.deepEqual([hits.map(({ ref }) => ref), isOutdated], [['other'], true])
  index.upsert({ ref: 'newer', scope: '', title: '', body: 'The gateway listens on 9090' })
  assert.deepEqual(await found(index, 'port gateway'), ['newer by old', 'other'])
  index.upsert({ ref: 'old', scope: '', title: '', body: 'The port of the gateway is 8080' })
  assert.deepEqual((await found(index, 'gateway')).sort(), ['newer', 'old', 'other'])
  assert.equal(index.documents.hasSuccessors, false)
  // Read while they change, links may lead in a circle.
  index.upsert({ ref: 'old', scope: '', title: '', body: 'gateway', successor: 'newer' })
  index.upsert({ ref: 'newer', scope: '', title: '', body: 'gateway', successor: 'old' })
  assert.equal((await search(index, 'gateway')).hits.length >= 1, true)
})

test('there are as many hits as are wanted, however many documents were replaced', async () => {
  const random = randomOf(7)
  const words = ['gateway', 'port', 'roof', 'wall', 'traffic', 'harbour', 'door']
  const word = () => words[Math.floor(random() * words.length)]!
  const notes: Note[] = []
  for (let fact = 0; fact < 40; fact++) {
    const length = fact === 0 ? 400 : 1 + Math.floor(random() * 10)
    for (let at = 0; at < length; at++) {
      const isLast = at === length - 1
      const body = Array.from({ length: 1 + Math.floor(random() * 30) }, word).join(' ')
      notes.push({ ref: `${fact}/${at}`, body, ...(!isLast && { successor: `${fact}/${length - 1}` }) })
      if (random() < 0.2) notes.at(-1)!.body += ' \n\n'.padEnd(4_000, `${word()} `)
    }
  }
  bodies.clear()
  for (const { ref, body } of notes) bodies.set(ref, body)
  const axis = (at: number) => Array.from({ length: 384 }, (_, of) => (of === at ? 1 : 0.1 * random()))
  const vectors = Object.fromEntries(notes.map(({ ref }) => [ref, axis(3)]))
  const index = indexOf(notes)
  for (const text of [...words, 'gateway port', 'gateway roof wall traffic', '"gateway"']) {
    const best = new Map<string, number>()
    for (const { ref, score } of (await search(index, text, { filter: {}, top: 2_000 })).hits) {
      const fact = ref.split('/')[0]!
      best.set(fact, Math.max(score, best.get(fact) ?? 0))
    }
    const wanted = Math.min(20, best.size)
    const factsOf = async (options: Options) => {
      const { hits } = await search(index, text, { top: 20, ...options })
      for (const { ref } of hits) assert.equal(notes.find((note) => note.ref === ref)!.successor, undefined)
      return hits.map(({ ref }) => ref.split('/')[0]!)
    }
    const facts = await factsOf({})
    assert.equal(new Set(facts).size, wanted, text)
    const byScore = [...best].sort((a, b) => b[1] - a[1]).slice(0, wanted)
    for (const fact of facts) assert.ok(best.get(fact)! >= byScore.at(-1)![1] - 1e-9, `${text} ${fact}`)
    assert.equal(new Set(await factsOf({ vectors, queryVector: axis(3) })).size, wanted, text)
  }
})
