import { unavailable } from '../../base/errors.js'
import { createFairQueue } from '../../scheduling/fair-queue.js'

export interface Semaphore {
  /**
   * Waits for a permit for as long as the queue moves; every permit acquired is released. Groups that wait are served
   * in turn.
   */
  acquire(group: string): Promise<void> | undefined
  release(): void
  load(): { running: number; waiting: number }
}

interface Waiting {
  resolve: () => void
  reject: (error: unknown) => void
}

const checkEveryMs = 250

/** More than requests can be under way, so that only a defect or an attack meets it. */
const maxWaiting = 10_000

const busy = () => unavailable('The database is overloaded. Try again shortly.', 2)

/**
 * Bounds how much is asked of a store at once, and how long anyone waits for their turn. A driver's own queue has no
 * end: behind a few slow statements everything else would hang. A long queue that moves is served; one that has stood
 * still for `stillMs` is refused as a whole, and so is whoever comes when it is full.
 */
export const createSemaphore = (permits: number, stillMs: number, queueBound = maxWaiting): Semaphore => {
  let free = permits
  const queue = createFairQueue<Waiting>()
  let movedAtMs = 0
  let timer: NodeJS.Timeout | undefined

  const check = (): void => {
    if (performance.now() - movedAtMs < stillMs) return
    stopChecking()
    for (const { reject } of queue.takeWhile(() => true)) reject(busy())
  }
  const stopChecking = (): void => {
    clearInterval(timer)
    timer = undefined
  }

  return {
    load: () => ({ running: permits - free, waiting: queue.size }),
    acquire: (group) => {
      if (free > 0) {
        free--
        return undefined
      }
      if (queue.size >= queueBound) return Promise.reject(busy())
      if (!timer) {
        movedAtMs = performance.now()
        timer = setInterval(check, checkEveryMs)
      }
      return new Promise((resolve, reject) => queue.push(group, { resolve, reject }))
    },
    release: () => {
      movedAtMs = performance.now()
      const next = queue.take()
      if (!next) {
        free++
        return
      }
      if (queue.size === 0) stopChecking()
      next.resolve()
    },
  }
}
