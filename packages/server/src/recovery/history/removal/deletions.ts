import { readTexts } from '../../../changelog/versions/texts.js'
import type { Position } from '../../../changelog/versions/version.js'
import { newest } from '../../../changelog/versions/version.js'
import type { Call } from '../../../operations/call.js'
import { isDeletion } from '../states.js'
import { type HistoryRow, listAfter, listBefore } from '../store.js'

/** A record as it was deleted. */
export interface DeletedRecord extends HistoryRow {
  /** Whole, as JSON. */
  before: string
}

/** A step ends where its texts have grown this long. */
const maxStepLength = 1_048_576

/** Records that were deleted from one sequence to another, after a position in that order. */
export const deletionsAfter = async (
  call: Call,
  after: Position,
  upToSequence: number,
  count: number,
): Promise<DeletedRecord[]> => {
  const { db, actor } = call
  const texts = readTexts(db, actor.tenantId, call.work !== undefined)
  const records: DeletedRecord[] = []
  let length = 0
  for (const row of await listAfter(db, actor.tenantId, 'all', after, upToSequence, count)) {
    if (!isDeletion(row)) continue
    const before = (await texts.before(row))!
    records.push({ ...row, before })
    length += before.length
    if (length > maxStepLength) break
  }
  return records
}

/** Returns the newest change of a record if it is a deletion. */
export const lastDeletionOf = async ({ db, actor }: Call, record: string): Promise<HistoryRow | undefined> =>
  (await listBefore(db, actor.tenantId, { record }, newest, 0, 1)).find(isDeletion)
