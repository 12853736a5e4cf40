import type { Client } from '../api/client'
import { type Category, isOpen, type TaskCard, type TaskEvent } from './task-card'

/** Collects tasks that are closed together. */
const delayMs = 100
const retryMs = 5_000
/** With more changed blockers than this, all cards are read again. */
const maxBlockers = 20
/** A task blocks at most so many others. */
const maxDependents = 1_000

export interface Dependents {
  apply(event: TaskEvent): void
}

const visible = (): Promise<void> =>
  new Promise((resolve) => {
    if (document.visibilityState === 'visible') resolve()
    else document.addEventListener('visibilitychange', () => resolve(), { once: true })
  })

/**
 * Keeps `openBlockers` current. Closing or reopening a task changes the count of its dependents, but only a dependent
 * that becomes unblocked gets an event; the others are read again.
 */
export const createDependents = (
  client: Client,
  cards: () => Iterable<TaskCard>,
  add: (cards: readonly TaskCard[]) => void,
  readAllAgain: () => void,
): Dependents => {
  const blockers = new Map<string, { isReopened: boolean }>()
  let isScheduled = false

  const isAnyBlocked = (): boolean => {
    for (const { openBlockers } of cards()) if (openBlockers > 0) return true
    return false
  }

  const read = async (): Promise<void> => {
    if (blockers.size > maxBlockers) {
      blockers.clear()
      readAllAgain()
    }
    for (const [blockedBy, change] of blockers) {
      // Before it is read, so that a change meanwhile is not lost.
      blockers.delete(blockedBy)
      if (!change.isReopened && !isAnyBlocked()) continue
      try {
        add((await client.tasks.cards({ blockedBy, limit: maxDependents })).data)
      } catch (error) {
        if (!blockers.has(blockedBy)) blockers.set(blockedBy, change)
        throw error
      }
    }
  }

  const schedule = (waitMs: number): void => {
    if (isScheduled) return
    isScheduled = true
    setTimeout(async () => {
      await visible()
      try {
        await read()
      } catch {
        // The service is out of reach; what is left is tried again.
      }
      isScheduled = false
      if (blockers.size > 0) schedule(retryMs)
    }, waitMs)
  }

  return {
    apply: ({ data, previous }) => {
      const { status, statusCategory: before = status } = (previous ?? {}) as {
        status?: Category
        statusCategory?: Category
      }
      if (!('title' in data)) return
      const isReopened = isOpen(data.statusCategory)
      // A status without its category is built in, or has the one of now: to read what waits once too often does no harm.
      if (before === undefined || isOpen(before) === isReopened) return
      if (blockers.size <= maxBlockers) blockers.set(data.id, { isReopened })
      schedule(delayMs)
    },
  }
}
