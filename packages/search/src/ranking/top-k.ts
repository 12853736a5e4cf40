/** Keeps the `size` items of highest rank; `isEarlier` orders those of equal rank. */
export const createTopK = (size: number, isEarlier: (a: number, b: number) => boolean) => {
  // A heap with the worst of the best at its root.
  const items = new Uint32Array(size)
  const ranks = new Float64Array(size)
  let count = 0
  let knownFloor = Number.NEGATIVE_INFINITY

  const isBetter = (item: number, rank: number, at: number) =>
    rank > ranks[at]! || (rank === ranks[at] && isEarlier(item, items[at]!))

  const place = (at: number, item: number, rank: number) => {
    items[at] = item
    ranks[at] = rank
  }

  const rise = (start: number, item: number, rank: number) => {
    let at = start
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (isBetter(item, rank, parent)) break
      place(at, items[parent]!, ranks[parent]!)
      at = parent
    }
    place(at, item, rank)
  }

  const sink = (start: number, item: number, rank: number) => {
    let at = start
    for (;;) {
      let child = 2 * at + 1
      if (child >= count) break
      if (child + 1 < count && isBetter(items[child]!, ranks[child]!, child + 1)) child++
      if (!isBetter(item, rank, child)) break
      place(at, items[child]!, ranks[child]!)
      at = child
    }
    place(at, item, rank)
  }

  const offer = (item: number, rank: number) => {
    if (count < size) rise(count++, item, rank)
    else if (size > 0 && isBetter(item, rank, 0)) sink(0, item, rank)
  }

  return {
    /** No item of a lower rank gets in. */
    floor: (): number => (count < size ? knownFloor : ranks[0]!),

    /** Says that no item of a lower rank will be among the kept. */
    raiseFloor(rank: number) {
      knownFloor = rank
    },

    offer,

    /** Offers an item of a group, the best of which alone is kept. */
    offerOneOf(item: number, rank: number, isSameGroup: (other: number) => boolean) {
      let at = 0
      while (at < count && !isSameGroup(items[at]!)) at++
      if (at === count) offer(item, rank)
      else if (isBetter(item, rank, at)) sink(at, item, rank)
    },

    bestFirst(): number[] {
      const order = Array.from({ length: count }, (_, at) => at)
      order.sort((a, b) => (isBetter(items[a]!, ranks[a]!, b) ? -1 : 1))
      return order.map((at) => items[at]!)
    },
  }
}
