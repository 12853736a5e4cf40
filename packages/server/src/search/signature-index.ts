import { distanceBetween, signatureOf, signatureWords } from './embedding/signatures.js'
import { withRoom } from './growable.js'
import { NONE } from './string-table.js'

export interface StoredSignatures {
  /** 32-bit words of one signature. */
  width: number
  packed: Uint32Array
  owners: Uint32Array
}

export type SignatureIndex = ReturnType<typeof createSignatureIndex>

const COMPACT_LEAST = 1_000
const FAR = 0xffff

// Scratch shared by all searches of a thread: the distance of each candidate, and which it is.
let distances = new Uint16Array(0)
let candidates = new Uint32Array(0)

/**
 * One bit a dimension of each window of each text. A window belongs to a record by the number of its name in the
 * words' index, which stays the same when the record changes; the windows of one record lie side by side.
 */
export const createSignatureIndex = (stored?: StoredSignatures) => {
  let width = stored?.width ?? 0
  let packed = stored?.packed ?? new Uint32Array(0)
  let owners = stored?.owners ?? new Uint32Array(0)
  let rows = owners.length
  let dead = 0
  let firstRow = new Uint32Array(0)

  const keepPlaces = () => {
    firstRow.fill(NONE)
    for (let row = rows - 1; row >= 0; row--) {
      const owner = owners[row]!
      if (owner === NONE) continue
      growPlaces(owner)
      firstRow[owner] = row
    }
  }
  const growPlaces = (owner: number) => {
    const before = firstRow.length
    firstRow = withRoom(firstRow, owner + 1)
    firstRow.fill(NONE, before)
  }
  keepPlaces()

  const remove = (owner: number) => {
    for (let row = firstRow[owner] ?? NONE; row < rows && owners[row] === owner; row++) {
      owners[row] = NONE
      dead++
    }
    if (owner < firstRow.length) firstRow[owner] = NONE
  }

  /** Drops the dead, and gives each owner its new number. */
  const renumber = (newNumber: (owner: number) => number) => {
    let kept = 0
    for (let row = 0; row < rows; row++) {
      const owner = owners[row] === NONE ? NONE : newNumber(owners[row]!)
      if (owner === NONE) continue
      packed.copyWithin(kept * width, row * width, (row + 1) * width)
      owners[kept++] = owner
    }
    rows = kept
    dead = 0
    keepPlaces()
  }

  return {
    get size() {
      return rows - dead
    },
    get memoryBytes() {
      return packed.byteLength + owners.byteLength + firstRow.byteLength
    },
    remove,
    renumber,

    /** Replaces what was known of a record by the vectors of its windows, which lie end to end. */
    put(owner: number, vectors: Int8Array, windows: number) {
      remove(owner)
      if (windows === 0) return
      const dimensions = vectors.length / windows
      if (rows === 0) width = signatureWords(dimensions)
      if (signatureWords(dimensions) !== width) return
      packed = withRoom(packed, (rows + windows) * width)
      owners = withRoom(owners, rows + windows)
      growPlaces(owner)
      firstRow[owner] = rows
      for (let window = 0; window < windows; window++) {
        const vector = vectors.subarray(window * dimensions, (window + 1) * dimensions)
        packed.set(signatureOf(vector), rows * width)
        owners[rows++] = owner
      }
      if (dead > Math.max(COMPACT_LEAST, (rows - dead) / 3)) renumber((same) => same)
    },

    /** The records whose best window is nearest, `count` of them; `isEarlier` orders those equally far. */
    nearest(
      query: Float32Array,
      count: number,
      isWanted: (owner: number) => boolean,
      isEarlier: (a: number, b: number) => boolean,
    ): number[] {
      if (rows === 0 || signatureWords(query.length) !== width) return []
      const sought = signatureOf(query)
      distances = withRoom(distances, rows)
      candidates = withRoom(candidates, rows)
      const histogram = new Uint32Array(width * 32 + 1)
      let found = 0
      for (let row = 0; row < rows; ) {
        const owner = owners[row]!
        if (owner === NONE || !isWanted(owner)) {
          row++
          continue
        }
        let best = FAR
        for (; row < rows && owners[row] === owner; row++) {
          best = Math.min(best, distanceBetween(packed, row * width, sought))
        }
        distances[found] = best
        candidates[found++] = owner
        histogram[best]!++
      }

      let limit = 0
      for (let within = histogram[0]!; within < count && limit < histogram.length - 1; ) within += histogram[++limit]!
      const near: number[] = []
      const atLimit: number[] = []
      for (let at = 0; at < found; at++) {
        if (distances[at]! < limit) near.push(candidates[at]!)
        else if (distances[at] === limit) atLimit.push(candidates[at]!)
      }
      // The order of the rows is the order of embedding, which differs from node to node; that of names does not.
      atLimit.sort((a, b) => (isEarlier(a, b) ? -1 : 1))
      return [...near, ...atLimit.slice(0, count - near.length)]
    },

    stored(newNumber: (owner: number) => number): StoredSignatures {
      const live: number[] = []
      for (let row = 0; row < rows; row++) {
        if (owners[row] !== NONE && newNumber(owners[row]!) !== NONE) live.push(row)
      }
      const copy = new Uint32Array(live.length * width)
      for (const [at, row] of live.entries()) copy.set(packed.subarray(row * width, (row + 1) * width), at * width)
      return { width, packed: copy, owners: Uint32Array.from(live, (row) => newNumber(owners[row]!)) }
    },
  }
}
