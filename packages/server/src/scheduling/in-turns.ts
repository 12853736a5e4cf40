import { setImmediate as nextTurn } from 'node:timers/promises'

/** Works on many items some at a time, each time in a turn of its own: the event loop serves others in between. */
export const inTurns = async <T>(
  items: readonly T[],
  perTurn: number,
  work: (some: readonly T[]) => Promise<unknown>,
): Promise<void> => {
  for (let at = 0; at < items.length; at += perTurn) {
    if (at > 0) await nextTurn()
    await work(items.slice(at, at + perTurn))
  }
}

/** Works on one item after the other. What fails keeps none of the others from their turn; the first error is thrown then. */
export const eachInTurn = async <T>(items: Iterable<T>, work: (item: T) => Promise<unknown>): Promise<void> => {
  const errors: unknown[] = []
  for (const item of items) await work(item).catch((error) => errors.push(error))
  if (errors.length > 0) throw errors[0]
}
