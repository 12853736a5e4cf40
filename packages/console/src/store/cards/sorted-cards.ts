import type { CompareCards, TaskCard } from './task-card'

/** Sorted cards; reading them merges the changes since the last read. */
export interface SortedCards {
  /** Undefined where the card is gone. */
  set(id: string, card: TaskCard | undefined): void
  /** The same array as long as nothing has changed. */
  read(): readonly TaskCard[]
}

const merge = (some: readonly TaskCard[], others: readonly TaskCard[], compare: CompareCards): TaskCard[] => {
  const merged: TaskCard[] = []
  let at = 0
  for (const card of some) {
    while (at < others.length && compare(others[at]!, card) < 0) merged.push(others[at++]!)
    merged.push(card)
  }
  return at < others.length ? merged.concat(others.slice(at)) : merged
}

export const createSortedCards = (cards: Iterable<TaskCard>, compare: CompareCards): SortedCards => {
  let sorted: readonly TaskCard[] = [...cards].sort(compare)
  const changed = new Map<string, TaskCard | undefined>()
  return {
    set: (id, card) => {
      changed.set(id, card)
    },
    read: () => {
      if (changed.size === 0) return sorted
      const kept = sorted.filter(({ id }) => !changed.has(id))
      const added = [...changed.values()].filter((card) => card !== undefined).sort(compare)
      sorted = merge(kept, added, compare)
      changed.clear()
      return sorted
    },
  }
}
