import { createChains } from './chains.js'
import { withRoom } from './growable.js'
import { createStringTable, NONE, type StringTable } from './string-table.js'

export type Documents = ReturnType<typeof createDocuments>

interface StoredDocuments {
  refs: StringTable
  names: StringTable
  /** Number of each ref's name; `NONE` if the ref has none. */
  nameOf: Uint32Array
  scopes: StringTable
  /** The ref of each document. The passages of a document are adjacent. */
  refOf: Uint32Array
  lengths: Uint32Array
  scopeOf: Uint32Array
  due: Float64Array
  updated: Float64Array
  /** The ref that replaces another, by the number of the latter. */
  successors: ReadonlyMap<number, string>
}

/** What of a document is rare. */
export interface DocumentExtras {
  /** Name for exact matches and for ordering documents of equal score; defaults to the ref. */
  name?: string
  /** Milliseconds; NaN if there is no date. */
  dates?: { due: number; updated: number }
  /** The ref of the document that replaces it. */
  successor?: string
}

/** A column of dates with room for `length` of them; NaN where there is none. */
const withDates = (column: Float64Array, length: number): Float64Array => {
  const grown = withRoom(column, length)
  return grown === column ? column : grown.fill(Number.NaN, column.length)
}

/**
 * What is known of each document beside its words. A document number is never used again; a change makes a new one. A
 * long text is several documents of one ref, its passages, and the first of them is their head.
 */
export const createDocuments = (stored?: StoredDocuments) => {
  const refs = stored?.refs ?? createStringTable()
  const names = stored?.names ?? createStringTable()
  let nameOf = stored?.nameOf ?? new Uint32Array(0)
  const scopes = stored?.scopes ?? createStringTable()
  let count = stored?.lengths.length ?? 0
  let liveCount = 0
  let hasPassages = count > refs.count
  const chains = createChains()
  let totalLength = 0
  const totals: { liveCount: number; length: number }[] = []
  let refOf = stored?.refOf ?? new Uint32Array(64)
  let documentOf = new Uint32Array(Math.max(64, refs.count))
  let lengths = stored?.lengths ?? new Uint32Array(64)
  let scopeOf = stored?.scopeOf ?? new Uint32Array(64)
  let due = stored?.due ?? new Float64Array(0)
  let updated = stored?.updated ?? new Float64Array(0)

  const addToTotals = (document: number, sign: 1 | -1) => {
    const length = sign * lengths[document]!
    totals[scopeOf[document]!] ??= { liveCount: 0, length: 0 }
    const ofScope = totals[scopeOf[document]!]!
    ofScope.liveCount += sign
    ofScope.length += length
    liveCount += sign
    totalLength += length
  }

  for (let document = count - 1; document >= 0; document--) {
    documentOf[refOf[document]!] = document
    addToTotals(document, 1)
  }

  const link = (ref: number, successor: string) => {
    const known = refs.count
    const id = refs.intern(successor)
    documentOf = withRoom(documentOf, refs.count)
    if (id === known) documentOf[id] = NONE
    chains.link(ref, id)
  }
  for (const [ref, successor] of stored?.successors ?? []) link(ref, successor)

  const setName = (ref: number, name: string) => {
    const from = nameOf.length
    nameOf = withRoom(nameOf, refs.count)
    nameOf.fill(NONE, from)
    nameOf[ref] = names.intern(name)
  }

  /** Orders refs by name, comparing numbers by value. Refs with the same name are ordered by ref. */
  const compareNames = (a: number, b: number): number => {
    if (names.count === 0) return refs.compareNaturally(a, b)
    const [nameA, nameB] = [nameOf[a] ?? NONE, nameOf[b] ?? NONE]
    if (nameA === NONE || nameB === NONE) return refs.compareNaturally(a, b)
    return names.compareNaturally(nameA, nameB) || refs.compare(a, b)
  }

  const removeDocument = (document: number) => {
    documentOf[refOf[document]!] = NONE
    chains.unlink(refOf[document]!)
    refOf[document] = NONE
    addToTotals(document, -1)
  }

  const headOf = (document: number): number => {
    const ref = refOf[document]!
    return ref === NONE ? document : documentOf[ref]!
  }

  /** A document and the passages that follow it. */
  const passagesOf = (head: number): number[] => {
    const ref = refOf[head]!
    const found: number[] = []
    for (let document = head; document < count && refOf[document] === ref; document++) found.push(document)
    return found
  }

  return {
    refs,
    names,
    scopes,
    compareNames,
    /** Number of a document's name; `NONE` if it has none. */
    nameOf: (document: number): number => nameOf[refOf[document]!] ?? NONE,
    /** Name of a document, or its ref if it has no name. */
    nameText: (document: number): string => {
      const name = nameOf[refOf[document]!] ?? NONE
      return name === NONE ? refs.text(refOf[document]!) : names.text(name)
    },
    nameStartsWith: (document: number, prefix: Uint8Array): boolean => {
      const name = nameOf[refOf[document]!] ?? NONE
      return name === NONE ? refs.startsWith(refOf[document]!, prefix) : names.startsWith(name, prefix)
    },
    /** Returns the documents with this name. Documents of different scopes can share a name. */
    named: (text: string): number[] => {
      const wanted = names.count === 0 ? NONE : names.find(text)
      const found: number[] = []
      if (wanted === NONE) {
        const ref = names.count === 0 ? refs.find(text) : NONE
        if (ref !== NONE) found.push(ref)
      } else {
        for (let ref = 0; ref < refs.count; ref++) if (nameOf[ref] === wanted) found.push(ref)
      }
      return found
        .sort(compareNames)
        .map((ref) => documentOf[ref]!)
        .filter((document) => document !== NONE)
    },
    headOf,
    passagesOf,
    /** Whether it is one of several passages. */
    isPassage: (document: number) =>
      refOf[document + 1] === refOf[document] || (document > 0 && refOf[document - 1] === refOf[document]),
    isDeleted: (document: number) => refOf[document] === NONE,
    refOf: (document: number) => refOf[document]!,
    scopeOf: (document: number) => scopeOf[document]!,
    lengthOf: (document: number) => lengths[document]!,
    dueOf: (document: number) => due[document] ?? Number.NaN,
    updatedOf: (document: number) => updated[document] ?? Number.NaN,
    /** The document at the end of the chain of those that replace each other; `NONE` where it is not there. */
    endOf: (document: number) => documentOf[chains.endOf(refOf[document]!)] ?? NONE,
    /** Whether it replaces another document or is replaced. */
    isChained: (document: number) => chains.has(refOf[document]!),
    /** The ref of what replaces a document, by its number. */
    successorOf: (document: number) => chains.successorOf(refOf[document]!),
    /** The first date after `time` at which a document is due; undefined for none. */
    nextDueAfter(time: number): number | undefined {
      let next = Number.POSITIVE_INFINITY
      for (let document = 0; document < due.length; document++) {
        const date = due[document]!
        if (date > time && date < next && refOf[document] !== NONE) next = date
      }
      return next === Number.POSITIVE_INFINITY ? undefined : next
    },
    get hasSuccessors() {
      return chains.size > 0
    },
    /** False where no document was ever long enough to have several. */
    get hasPassages() {
      return hasPassages
    },
    get hasDates() {
      return due.length > 0
    },
    get lengths() {
      return lengths
    },
    get count() {
      return count
    },
    get liveCount() {
      return liveCount
    },
    get totalLength() {
      return totalLength
    },
    /** Number and total length of the live documents of a scope, which is given by its number. */
    totalsOf: (scope: number): Readonly<{ liveCount: number; length: number }> =>
      totals[scope] ?? { liveCount: 0, length: 0 },
    get memoryBytes() {
      const columns = [nameOf, refOf, documentOf, lengths, scopeOf, due, updated]
      const tables = [refs, names, scopes, chains].reduce((sum, table) => sum + table.memoryBytes, 0)
      return columns.reduce((sum, column) => sum + column.byteLength, tables)
    },

    /** The document of a ref that is not deleted, or its head, by the ref's number. */
    ofRef: (id: number): number => documentOf[id] ?? NONE,

    find(ref: string): number {
      const id = refs.find(ref)
      return id === NONE ? NONE : documentOf[id]!
    },

    /** Adds a document, or the next passage of the one added before. */
    add(ref: string, scope: string, length: number, { name, dates, successor }: DocumentExtras = {}): number {
      const document = count++
      refOf = withRoom(refOf, count)
      lengths = withRoom(lengths, count)
      scopeOf = withRoom(scopeOf, count)
      const id = refs.intern(ref)
      documentOf = withRoom(documentOf, refs.count)
      const isNextPassage = document > 0 && refOf[document - 1] === id
      refOf[document] = id
      if (isNextPassage) hasPassages = true
      else documentOf[id] = document
      scopeOf[document] = scopes.intern(scope)
      lengths[document] = length
      if (dates) {
        due = withDates(due, count)
        updated = withDates(updated, count)
        due[document] = dates.due
        updated[document] = dates.updated
      }
      if (name !== undefined) setName(id, name)
      if (successor !== undefined && !isNextPassage) link(id, successor)
      addToTotals(document, 1)
      return document
    },

    /** Answers the documents that were removed. */
    remove(ref: string): number[] {
      const id = refs.find(ref)
      const head = id === NONE ? NONE : documentOf[id]!
      const removed = head === NONE ? [] : passagesOf(head)
      for (const document of removed) removeDocument(document)
      return removed
    },

    removeScope(scope: string): number {
      const id = scopes.find(scope)
      if (id === NONE) return 0
      const before = liveCount
      for (let document = 0; document < count; document++) {
        if (scopeOf[document] === id && refOf[document] !== NONE) removeDocument(document)
      }
      return before - liveCount
    },
  }
}
