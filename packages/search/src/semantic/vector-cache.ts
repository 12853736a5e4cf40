import { NONE } from '../index/string-table.js'
import type { DocumentVectors } from './candidates.js'

const MAX_BYTES = 4_194_304
/** Of an entry beside its vectors. */
const ENTRY_BYTES = 300

interface Entry {
  windows: number
  vectors: Uint8Array
}

/** A document whose vectors are wanted. */
interface Wanted {
  document: number
  /** The number of its ref in the word index, by which its vectors are known; `NONE` where it has gone. */
  refNumber: number
}

export type VectorCache = ReturnType<typeof createVectorCache>

/** Vectors that searches have compared, so that the next ones need not read them from the store. */
export const createVectorCache = (maxBytes = MAX_BYTES) => {
  // The longest known first.
  const entries = new Map<number, Entry>()
  let bytes = 0
  let changes = 0

  const drop = (refNumber: number): void => {
    const entry = entries.get(refNumber)
    if (!entry) return
    entries.delete(refNumber)
    bytes -= entry.vectors.byteLength + ENTRY_BYTES
  }

  const keep = (refNumber: number, { windows, vectors }: DocumentVectors): void => {
    drop(refNumber)
    // A copy: what a driver hands out may be a part of a larger buffer.
    entries.set(refNumber, { windows, vectors: new Uint8Array(vectors) })
    bytes += vectors.byteLength + ENTRY_BYTES
    for (const oldest of entries.keys()) {
      if (bytes <= maxBytes) return
      drop(oldest)
    }
  }

  return {
    get memoryBytes() {
      return bytes
    },

    /** Says that the vectors of a document have changed in the store. */
    forget(refNumber: number): void {
      changes++
      drop(refNumber)
    },

    /** The vectors of the documents that have some. */
    async read<T extends Wanted>(
      wanted: readonly T[],
      readStored: (unknown: readonly T[]) => Promise<DocumentVectors[]>,
    ): Promise<DocumentVectors[]> {
      const found: DocumentVectors[] = []
      const unknown: T[] = []
      for (const each of wanted) {
        const entry = entries.get(each.refNumber)
        if (entry) found.push({ document: each.document, windows: entry.windows, vectors: entry.vectors })
        else unknown.push(each)
      }
      if (unknown.length === 0) return found
      const changesBefore = changes
      const stored = await readStored(unknown)
      // What was read while something changed may be from before the change.
      if (changes === changesBefore) {
        const refNumbers = new Map(unknown.map(({ document, refNumber }) => [document, refNumber]))
        for (const each of stored) {
          const refNumber = refNumbers.get(each.document) ?? NONE
          if (refNumber !== NONE) keep(refNumber, each)
        }
      }
      return [...found, ...stored]
    },
  }
}
