import { withRoom } from '../index/growable.js'
import { NONE } from '../index/string-table.js'
import { distanceBetween, signatureOf, signatureWords } from './signatures.js'

interface StoredSignatures {
  /** 32-bit words of one signature. */
  width: number
  packed: Uint32Array
  owners: Uint32Array
}

export type SignatureIndex = ReturnType<typeof createSignatureIndex>

const COMPACT_LEAST = 1_000
const NO_DISTANCE = 0xffff

/** Fills in the distance of each row, and answers how many rows there are at each. */
const measureAll = (packed: Uint32Array, rows: number, signature: Uint32Array, distances: Uint16Array): Uint32Array => {
  const width = signature.length
  const histogram = new Uint32Array(width * 32 + 1)
  for (let row = 0; row < rows; row++) {
    const distance = distanceBetween(packed, row * width, signature)
    distances[row] = distance
    histogram[distance]!++
  }
  return histogram
}

/** The distance within which so many rows lie. */
const limitOf = (histogram: Uint32Array, wanted: number): number => {
  let limit = 0
  for (let within = histogram[0]!; within < wanted && limit < histogram.length - 1; ) within += histogram[++limit]!
  return limit
}

const bestOfOwners = (
  owners: Uint32Array,
  rows: number,
  distances: Uint16Array,
  limit: number,
  isWanted: (owner: number) => boolean,
): Map<number, number> => {
  const best = new Map<number, number>()
  for (let row = 0; row < rows; row++) {
    if (distances[row]! > limit) continue
    const owner = owners[row]!
    if (owner !== NONE && isWanted(owner)) best.set(owner, Math.min(distances[row]!, best.get(owner) ?? NO_DISTANCE))
  }
  return best
}

/**
 * One bit a dimension of each window of each text. A window belongs to a document by the number of its ref in the word
 * index, which stays the same when the document changes; the windows of one document lie side by side.
 */
export const createSignatureIndex = (stored?: StoredSignatures) => {
  let width = stored?.width ?? 0
  let packed = stored?.packed ?? new Uint32Array(0)
  let owners = stored?.owners ?? new Uint32Array(0)
  let rows = owners.length
  let deleted = 0
  let firstRow = new Uint32Array(0)

  const rebuildFirstRows = () => {
    firstRow.fill(NONE)
    for (let row = rows - 1; row >= 0; row--) {
      const owner = owners[row]!
      if (owner === NONE) continue
      reserveFirstRow(owner)
      firstRow[owner] = row
    }
  }
  const reserveFirstRow = (owner: number) => {
    const before = firstRow.length
    firstRow = withRoom(firstRow, owner + 1)
    firstRow.fill(NONE, before)
  }
  rebuildFirstRows()

  const remove = (owner: number) => {
    for (let row = firstRow[owner] ?? NONE; row < rows && owners[row] === owner; row++) {
      owners[row] = NONE
      deleted++
    }
    if (owner < firstRow.length) firstRow[owner] = NONE
  }

  const dropDeleted = () => {
    let kept = 0
    for (let row = 0; row < rows; row++) {
      if (owners[row] === NONE) continue
      packed.copyWithin(kept * width, row * width, (row + 1) * width)
      owners[kept++] = owners[row]!
    }
    rows = kept
    deleted = 0
    rebuildFirstRows()
  }

  return {
    get size() {
      return rows - deleted
    },
    get memoryBytes() {
      return packed.byteLength + owners.byteLength + firstRow.byteLength
    },
    remove,

    /** Replaces what was known of a document by the vectors of its windows, which lie end to end. */
    put(owner: number, vectors: Int8Array, windows: number) {
      remove(owner)
      if (windows === 0) return
      const dimensions = vectors.length / windows
      if (rows === 0) width = signatureWords(dimensions)
      if (signatureWords(dimensions) !== width) return
      packed = withRoom(packed, (rows + windows) * width)
      owners = withRoom(owners, rows + windows)
      reserveFirstRow(owner)
      firstRow[owner] = rows
      for (let window = 0; window < windows; window++) {
        const vector = vectors.subarray(window * dimensions, (window + 1) * dimensions)
        packed.set(signatureOf(vector), rows * width)
        owners[rows++] = owner
      }
      if (deleted > Math.max(COMPACT_LEAST, (rows - deleted) / 3)) dropDeleted()
    },

    /** The documents whose best window is nearest, one of each group, `count` of them; `isEarlier` orders those equally far. */
    nearest(
      query: Float32Array,
      count: number,
      isWanted: (owner: number) => boolean,
      isEarlier: (a: number, b: number) => boolean,
      groupOf: (owner: number) => number = (owner) => owner,
    ): number[] {
      if (rows === 0 || signatureWords(query.length) !== width) return []
      const signature = signatureOf(query)
      const distances = new Uint16Array(rows)
      const histogram = measureAll(packed, rows, signature, distances)
      // The nearest are filtered first, and more only where too few of them pass.
      for (let looked = count * 2; ; looked *= 4) {
        const limit = limitOf(histogram, looked)
        const best = bestOfOwners(owners, rows, distances, limit, isWanted)
        if (best.size < count && limit < histogram.length - 1) continue
        // The order of the rows is the order of embedding, which differs from node to node; that of refs does not.
        const order = (a: [number, number], b: [number, number]) => a[1] - b[1] || (isEarlier(a[0], b[0]) ? -1 : 1)
        const nearest = new Map<number, number>()
        for (const [owner] of [...best].sort(order)) {
          const group = groupOf(owner)
          if (!nearest.has(group)) nearest.set(group, owner)
          if (nearest.size === count) break
        }
        if (nearest.size < count && limit < histogram.length - 1) continue
        return [...nearest.values()]
      }
    },

    /** An estimate of the cosine of a document's best window; undefined where it has no vectors. */
    estimator(query: Float32Array): (owner: number) => number | undefined {
      const signature = signatureOf(query)
      return (owner) => {
        let best = NO_DISTANCE
        for (let row = firstRow[owner] ?? NONE; row < rows && owners[row] === owner; row++) {
          best = Math.min(best, distanceBetween(packed, row * width, signature))
        }
        return best === NO_DISTANCE || signature.length !== width
          ? undefined
          : Math.cos((Math.PI * best) / query.length)
      }
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
