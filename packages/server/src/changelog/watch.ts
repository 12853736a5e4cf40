import { anyCommit, type CommitNotification } from '../db/commit-notifier.js'
import type { Db } from '../db/port.js'
import type { Scheduler } from '../scheduling/scheduler.js'

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
  /** Opens a watch of a tenant. The topic defaults to the tenant itself. */
  open(tenantId: string, topic?: string): Watch
  /** Changes with every notification: what was read at another count may lack the newest. */
  notificationCount(): number
  /** Ends them all: the service stops. */
  close(): void
}

/** Finds what a node that died between its commit and its notification did not send. */
const lookEveryMs = 1_000

interface Waiter {
  topic: string
  wake(): void
  end(): void
}

const createWatch = (topic: string, resume: (waited: Promise<void>) => Promise<void>, waiters: Set<Waiter>): Watch => {
  let isNotified = false
  let isEnded = false
  let endWait: (() => void) | undefined
  const wake = (): void => {
    isNotified = true
    endWait?.()
  }
  const end = (): void => {
    isEnded = true
    waiters.delete(waiter)
    wake()
  }
  const waiter: Waiter = { topic, wake, end }
  waiters.add(waiter)
  const notified = async (timeoutMs: number): Promise<void> => {
    if (!isNotified && !isEnded) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, timeoutMs)
        endWait = () => {
          clearTimeout(timer)
          resolve()
        }
      })
      endWait = undefined
    }
    isNotified = false
  }
  return {
    next: (timeoutMs) => resume(notified(timeoutMs)),
    get isEnded() {
      return isEnded
    },
    end,
  }
}

export const createWatches = (db: Db, scheduler: Scheduler): Watches => {
  const waiters = new Set<Waiter>()
  let isClosed = false
  let count = 0
  const wake = (notification: CommitNotification): void => {
    count++
    for (const waiter of waiters) if (notification.has(waiter.topic)) waiter.wake()
  }
  const leave = db.listen(wake)
  const timer = setInterval(() => wake(anyCommit), lookEveryMs).unref()
  return {
    open: (tenantId, topic = tenantId) => {
      const watch = createWatch(topic, (waited) => scheduler.resume(tenantId, waited), waiters)
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
