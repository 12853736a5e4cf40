interface FairQueueOptions {
  /** Jobs that run at once. */
  maxRunning: number
  /** Jobs of one key that run at once. */
  maxRunningOfKey: number
  /** Jobs of one key that wait. */
  maxWaitingOfKey: number
}

export interface FairQueue {
  /** Starts a job when its turn comes. Answers how to take it back, or undefined where too many wait already. */
  add(key: string, start: () => void): (() => void) | undefined
  /** A job that was started has ended. */
  done(key: string): void
}

/**
 * Jobs of different keys are started in turn, so that many of one key hold up no other. The service has a queue of its
 * own for this; the search engine is a library without dependencies, and a job here can be taken back.
 */
export const createFairQueue = ({ maxRunning, maxRunningOfKey, maxWaitingOfKey }: FairQueueOptions): FairQueue => {
  // In the order in which the keys have their turn.
  const waiting = new Map<string, (() => void)[]>()
  const running = new Map<string, number>()
  let total = 0

  const runningOf = (key: string): number => running.get(key) ?? 0

  const startNext = (): void => {
    for (const [key, jobs] of waiting) {
      if (total >= maxRunning) return
      if (runningOf(key) >= maxRunningOfKey) continue
      const start = jobs.shift()!
      waiting.delete(key)
      // Behind all others, until its next turn.
      if (jobs.length > 0) waiting.set(key, jobs)
      total++
      running.set(key, runningOf(key) + 1)
      start()
      startNext()
      return
    }
  }

  return {
    add: (key, start) => {
      const jobs = waiting.get(key) ?? []
      if (jobs.length >= maxWaitingOfKey) return undefined
      jobs.push(start)
      waiting.set(key, jobs)
      startNext()
      return () => {
        const left = waiting.get(key)
        const at = left?.indexOf(start) ?? -1
        if (at < 0) return
        left!.splice(at, 1)
        if (left!.length === 0) waiting.delete(key)
      }
    },
    done: (key) => {
      total--
      if (runningOf(key) === 1) running.delete(key)
      else running.set(key, runningOf(key) - 1)
      startNext()
    },
  }
}
