import type { Client } from '../../api/client'
import type { TaskCard } from './task-card'

/** Collects tasks that change together. */
const delayMs = 100
const retryMs = 5_000
/** With more reopened blockers than this, all cards are read again. */
const maxBlockers = 20
/** A task blocks at most so many others. */
const maxDependents = 1_000
const idsPerRequest = 100
/** With more tasks than this, all cards are read again. */
const maxIds = 10 * idsPerRequest

export interface CardReader {
  /** Reads the card of a task. */
  readCard(id: string): void
  /** Reads the cards of all tasks that wait for a task. */
  readDependents(blockerId: string): void
}

const visible = (): Promise<void> =>
  new Promise((resolve) => {
    if (document.visibilityState === 'visible') resolve()
    else document.addEventListener('visibilitychange', () => resolve(), { once: true })
  })

/** Reads cards again for changes that events do not contain. */
export const createCardReader = (
  client: Client,
  add: (cards: readonly TaskCard[]) => void,
  readAllAgain: () => void,
): CardReader => {
  const ids = new Set<string>()
  const blockerIds = new Set<string>()
  let isScheduled = false

  /** Removes IDs before they are read, so that a change during the request is not lost. */
  const take = (from: Set<string>, count: number): string[] => {
    const taken = [...from].slice(0, count)
    for (const id of taken) from.delete(id)
    return taken
  }

  const readSome = async (
    from: Set<string>,
    count: number,
    queryOf: (ids: readonly string[]) => { id?: string; blockedBy?: string },
  ): Promise<void> => {
    while (from.size > 0) {
      const taken = take(from, count)
      try {
        add((await client.tasks.cards({ ...queryOf(taken), limit: maxDependents })).data)
      } catch (error) {
        for (const id of taken) from.add(id)
        throw error
      }
    }
  }

  const read = async (): Promise<void> => {
    if (blockerIds.size > maxBlockers || ids.size > maxIds) {
      blockerIds.clear()
      ids.clear()
      readAllAgain()
    }
    await readSome(blockerIds, 1, ([blockedBy]) => ({ blockedBy: blockedBy! }))
    await readSome(ids, idsPerRequest, (some) => ({ id: some.join() }))
  }

  const schedule = (waitMs: number): void => {
    if (isScheduled) return
    isScheduled = true
    setTimeout(async () => {
      await visible()
      try {
        await read()
      } catch {
        // The service is unreachable; the remaining cards are read at the next attempt.
      }
      isScheduled = false
      if (blockerIds.size + ids.size > 0) schedule(retryMs)
    }, waitMs)
  }

  return {
    readCard: (id) => {
      if (ids.size <= maxIds) ids.add(id)
      schedule(delayMs)
    },
    readDependents: (blockerId) => {
      if (blockerIds.size <= maxBlockers) blockerIds.add(blockerId)
      schedule(delayMs)
    },
  }
}
