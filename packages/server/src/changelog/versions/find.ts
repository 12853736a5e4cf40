import { AppError } from '../../base/errors.js'
import type { ActorRef } from '../../operations/actor.js'
import type { Call } from '../../operations/call.js'
import { findArrival, findReplaced, listClaimChanges, type Replaced } from './store.js'
import { readTexts } from './texts.js'
import { type MoveRest, newest, type Position, recordName } from './version.js'

/** More moves than an item has had that anyone looks back over. */
const maxMoves = 100

export const versionNotFound = (what: string, version: number): AppError =>
  new AppError('NOT_FOUND', `Version ${version} of ${what} not found. Its history lists the versions that are kept.`)

/** A replaced version of a record, as JSON, and what is kept with it. */
interface FoundVersion {
  text: string
  rest: string | null
}

/** A replaced version of a record, also from before it was moved to its place; undefined where it is not kept. */
export const findVersion = async (call: Call, record: string, version: number): Promise<FoundVersion | undefined> => {
  const { db, actor } = call
  const { tenantId } = actor
  const texts = readTexts(db, tenantId)
  const read = async (row: Replaced): Promise<FoundVersion | undefined> => {
    const text = await texts.before(row)
    return text === null ? undefined : { text, rest: row.rest }
  }
  let [place, upTo]: [string, Position] = [record, newest]
  for (let moves = 0; moves < maxMoves; moves++) {
    const row = await findReplaced(db, tenantId, place, version, upTo)
    const arrival = await findArrival(db, tenantId, place, upTo)
    if (row && (!arrival || row.sequence >= arrival.sequence)) return read(row)
    if (!arrival?.rest) break
    place = (JSON.parse(arrival.rest) as MoveRest).from
    upTo = [arrival.sequence, 0]
  }
  // What had the key before the item was moved there.
  const earlier = await findReplaced(db, tenantId, record, version, newest)
  return earlier && read(earlier)
}

/** A claim of a task that was made, or one that ended. */
export interface ClaimChange {
  type: 'task.claimed' | 'task.released' | 'task.claim_expired'
  atMs: number
  by: ActorRef
}

/** The last changes of the claims of a task, the oldest first, as far as the history has them. */
export const claimChangesOf = async ({ db, actor }: Call, taskId: string, count: number): Promise<ClaimChange[]> => {
  const rows = await listClaimChanges(db, actor.tenantId, recordName.task(taskId), count)
  return rows
    .map(({ type, created_at, actor }) => ({ type, atMs: created_at, by: JSON.parse(actor) as ActorRef }))
    .reverse()
}
