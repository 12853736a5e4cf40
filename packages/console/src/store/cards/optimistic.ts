import type { CardCache } from './card-cache'
import type { TaskCard } from './task-card'

/** Shows changes of cards before the service has confirmed them. */
export const createOptimistic = (cache: CardCache) => {
  const pending = new Map<string, readonly Partial<TaskCard>[]>()

  const setPending = (id: string, changes: readonly Partial<TaskCard>[]): void => {
    if (changes.length > 0) pending.set(id, changes)
    else pending.delete(id)
    cache.overlay(id, changes.length > 0 ? Object.assign({}, ...changes) : undefined)
  }

  /** Shows fields of a card until `send` has settled. */
  return async <T>(id: string, fields: Partial<TaskCard>, send: () => Promise<T>): Promise<T> => {
    setPending(id, [...(pending.get(id) ?? []), fields])
    try {
      return await send()
    } finally {
      setPending(
        id,
        (pending.get(id) ?? []).filter((each) => each !== fields),
      )
    }
  }
}
