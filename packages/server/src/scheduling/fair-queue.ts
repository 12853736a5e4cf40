/** A queue of several groups that takes from them in turn, and from each in the order of arrival. */
export interface FairQueue<T> {
  readonly size: number
  readonly groups: number
  sizeOf(group: string): number
  push(group: string, item: T): void
  /** The next item, of the first group in turn whose head is eligible. */
  take(isEligible?: (head: T) => boolean): T | undefined
  /** Whether the head of any group fits. */
  some(fits: (head: T) => boolean): boolean
  /** Removes and returns the items at the head of each group for as long as they fit. */
  takeWhile(fits: (item: T) => boolean): T[]
}

export const createFairQueue = <T>(): FairQueue<T> => {
  // In the order of their turns.
  const queues = new Map<string, T[]>()
  let size = 0
  return {
    get size() {
      return size
    },
    get groups() {
      return queues.size
    },
    sizeOf: (group) => queues.get(group)?.length ?? 0,
    push: (group, item) => {
      size++
      const queue = queues.get(group)
      if (queue) queue.push(item)
      else queues.set(group, [item])
    },
    take: (isEligible) => {
      for (const [group, queue] of queues) {
        const head = queue[0]!
        if (isEligible && !isEligible(head)) continue
        queue.shift()
        size--
        queues.delete(group)
        if (queue.length > 0) queues.set(group, queue)
        return head
      }
      return undefined
    },
    some: (fits) => {
      for (const [head] of queues.values()) if (fits(head!)) return true
      return false
    },
    takeWhile: (fits) => {
      const taken: T[] = []
      for (const [group, queue] of queues) {
        const end = queue.findIndex((item) => !fits(item))
        taken.push(...queue.splice(0, end < 0 ? queue.length : end))
        if (queue.length === 0) queues.delete(group)
      }
      size -= taken.length
      return taken
    },
  }
}
