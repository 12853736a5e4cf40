import { withRoom } from './growable.js'

// A posting is one number: the document in the upper 24 bits, its weighted count of the term in the lower 8.
export const MAX_DOCUMENTS = 0xffffff
export const MAX_FREQUENCY = 0xff

const PAGE_BITS = 16
const PAGE_SIZE = 1 << PAGE_BITS
const PAGE_MASK = PAGE_SIZE - 1
const LARGEST_SLICE = 4096
const NO_SLICE = 0xffffffff

/** A run of postings in a page: `cells[start]` up to, not including, `cells[end]`. */
type VisitRun = (cells: Uint32Array, start: number, end: number) => void

export type Postings = ReturnType<typeof createPostings>

/**
 * Lists of postings, one a term, in shared pages. A list is a chain of slices, each half as large again as the one
 * before: [capacity, postings …, next slice]. The first posting of a list stands in `heads` itself, for half of all
 * terms occur once.
 */
export const createPostings = () => {
  const pages: Uint32Array[] = []
  let used = PAGE_SIZE
  let terms = 0
  let counts = new Uint32Array(64)
  let heads = new Uint32Array(64)
  let firstSlices = new Uint32Array(64)
  let lastSlices = new Uint32Array(64)
  // How many postings the last slice holds.
  let fills = new Uint16Array(64)

  const allocate = (capacity: number): number => {
    const need = capacity + 2
    if (used + need > PAGE_SIZE) {
      pages.push(new Uint32Array(0))
      used = 0
    }
    const page = pages.length - 1
    if (pages[page]!.length < used + need) {
      const grown = new Uint32Array(Math.min(PAGE_SIZE, Math.max(256, (used + need) * 2)))
      grown.set(pages[page]!)
      pages[page] = grown
    }
    const cells = pages[page]!
    cells[used] = capacity
    cells[used + capacity + 1] = NO_SLICE
    const slice = page * PAGE_SIZE + used
    used += need
    return slice
  }

  const extend = (term: number, capacity: number) => {
    const slice = allocate(capacity)
    const last = lastSlices[term]!
    if (last === NO_SLICE) firstSlices[term] = slice
    else {
      const cells = pages[last >>> PAGE_BITS]!
      const start = last & PAGE_MASK
      cells[start + cells[start]! + 1] = slice
    }
    lastSlices[term] = slice
    fills[term] = 0
  }

  const append = (term: number, posting: number) => {
    const count = counts[term]!
    counts[term] = count + 1
    if (count === 0) {
      heads[term] = posting
      return
    }
    const last = lastSlices[term]!
    const capacity = last === NO_SLICE ? 0 : pages[last >>> PAGE_BITS]![last & PAGE_MASK]!
    if (fills[term] === capacity) extend(term, Math.min(LARGEST_SLICE, Math.max(2, count >>> 1)))
    const slice = lastSlices[term]!
    pages[slice >>> PAGE_BITS]![(slice & PAGE_MASK) + 1 + fills[term]!] = posting
    fills[term]!++
  }

  const visit = (term: number, run: VisitRun) => {
    if (counts[term] === 0) return
    run(heads, term, term + 1)
    const last = lastSlices[term]!
    let slice = firstSlices[term]!
    while (slice !== NO_SLICE) {
      const cells = pages[slice >>> PAGE_BITS]!
      const start = (slice & PAGE_MASK) + 1
      const capacity = cells[start - 1]!
      if (slice === last) {
        if (fills[term]! > 0) run(cells, start, start + fills[term]!)
        return
      }
      run(cells, start, start + capacity)
      slice = cells[start + capacity]!
    }
  }

  const rewrite = (term: number, live: Uint32Array) => {
    counts[term] = live.length
    if (live.length > 0) heads[term] = live[0]!
    let slice = firstSlices[term]!
    let at = 1
    while (slice !== NO_SLICE) {
      const cells = pages[slice >>> PAGE_BITS]!
      const start = (slice & PAGE_MASK) + 1
      const capacity = cells[start - 1]!
      const length = Math.min(capacity, live.length - at)
      if (length > 0) cells.set(live.subarray(at, at + length), start)
      lastSlices[term] = slice
      fills[term] = Math.max(0, length)
      at += capacity
      if (at >= live.length) {
        cells[start + capacity] = NO_SLICE
        return
      }
      slice = cells[start + capacity]!
    }
  }

  return {
    append,
    visit,
    count: (term: number) => counts[term]!,

    addTerm(): number {
      const term = terms++
      counts = withRoom(counts, terms)
      heads = withRoom(heads, terms)
      firstSlices = withRoom(firstSlices, terms)
      lastSlices = withRoom(lastSlices, terms)
      fills = withRoom(fills, terms)
      firstSlices[term] = NO_SLICE
      lastSlices[term] = NO_SLICE
      return term
    },

    /** Room for a whole list at once, when its length is known. */
    reserve(term: number, length: number) {
      if (length > 1) extend(term, Math.min(LARGEST_SLICE, length - 1))
    },

    /** Drops the postings of deleted documents; slices that this empties are lost until the index is compacted. */
    purge(term: number, isDeleted: (document: number) => boolean) {
      let deleted = 0
      visit(term, (cells, start, end) => {
        for (let at = start; at < end; at++) if (isDeleted(cells[at]! >>> 8)) deleted++
      })
      if (deleted === 0) return
      const live = new Uint32Array(counts[term]! - deleted)
      let kept = 0
      visit(term, (cells, start, end) => {
        for (let at = start; at < end; at++) if (!isDeleted(cells[at]! >>> 8)) live[kept++] = cells[at]!
      })
      rewrite(term, live)
    },

    get termCount() {
      return terms
    },
    get memoryBytes() {
      let sum = counts.byteLength + heads.byteLength + firstSlices.byteLength + lastSlices.byteLength + fills.byteLength
      for (const page of pages) sum += page.byteLength
      return sum
    },
  }
}
