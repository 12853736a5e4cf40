/** Documents that replace each other, by the numbers of their refs. */

/** What a link takes in three maps, about. */
const LINK_BYTES = 120

export const createChains = () => {
  const successors = new Map<number, number>()
  /** How many refs each successor replaces. */
  const replacedCounts = new Map<number, number>()
  /** Of the refs that were asked for since the last change of a link. */
  const ends = new Map<number, number>()

  const unlink = (ref: number) => {
    const successor = successors.get(ref)
    if (successor === undefined) return
    successors.delete(ref)
    ends.clear()
    const count = replacedCounts.get(successor)! - 1
    if (count === 0) replacedCounts.delete(successor)
    else replacedCounts.set(successor, count)
  }

  const findEnd = (start: number): number => {
    const passed: number[] = []
    let ref = start
    // Links that are read while they change may form a cycle.
    while (passed.length <= successors.size) {
      const next = ends.get(ref) ?? successors.get(ref)
      if (next === undefined) break
      passed.push(ref)
      ref = next
    }
    for (const each of passed) ends.set(each, ref)
    return ref
  }

  return {
    get size() {
      return successors.size
    },
    get memoryBytes() {
      return successors.size * LINK_BYTES
    },
    successorOf: (ref: number): number | undefined => successors.get(ref),
    /** Whether it replaces another one or is replaced. */
    has: (ref: number): boolean => successors.has(ref) || replacedCounts.has(ref),
    /** The last one of the chain that a ref is in; itself where nothing replaces it. */
    endOf: (ref: number): number => (successors.has(ref) ? (ends.get(ref) ?? findEnd(ref)) : ref),
    unlink,
    link(ref: number, successor: number) {
      unlink(ref)
      successors.set(ref, successor)
      replacedCounts.set(successor, (replacedCounts.get(successor) ?? 0) + 1)
      ends.clear()
    },
  }
}
