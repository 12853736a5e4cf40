import { AppError } from '../../base/errors.js'
import type { ActorRef } from '../../operations/actor.js'
import type { Call } from '../../operations/call.js'
import { findLastAddresses, findReplaced, listClaimChanges, listTaskMoves } from './store.js'
import { readTexts } from './texts.js'
import { recordName } from './version.js'

export const versionNotFound = (what: string, version: number): AppError =>
  new AppError('no_version', `Version ${version} of ${what} not found. Its history lists the versions that are kept.`)

/** A replaced version of a record, as JSON, and what is kept with it. */
interface FoundVersion {
  text: string
  rest: string | null
}

/** Returns a replaced version of a record as JSON; undefined if that version is not kept. */
export const findVersion = async (
  { db, actor }: Call,
  record: string,
  version: number,
): Promise<FoundVersion | undefined> => {
  const row = await findReplaced(db, actor.tenantId, record, version)
  const text = row && (await readTexts(db, actor.tenantId).before(row))
  return row && typeof text === 'string' ? { text, rest: row.rest } : undefined
}

/** Returns the last key and project of each item by ID, including deleted items until they are purged. */
export const lastAddresses = async (
  { db, actor }: Call,
  ids: readonly string[],
): Promise<Map<string, { key: string; projectId: string }>> =>
  new Map(
    (await findLastAddresses(db, actor.tenantId, ids)).map(({ id, key, project_id }) => [
      id,
      { key, projectId: project_id },
    ]),
  )

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
