import { analyze } from './analyzer.js'
import { type Column, createColumn, isCommon } from './column.js'
import { createDocuments, type Documents } from './documents.js'
import { withRoom } from './growable.js'
import { createPostings, MAX_DOCUMENTS, MAX_FREQUENCY, type Postings } from './postings.js'
import { createStringTable, NONE, type StringTable } from './string-table.js'
import { createVocabulary, type Vocabulary } from './vocabulary.js'

export const TITLE_WEIGHT = 2

export type IndexedRecord = {
  ref: string
  /** The project's id; '' for what belongs to the whole tenant. */
  scope: string
  title: string
  body: string
  /** Exact values to filter by, such as `status:todo`. */
  facets?: readonly string[]
  /** Milliseconds; NaN where there is none. */
  dates?: { due: number; updated: number }
}

export type IndexParts = {
  vocabulary: Vocabulary
  postings: Postings
  documents: Documents
  facets: StringTable
  facetPostings: Postings
}

export type WordIndex = ReturnType<typeof createWordIndex>

const MAX_COLUMNS = 128

// Zero between two records, so that all indexes of a thread share it.
let frequencies = new Uint32Array(1024)

/** The words of one tenant's records of one kind, in memory. The records are the truth; this can be built again. */
export const createWordIndex = (stored?: IndexParts) => {
  const parts: IndexParts = stored ?? {
    vocabulary: createVocabulary(),
    postings: createPostings(),
    documents: createDocuments(),
    facets: createStringTable(),
    facetPostings: createPostings(),
  }
  const { vocabulary, postings, documents, facets, facetPostings } = parts
  let removals = 0
  let changes = 0
  let cleanAt = new Uint32Array(0)
  let touched: number[] = []
  let length = 0
  // Of the common terms that were searched for, the latest last.
  const columns = new Map<number, Column>()

  const count = (text: string, weight: number) =>
    analyze(text, (word, isForm) => {
      const term = vocabulary.intern(word)
      if (term >= frequencies.length) frequencies = withRoom(frequencies, term + 1)
      if (frequencies[term] === 0) touched.push(term)
      frequencies[term]! += weight
      if (!isForm) length += weight
    })

  const remove = (ref: string) => {
    const document = documents.remove(ref)
    if (document === NONE) return false
    removals++
    for (const column of columns.values()) column.remove(document)
    return true
  }

  const purge = (term: number) => {
    if (removals === 0) return
    cleanAt = withRoom(cleanAt, postings.termCount)
    if (cleanAt[term] === removals) return
    postings.purge(term, documents.isDead)
    cleanAt[term] = removals
  }

  const rememberColumn = (term: number, column: Column) => {
    columns.delete(term)
    columns.set(term, column)
    if (columns.size > MAX_COLUMNS) columns.delete(columns.keys().next().value!)
    return column
  }

  return {
    ...parts,
    remove,

    upsert(record: IndexedRecord) {
      remove(record.ref)
      changes++
      if (documents.count >= MAX_DOCUMENTS) throw new Error(`An index holds ${MAX_DOCUMENTS} documents at most`)
      touched = []
      length = 0
      count(record.title, TITLE_WEIGHT)
      count(record.body, 1)
      const document = documents.add(record.ref, record.scope, length, record.dates)
      while (postings.termCount < vocabulary.termCount) postings.addTerm()
      for (const term of touched) {
        const frequency = Math.min(MAX_FREQUENCY, frequencies[term]!)
        postings.append(term, ((document << 8) | frequency) >>> 0)
        columns.get(term)?.add(document, frequency)
        frequencies[term] = 0
      }
      for (const facet of record.facets ?? []) {
        const id = facets.intern(facet)
        if (id >= facetPostings.termCount) facetPostings.addTerm()
        facetPostings.append(id, ((document << 8) | 1) >>> 0)
      }
    },

    removeScope(scope: string) {
      const removed = documents.removeScope(scope)
      removals += removed
      if (removed > 0) columns.clear()
      return removed
    },

    has: (ref: string) => documents.find(ref) !== NONE,

    /** How many documents hold the term, exactly: what the dead left in its list is dropped first. */
    documentFrequency(term: number): number {
      const column = columns.get(term)
      if (column) return column.holders
      purge(term)
      return postings.count(term)
    },

    /** Where the term is common. A list may hold dead documents that its column has forgotten. */
    columnOf(term: number): Column | undefined {
      if (isCommon(this.documentFrequency(term), documents.liveCount)) {
        return rememberColumn(term, columns.get(term) ?? createColumn(documents, postings, term))
      }
      columns.delete(term)
      purge(term)
      return undefined
    },

    get size() {
      return documents.liveCount
    },
    /** Another number after each change. */
    get state() {
      return changes + removals
    },
    get deadCount() {
      return documents.count - documents.liveCount
    },
    get memoryBytes() {
      const tables = [vocabulary, postings, documents, facets, facetPostings]
      return [...tables, ...columns.values()].reduce((sum, table) => sum + table.memoryBytes, cleanAt.byteLength)
    },
  }
}
