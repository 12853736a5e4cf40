import { analyze } from '../text/analyzer.js'
import { passages } from '../text/passages.js'
import { createStopPhraseReader, titleTermOf } from '../text/stop-phrases.js'
import { createDocuments, type DocumentExtras, type Documents } from './documents.js'
import { createFrequencyColumn, type FrequencyColumn, isCommon } from './frequency-column.js'
import { withRoom } from './growable.js'
import { createPostings, MAX_DOCUMENTS, MAX_FREQUENCY, type Postings } from './postings.js'
import { createStringTable, NONE, type StringTable } from './string-table.js'
import { createVocabulary, type Vocabulary } from './vocabulary.js'

const TITLE_WEIGHT = 2

export interface IndexedDocument extends DocumentExtras {
  ref: string
  /** What documents are filtered and removed together by, such as a project. */
  scope: string
  title: string
  body: string
  /** Exact values to filter by, such as `status:todo`. */
  facets?: readonly string[]
}

interface IndexParts {
  vocabulary: Vocabulary
  postings: Postings
  documents: Documents
  facets: StringTable
  facetPostings: Postings
}

export type WordIndex = ReturnType<typeof createWordIndex>

const MAX_COLUMNS = 128

/** An inverted index in memory. The documents are the truth; this can be built again. */
export const createWordIndex = (stored?: IndexParts, maxPassages = MAX_DOCUMENTS) => {
  const parts: IndexParts = stored ?? {
    vocabulary: createVocabulary(),
    postings: createPostings(),
    documents: createDocuments(),
    facets: createStringTable(),
    facetPostings: createPostings(),
  }
  const { vocabulary, postings, documents, facets, facetPostings } = parts
  // Of the terms of the document being added; zero between two documents.
  let frequencies = new Uint32Array(64)
  let removals = 0
  let changes = 0
  let isFull = false
  let cleanAt = new Uint32Array(0)
  let touched: number[] = []
  let length = 0
  // Of the common terms that were searched for, the latest last.
  const columns = new Map<number, FrequencyColumn>()

  const countTerm = (word: string, weight: number) => {
    const term = vocabulary.intern(word)
    if (term >= frequencies.length) frequencies = withRoom(frequencies, term + 1)
    if (frequencies[term] === 0) touched.push(term)
    frequencies[term]! += weight
  }

  const stopPhrases = createStopPhraseReader((term) => countTerm(term, 1))

  const countTerms = (text: string, weight: number, onStopWord = stopPhrases.add) => {
    stopPhrases.interrupt()
    analyze(
      text,
      (word, isVariant) => {
        countTerm(word, weight)
        if (isVariant) return
        length += weight
        stopPhrases.interrupt()
      },
      onStopWord,
    )
  }

  const addStopWordOfTitle = (word: string) => {
    stopPhrases.add(word)
    countTerm(titleTermOf(word), 1)
  }

  const remove = (ref: string) => {
    const removed = documents.remove(ref)
    removals += removed.length
    for (const column of columns.values()) for (const document of removed) column.remove(document)
    return removed.length > 0
  }

  const addPassage = (document: IndexedDocument, passage: string) => {
    const { ref, scope, title, facets: values = [] } = document
    touched = []
    length = 0
    countTerms(title, TITLE_WEIGHT, addStopWordOfTitle)
    countTerms(passage, 1)
    const number = documents.add(ref, scope, length, document)
    while (postings.termCount < vocabulary.termCount) postings.addTerm()
    for (const term of touched) {
      const frequency = Math.min(MAX_FREQUENCY, frequencies[term]!)
      postings.append(term, ((number << 8) | frequency) >>> 0)
      columns.get(term)?.add(number, frequency)
      frequencies[term] = 0
    }
    for (const facet of values) {
      const id = facets.intern(facet)
      if (id >= facetPostings.termCount) facetPostings.addTerm()
      facetPostings.append(id, ((number << 8) | 1) >>> 0)
    }
  }

  const purge = (term: number) => {
    if (removals === 0) return
    cleanAt = withRoom(cleanAt, postings.termCount)
    if (cleanAt[term] === removals) return
    postings.purge(term, documents.isDeleted)
    cleanAt[term] = removals
  }

  const keepColumn = (term: number, column: FrequencyColumn) => {
    columns.delete(term)
    columns.set(term, column)
    if (columns.size > MAX_COLUMNS) columns.delete(columns.keys().next().value!)
    return column
  }

  return {
    ...parts,
    remove,

    upsert(document: IndexedDocument) {
      remove(document.ref)
      changes++
      const parts = passages(document.body)
      isFull ||= documents.count + parts.length > maxPassages
      if (!isFull) for (const passage of parts) addPassage(document, passage)
    },

    removeScope(scope: string) {
      const removed = documents.removeScope(scope)
      removals += removed
      if (removed > 0) columns.clear()
      return removed
    },

    has: (ref: string) => documents.find(ref) !== NONE,

    /** How many documents or passages hold the term, exactly: postings of deleted ones are dropped first. */
    documentFrequency(term: number): number {
      const column = columns.get(term)
      if (column) return column.documentFrequency
      purge(term)
      return postings.count(term)
    },

    /** Where the term is common. Its postings may hold deleted documents that the column has dropped. */
    columnOf(term: number): FrequencyColumn | undefined {
      if (isCommon(this.documentFrequency(term), documents.liveCount)) {
        return keepColumn(term, columns.get(term) ?? createFrequencyColumn(documents, postings, term))
      }
      columns.delete(term)
      purge(term)
      return undefined
    },

    /** Of documents; a long one counts as often as it has passages. */
    get size() {
      return documents.liveCount
    },
    /** Whether documents are missing because they did not fit. Compaction drops deleted passages from the index. */
    get isFull() {
      return isFull
    },
    /** Another number after each change. */
    get generation() {
      return changes + removals
    },
    get deletedCount() {
      return documents.count - documents.liveCount
    },
    get memoryBytes() {
      const own = cleanAt.byteLength + frequencies.byteLength
      const tables = [vocabulary, postings, documents, facets, facetPostings]
      return [...tables, ...columns.values()].reduce((sum, table) => sum + table.memoryBytes, own)
    },
  }
}

/** Orders documents of equal score by name, comparing numbers by value: BOT-3 comes before BOT-12. */
export const compareNames = ({ documents: { compareNames, refOf } }: WordIndex, a: number, b: number): number =>
  compareNames(refOf(a), refOf(b))
