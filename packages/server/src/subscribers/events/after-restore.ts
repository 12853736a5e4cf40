import { randomInt } from 'node:crypto'
import type { Sql } from '../../db/port.js'
import { deleteEvents, raiseSequence } from './log-store.js'

/** More than any tenant writes between a backup and its restore. */
export const sequenceGap = 1_000_000_000

/** With ten thousand of them a sequence still has the fifteen digits that a reader may send. */
export const largestGap = 100_000_000_000

/**
 * Empties the log and continues numbering far above every sequence that may have been given out, so that no reader
 * mistakes a new event for one it has seen: an older position gets GONE. By a random amount, since another
 * restore of the same backup starts from the same sequence.
 */
export const restartLog = async (tx: Sql, tenantId: string, highestSequence: number): Promise<void> => {
  await raiseSequence(tx, tenantId, highestSequence, randomInt(sequenceGap, largestGap))
  await deleteEvents(tx, tenantId)
}
