/** Keeps the best `size` of the items offered; `isBetter` must be a total order. */
export const createTop = (size: number, isBetter: (a: number, b: number) => boolean) => {
  // A heap with the worst of the best at its root.
  const heap: number[] = []

  const sink = () => {
    const item = heap[0]!
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && isBetter(heap[child]!, heap[child + 1]!)) child++
      if (!isBetter(item, heap[child]!)) break
      heap[at] = heap[child]!
      at = child
    }
    heap[at] = item
  }

  const rise = () => {
    let at = heap.length - 1
    const item = heap[at]!
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (!isBetter(heap[parent]!, item)) break
      heap[at] = heap[parent]!
      at = parent
    }
    heap[at] = item
  }

  return {
    /** The item that a newcomer must beat; undefined while there is room. */
    get worst(): number | undefined {
      return heap.length < size ? undefined : heap[0]
    },
    offer(item: number) {
      if (heap.length < size) {
        heap.push(item)
        rise()
      } else if (size > 0 && isBetter(item, heap[0]!)) {
        heap[0] = item
        sink()
      }
    },
    bestFirst: (): number[] => heap.toSorted((a, b) => (isBetter(a, b) ? -1 : 1)),
  }
}
