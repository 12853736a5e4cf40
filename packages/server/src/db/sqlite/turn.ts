import { setImmediate as nextTurn } from 'node:timers/promises'

/** After so much work everything else has its turn. */
const maxTurnMs = 8

/** The work of one turn of the event loop. */
export interface Turn {
  /** Begins with the turn of the event loop. */
  begin(): void
  isOver(): boolean
  /** Lets the event loop turn. */
  next(): Promise<void>
}

export const createTurn = (): Turn => {
  let endMs = 0
  const begin = (): void => {
    endMs = performance.now() + maxTurnMs
  }
  return {
    begin,
    isOver: () => performance.now() > endMs,
    next: async () => {
      await nextTurn()
      begin()
    },
  }
}
