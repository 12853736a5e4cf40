import { crc32 } from 'node:zlib'
import { createDocuments, type Documents } from '../index/documents.js'
import { createPostings, type Postings } from '../index/postings.js'
import { NONE, type StringTable } from '../index/string-table.js'
import { createVocabulary } from '../index/vocabulary.js'
import { createWordIndex, type WordIndex } from '../index/word-index.js'
import { ANALYZER_VERSION } from '../text/analyzer.js'
import type { TimeSliced } from '../time-slicing.js'
import { type ByteReader, type ByteWriter, createByteReader, createByteWriter } from './bytes.js'

/** A snapshot of another version is built anew from the documents. */
const SNAPSHOT_VERSION = 5_000 + ANALYZER_VERSION

const CHECKSUM_BYTES = 4
const POSTINGS_PER_SLICE = 50_000

// Old number → number in the snapshot, where deleted ones have none.
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

// Document numbers as differences, which are small; one bit beside each says whether the frequency is 1, as most are.
function* writeLists(
  writer: ByteWriter,
  postings: Postings,
  terms: readonly number[],
  documents: Uint32Array,
): TimeSliced<void> {
  let written = 0
  for (const term of terms) {
    const count = liveCount(postings, term, documents)
    writer.number(count)
    written += count + 1
    if (written > POSTINGS_PER_SLICE) {
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

function* readLists(reader: ByteReader, terms: number): TimeSliced<Postings> {
  const postings = createPostings()
  let read = 0
  for (let term = 0; term < terms; term++) {
    const count = reader.number()
    read += count + 1
    if (read > POSTINGS_PER_SLICE) {
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

/** Writes the names of the documents, and which document has which name. */
const writeNames = (writer: ByteWriter, { names, nameOf }: Documents, heads: readonly number[]) => {
  const used = [...new Set(heads.map(nameOf))].filter((name) => name !== NONE)
  const numbers = new Map(used.map((name, number) => [name, number]))
  writer.strings(names, used)
  if (used.length > 0) for (const head of heads) writer.number(numbers.get(nameOf(head)) ?? used.length)
}

const readNames = (reader: ByteReader, count: number): { names: StringTable; nameOf: Uint32Array } => {
  const names = reader.strings()
  const numbers = names.count === 0 ? new Uint32Array(0) : reader.numbers(count)
  return { names, nameOf: numbers.map((name) => (name === names.count ? NONE : name)) }
}

/** Of each document that was replaced, its number and the ref of what replaced it, which need not be there. */
const writeSuccessors = (writer: ByteWriter, documents: Documents, heads: readonly number[]) => {
  const replaced = heads.flatMap((head, at) => {
    const successor = documents.successorOf(head)
    return successor === undefined ? [] : [{ at, successor }]
  })
  const successors = [...new Set(replaced.map(({ successor }) => successor))]
  const numbers = new Map(successors.map((successor, number) => [successor, number]))
  writer.strings(documents.refs, successors)
  writer.number(replaced.length)
  for (const { at, successor } of replaced) {
    writer.number(at)
    writer.number(numbers.get(successor)!)
  }
}

const readSuccessors = (reader: ByteReader): Map<number, string> => {
  const successors = reader.strings()
  const count = reader.number()
  return new Map(Array.from({ length: count }, () => [reader.number(), successors.text(reader.number())]))
}

export function* encodeIndex(index: WordIndex): TimeSliced<Uint8Array> {
  const { documents, vocabulary, postings, facets, facetPostings } = index
  const writer = createByteWriter()
  writer.number(SNAPSHOT_VERSION)

  const kept = renumber(documents.count, (document) => !documents.isDeleted(document))
  const heads = kept.live.filter((document) => documents.headOf(document) === document)
  writer.strings(documents.refs, heads.map(documents.refOf))
  writeNames(writer, documents, heads)
  writer.number(kept.live.length)
  for (const head of heads) writer.number(documents.passagesOf(head).length)
  const scopes = renumber(documents.scopes.count, () => true)
  writer.strings(documents.scopes, scopes.live)
  for (const document of kept.live) writer.number(documents.lengthOf(document))
  for (const document of kept.live) writer.number(documents.scopeOf(document))
  writer.number(documents.hasDates ? 1 : 0)
  if (documents.hasDates) {
    writer.floats(Float64Array.from(kept.live, documents.dueOf))
    writer.floats(Float64Array.from(kept.live, documents.updatedOf))
  }

  writeSuccessors(writer, documents, heads)

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
export function* decodeIndex(bytes: Uint8Array): TimeSliced<WordIndex | undefined> {
  const body = bytes.subarray(0, bytes.length - CHECKSUM_BYTES)
  const checksum = new DataView(bytes.buffer, bytes.byteOffset + body.length).getUint32(0)
  if (crc32(body) !== checksum) throw new Error('The search snapshot is damaged')
  const reader = createByteReader(body)
  if (reader.number() !== SNAPSHOT_VERSION) return undefined

  const refs = reader.strings()
  const named = readNames(reader, refs.count)
  const count = reader.number()
  const refOf = new Uint32Array(count)
  for (let ref = 0, document = 0; ref < refs.count; ref++) {
    const end = document + reader.number()
    refOf.fill(ref, document, end)
    document = end
  }
  const scopes = reader.strings()
  const lengths = reader.numbers(count)
  const scopeOf = reader.numbers(count)
  const dated = reader.number() === 1 ? count : 0
  const documents = createDocuments({
    refs,
    ...named,
    refOf,
    scopes,
    lengths,
    scopeOf,
    due: reader.floats(dated),
    updated: reader.floats(dated),
    successors: readSuccessors(reader),
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

/** The same index without what deleted documents left behind. */
export function* compactIndex(index: WordIndex): TimeSliced<WordIndex> {
  return (yield* decodeIndex(yield* encodeIndex(index)))!
}
