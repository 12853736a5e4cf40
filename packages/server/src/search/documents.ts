import { withRoom } from './growable.js'
import { createStringTable, NONE, type StringTable } from './string-table.js'

export type Documents = ReturnType<typeof createDocuments>

export type StoredDocuments = {
  refs: StringTable
  scopes: StringTable
  lengths: Uint32Array
  scopeOf: Uint32Array
  due: Float64Array
  updated: Float64Array
}

/** What is known of each document beside its words. A document number is never used again; a change makes a new one. */
export const createDocuments = (stored?: StoredDocuments) => {
  const refs = stored?.refs ?? createStringTable()
  const scopes = stored?.scopes ?? createStringTable()
  let count = stored?.lengths.length ?? 0
  let liveCount = count
  let totalLength = 0
  let refOf = new Uint32Array(Math.max(64, count))
  let documentOf = new Uint32Array(Math.max(64, count))
  let lengths = stored?.lengths ?? new Uint32Array(64)
  let scopeOf = stored?.scopeOf ?? new Uint32Array(64)
  let due = stored?.due ?? new Float64Array(0)
  let updated = stored?.updated ?? new Float64Array(0)
  for (let document = 0; document < count; document++) {
    refOf[document] = document
    documentOf[document] = document
    totalLength += lengths[document]!
  }

  const removeDocument = (document: number) => {
    documentOf[refOf[document]!] = NONE
    refOf[document] = NONE
    liveCount--
    totalLength -= lengths[document]!
  }

  return {
    refs,
    scopes,
    isDead: (document: number) => refOf[document] === NONE,
    refOf: (document: number) => refOf[document]!,
    scopeOf: (document: number) => scopeOf[document]!,
    lengthOf: (document: number) => lengths[document]!,
    dueOf: (document: number) => due[document] ?? Number.NaN,
    updatedOf: (document: number) => updated[document] ?? Number.NaN,
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
    get memoryBytes() {
      const columns = [refOf, documentOf, lengths, scopeOf, due, updated]
      return refs.memoryBytes + scopes.memoryBytes + columns.reduce((sum, column) => sum + column.byteLength, 0)
    },

    /** The living document of a name, by the name's number. */
    ofRef: (id: number): number => documentOf[id] ?? NONE,

    find(ref: string): number {
      const id = refs.find(ref)
      return id === NONE ? NONE : documentOf[id]!
    },

    add(ref: string, scope: string, length: number, dates?: { due: number; updated: number }): number {
      const document = count++
      refOf = withRoom(refOf, count)
      lengths = withRoom(lengths, count)
      scopeOf = withRoom(scopeOf, count)
      const id = refs.intern(ref)
      documentOf = withRoom(documentOf, refs.count)
      refOf[document] = id
      documentOf[id] = document
      scopeOf[document] = scopes.intern(scope)
      lengths[document] = length
      if (dates) {
        due = withRoom(due, count)
        updated = withRoom(updated, count)
        due[document] = dates.due
        updated[document] = dates.updated
      }
      liveCount++
      totalLength += length
      return document
    },

    /** Answers the document that was removed, where there was one. */
    remove(ref: string): number {
      const id = refs.find(ref)
      const document = id === NONE ? NONE : documentOf[id]!
      if (document !== NONE) removeDocument(document)
      return document
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
