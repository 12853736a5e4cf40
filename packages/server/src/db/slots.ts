import { unavailable } from '../errors.js'

export interface Slots {
  /** Waits for a free slot for as long as the line moves; every slot taken is given back. */
  take(): Promise<void> | undefined
  giveBack(): void
}

interface Waiting {
  resolve: () => void
  reject: (error: unknown) => void
}

const lookEveryMs = 250

/**
 * Bounds how much is asked of a store at once, and how long anyone waits for their turn. A driver's own line has no
 * end: behind a few slow statements everything else would hang. A long line that moves is served; one that has stood
 * still for `stillMs` is refused as a whole.
 */
export const createSlots = (count: number, stillMs: number): Slots => {
  let free = count
  let line: Waiting[] = []
  let movedAtMs = 0
  let timer: NodeJS.Timeout | undefined

  const look = (): void => {
    if (performance.now() - movedAtMs < stillMs) return
    const refused = line
    line = []
    stopLooking()
    for (const { reject } of refused) reject(unavailable('The store is busy with slow work. Try again shortly.', 2))
  }
  const stopLooking = (): void => {
    clearInterval(timer)
    timer = undefined
  }

  return {
    take: () => {
      if (free > 0) {
        free--
        return undefined
      }
      if (!timer) {
        movedAtMs = performance.now()
        timer = setInterval(look, lookEveryMs)
      }
      return new Promise((resolve, reject) => line.push({ resolve, reject }))
    },
    giveBack: () => {
      movedAtMs = performance.now()
      const next = line.shift()
      if (!next) {
        free++
        return
      }
      if (line.length === 0) stopLooking()
      next.resolve()
    },
  }
}
