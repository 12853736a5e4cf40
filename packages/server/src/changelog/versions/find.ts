import { AppError } from '../../base/errors.js'
import type { ActorRef } from '../../operations/actor.js'
import type { Call } from '../../operations/call.js'
import { type Stay, stayBefore } from './stay.js'
import { findReplaced, findStayStart, listClaimChanges, listTaskMoves, type Replaced } from './store.js'
import { readTexts } from './texts.js'
import { newest, recordName } from './version.js'

/** More moves and restorations than an item has had that anyone looks back over. */
const maxStays = 100

export const versionNotFound = (what: string, version: number): AppError =>
  new AppError('NOT_FOUND', `Version ${version} of ${what} not found. Its history lists the versions that are kept.`)

/** A replaced version of a record, as JSON, and what is kept with it. */
interface FoundVersion {
  text: string
  rest: string | null
}

/** A replaced version of a record, also from before it was moved or restored; undefined where it is not kept. */
export const findVersion = async (call: Call, record: string, version: number): Promise<FoundVersion | undefined> => {
  const { db, actor } = call
  const { tenantId } = actor
  const texts = readTexts(db, tenantId)
  const read = async (row: Replaced): Promise<FoundVersion | undefined> => {
    const text = await texts.before(row)
    return text === null ? undefined : { text, rest: row.rest }
  }
  let stay: Stay | undefined = { record, upTo: newest }
  for (let stays = 0; stay && stays < maxStays; stays++) {
    const row = await findReplaced(db, tenantId, stay.record, version, stay.upTo)
    const start = await findStayStart(db, tenantId, stay.record, stay.upTo)
    if (row && (!start || row.sequence >= start.sequence)) return read(row)
    stay = start && (await stayBefore(db, tenantId, start))
  }
  // What else has had the key.
  const earlier = await findReplaced(db, tenantId, record, version, newest)
  return earlier && read(earlier)
}

/** Limits the moves that are read for one tree of tasks. */
const maxMoves = 10_000

/** What was kept with the moves of tasks, the newest first. */
export const movesOfTasks = ({ db, actor }: Call, taskIds: readonly string[]) =>
  listTaskMoves(db, actor.tenantId, taskIds.map(recordName.task), maxMoves)

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
