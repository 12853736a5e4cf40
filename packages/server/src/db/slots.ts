import { unavailable } from '../errors.js'

export interface Slots {
  /** Waits for a free slot, but not for ever; every slot taken is given back. */
  take(): Promise<void> | undefined
  giveBack(): void
}

interface Waiting {
  resolve: () => void
  timer: NodeJS.Timeout
}

/** Whoever would stand further back in the line than this could not be served in time. */
const longestLinePerSlot = 200

/**
 * Bounds how much is asked of a store at once and how long anyone waits for their turn. A driver's own line has no
 * end: behind a few slow statements everything else would hang.
 */
export const createSlots = (count: number, waitMs: number): Slots => {
  // In order of arrival, which is how a map keeps its keys.
  const line = new Map<symbol, Waiting>()
  let free = count

  const refusal = (): Error => unavailable('The store is busy with slow work. Try again shortly.', 2)

  return {
    take: () => {
      if (free > 0) {
        free--
        return undefined
      }
      if (line.size >= count * longestLinePerSlot) throw refusal()
      return new Promise((resolve, reject) => {
        const place = Symbol()
        const giveUp = (): void => {
          line.delete(place)
          reject(refusal())
        }
        line.set(place, { resolve, timer: setTimeout(giveUp, waitMs) })
      })
    },
    giveBack: () => {
      for (const [place, { resolve, timer }] of line) {
        line.delete(place)
        clearTimeout(timer)
        return resolve()
      }
      free++
    },
  }
}
