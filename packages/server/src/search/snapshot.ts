import { crc32 } from 'node:zlib'
import { ANALYZER_VERSION } from './analyzer.js'
import { type ByteReader, type ByteWriter, createByteReader, createByteWriter } from './bytes.js'
import { createDocuments } from './documents.js'
import { createPostings, type Postings } from './postings.js'
import type { Steps } from './steps.js'
import { NONE } from './string-table.js'
import { createVocabulary } from './vocabulary.js'
import { createWordIndex, type WordIndex } from './word-index.js'

/** A snapshot of another version is built anew from the records. */
export const SNAPSHOT_VERSION = 2_000 + ANALYZER_VERSION

const CHECKSUM_BYTES = 4
const STEP_POSTINGS = 50_000

// Old number → number in the snapshot, where the dead have none.
const renumber = (count: number, isLive: (old: number) => boolean) => {
  const numbers = new Uint32Array(count).fill(NONE)
  const live: number[] = []
  for (let old = 0; old < count; old++) {
    if (isLive(old)) numbers[old] = live.push(old) - 1
  }
  return { numbers, live }
}

const liveCount = (postings: Postings, term: number, documents: Uint32Array): number => {
  let count = 0
  postings.visit(term, (cells, start, end) => {
    for (let at = start; at < end; at++) if (documents[cells[at]! >>> 8] !== NONE) count++
  })
  return count
}

// Document numbers as steps, which are small; one bit beside each says whether the frequency is 1, as most are.
function* writeLists(
  writer: ByteWriter,
  postings: Postings,
  terms: readonly number[],
  documents: Uint32Array,
): Steps<void> {
  let written = 0
  for (const term of terms) {
    const count = liveCount(postings, term, documents)
    writer.number(count)
    written += count + 1
    if (written > STEP_POSTINGS) {
      written = 0
      yield
    }
    let last = 0
    postings.visit(term, (cells, start, end) => {
      for (let at = start; at < end; at++) {
        const document = documents[cells[at]! >>> 8]!
        if (document === NONE) continue
        const frequency = cells[at]! & 0xff
        writer.number(((document - last) << 1) | (frequency === 1 ? 0 : 1))
        if (frequency !== 1) writer.number(frequency)
        last = document
      }
    })
  }
}

function* readLists(reader: ByteReader, terms: number): Steps<Postings> {
  const postings = createPostings()
  let read = 0
  for (let term = 0; term < terms; term++) {
    const count = reader.number()
    read += count + 1
    if (read > STEP_POSTINGS) {
      read = 0
      yield
    }
    postings.addTerm()
    postings.reserve(term, count)
    let document = 0
    for (let at = 0; at < count; at++) {
      const step = reader.number()
      document += step >>> 1
      postings.append(term, ((document << 8) | (step & 1 ? reader.number() : 1)) >>> 0)
    }
  }
  return postings
}

export function* encodeIndex(index: WordIndex): Steps<Uint8Array> {
  const { documents, vocabulary, postings, facets, facetPostings } = index
  const writer = createByteWriter()
  writer.number(SNAPSHOT_VERSION)

  const kept = renumber(documents.count, (document) => !documents.isDead(document))
  writer.strings(documents.refs, kept.live.map(documents.refOf))
  const scopes = renumber(documents.scopes.count, () => true)
  writer.strings(documents.scopes, scopes.live)
  for (const document of kept.live) writer.number(documents.lengthOf(document))
  for (const document of kept.live) writer.number(documents.scopeOf(document))
  writer.number(documents.hasDates ? 1 : 0)
  if (documents.hasDates) {
    writer.floats(Float64Array.from(kept.live, documents.dueOf))
    writer.floats(Float64Array.from(kept.live, documents.updatedOf))
  }

  const terms = renumber(postings.termCount, (term) => index.documentFrequency(term) > 0)
  const termOf = (word: number) => terms.numbers[vocabulary.termOfWord(word)]!
  const words = renumber(vocabulary.words.count, (word) => termOf(word) !== NONE)
  writer.strings(vocabulary.words, words.live)
  for (const word of words.live) writer.number(termOf(word))
  writer.number(terms.live.length)
  yield
  yield* writeLists(writer, postings, terms.live, kept.numbers)

  const usedFacets = renumber(facets.count, (facet) => liveCount(facetPostings, facet, kept.numbers) > 0).live
  writer.strings(facets, usedFacets)
  yield* writeLists(writer, facetPostings, usedFacets, kept.numbers)

  const body = writer.finish()
  const checksum = new Uint8Array(CHECKSUM_BYTES)
  new DataView(checksum.buffer).setUint32(0, crc32(body))
  writer.block(checksum)
  return writer.finish()
}

/** Throws where the bytes are damaged; undefined where they are of another version. */
export function* decodeIndex(bytes: Uint8Array): Steps<WordIndex | undefined> {
  const body = bytes.subarray(0, bytes.length - CHECKSUM_BYTES)
  const checksum = new DataView(bytes.buffer, bytes.byteOffset + body.length).getUint32(0)
  if (crc32(body) !== checksum) throw new Error('The search snapshot is damaged')
  const reader = createByteReader(body)
  if (reader.number() !== SNAPSHOT_VERSION) return undefined

  const refs = reader.strings()
  const scopes = reader.strings()
  const lengths = reader.numbers(refs.count)
  const scopeOf = reader.numbers(refs.count)
  const dated = reader.number() === 1 ? refs.count : 0
  const documents = createDocuments({
    refs,
    scopes,
    lengths,
    scopeOf,
    due: reader.floats(dated),
    updated: reader.floats(dated),
  })

  const words = reader.strings()
  const terms = reader.numbers(words.count)
  const termCount = reader.number()
  const vocabulary = createVocabulary({ words, terms, termCount })
  yield
  const postings = yield* readLists(reader, termCount)
  const facets = reader.strings()
  const facetPostings = yield* readLists(reader, facets.count)
  return createWordIndex({ vocabulary, postings, documents, facets, facetPostings })
}

/** The same index without what the dead left behind. */
export function* compactIndex(index: WordIndex): Steps<WordIndex> {
  return (yield* decodeIndex(yield* encodeIndex(index)))!
}
