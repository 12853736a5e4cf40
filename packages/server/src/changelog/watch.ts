import { anyCommit, type CommitNotification } from '../db/commit-notifier.js'
import type { Db } from '../db/port.js'

declare module '../operations/core.js' {
  interface Core {
    readonly watches: Watches
  }
}

/** One reader's wait for commits that announce a topic, such as those of its tenant. A commit between two waits is not missed. */
export interface Watch {
  /** Resolves at a commit, at the end of the time, or when the watch ends. */
  next(timeoutMs: number): Promise<void>
  readonly isEnded: boolean
  end(): void
}

export interface Watches {
  open(topic: string): Watch
  /** Changes with every notification: what was read at another count may lack the newest. */
  notificationCount(): number
  /** Ends them all: the service stops. */
  close(): void
}

/** Finds what a node that died between its commit and its notification did not send. */
const lookEveryMs = 1_000

/** Each of them goes on to read and answer, so that more would keep the event loop for too long. */
const wokenPerTurn = 50

interface Waiter {
  topic: string
  wake(): void
  end(): void
}

const createWatch = (topic: string, waiters: Set<Waiter>): Watch => {
  let isNotified = false
  let isEnded = false
  let resume: (() => void) | undefined
  const wake = (): void => {
    isNotified = true
    resume?.()
  }
  const end = (): void => {
    isEnded = true
    waiters.delete(waiter)
    wake()
  }
  const waiter: Waiter = { topic, wake, end }
  waiters.add(waiter)
  return {
    next: async (timeoutMs) => {
      if (!isNotified && !isEnded) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, timeoutMs)
          resume = () => {
            clearTimeout(timer)
            resolve()
          }
        })
        resume = undefined
      }
      isNotified = false
    },
    get isEnded() {
      return isEnded
    },
    end,
  }
}

export const createWatches = (db: Db): Watches => {
  const waiters = new Set<Waiter>()
  const toWake = new Set<Waiter>()
  let isWaking = false
  let isClosed = false
  let count = 0
  const wakeSome = (): void => {
    isWaking = false
    let left = wokenPerTurn
    for (const waiter of toWake) {
      if (left-- === 0) break
      toWake.delete(waiter)
      waiter.wake()
    }
    if (toWake.size > 0) wakeSoon()
  }
  const wakeSoon = (): void => {
    isWaking = true
    setImmediate(wakeSome)
  }
  const wake = (notification: CommitNotification): void => {
    count++
    for (const waiter of waiters) if (notification.has(waiter.topic)) toWake.add(waiter)
    if (!isWaking) wakeSome()
  }
  const leave = db.listen(wake)
  const timer = setInterval(() => wake(anyCommit), lookEveryMs).unref()
  return {
    open: (topic) => {
      const watch = createWatch(topic, waiters)
      if (isClosed) watch.end()
      return watch
    },
    notificationCount: () => count,
    close: () => {
      isClosed = true
      clearInterval(timer)
      leave()
      for (const waiter of [...waiters]) waiter.end()
    },
  }
}
