import { anyNews, type News } from '../db/news.js'
import type { Db } from '../db/port.js'

/** One reader's wait for news of its tenant. News between two waits is not missed. */
export interface Watch {
  /** Resolves at news, at the end of the time, or when the watch ends. */
  next(timeoutMs: number): Promise<void>
  readonly isEnded: boolean
  end(): void
}

export interface Watches {
  open(tenantId: string): Watch
  /** Changes with all news: what was read at another count may lack the newest. */
  newsCount(): number
  /** Ends them all: the service stops. */
  close(): void
}

/** Finds what a node that died between its commit and its news did not tell. */
const lookEveryMs = 1_000

interface Waiter {
  tenantId: string
  wake(): void
  end(): void
}

const createWatch = (tenantId: string, waiters: Set<Waiter>): Watch => {
  let hasNews = false
  let isEnded = false
  let resume: (() => void) | undefined
  const wake = (): void => {
    hasNews = true
    resume?.()
  }
  const end = (): void => {
    isEnded = true
    waiters.delete(waiter)
    wake()
  }
  const waiter: Waiter = { tenantId, wake, end }
  waiters.add(waiter)
  return {
    next: async (timeoutMs) => {
      if (!hasNews && !isEnded) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, timeoutMs)
          resume = () => {
            clearTimeout(timer)
            resolve()
          }
        })
        resume = undefined
      }
      hasNews = false
    },
    get isEnded() {
      return isEnded
    },
    end,
  }
}

export const createWatches = (db: Db): Watches => {
  const waiters = new Set<Waiter>()
  let isClosed = false
  let count = 0
  const wake = (news: News): void => {
    count++
    for (const waiter of waiters) if (news.has(waiter.tenantId)) waiter.wake()
  }
  const leave = db.listen(wake)
  const timer = setInterval(() => wake(anyNews), lookEveryMs).unref()
  return {
    open: (tenantId) => {
      const watch = createWatch(tenantId, waiters)
      if (isClosed) watch.end()
      return watch
    },
    newsCount: () => count,
    close: () => {
      isClosed = true
      clearInterval(timer)
      leave()
      for (const waiter of [...waiters]) waiter.end()
    },
  }
}
