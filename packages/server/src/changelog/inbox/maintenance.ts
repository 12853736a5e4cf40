import { timedIdFloor } from '../../base/ids.js'
import { type ErasedTexts, endOfStep } from '../../db/erased-texts.js'
import type { Db } from '../../db/port.js'
import type { Call } from '../../operations/call.js'
import { eachInTurn } from '../../scheduling/in-turns.js'
import * as store from './store.js'

/** Deletes the entries of a user who is being deleted. */
export const forgetUser = ({ db, actor }: Call, userId: string): Promise<void> =>
  store.deleteOfUser(db, actor.tenantId, userId)

/** Deletes the entries about a task that is purged. */
export const forgetTask = ({ db, actor }: Call, taskId: string): Promise<void> =>
  store.deleteOfTask(db, actor.tenantId, taskId)

/** The same for a comment. */
export const forgetComment = ({ db, actor }: Call, comment: { taskId: string; id: string }): Promise<void> =>
  store.deleteOfComment(db, actor.tenantId, comment.taskId, comment.id)

const entries = { table: 'inbox_entries', key: ['id'] }
const entriesPerStep = 500
const keptForMs = 90 * 86_400_000

/** Deletes entries that are older than 90 days. */
export const trimInbox = async (db: Db, tenantIds: readonly string[], nowMs: number): Promise<void> => {
  const beforeId = timedIdFloor('inb', nowMs - keptForMs)
  await eachInTurn(tenantIds, async (tenantId) => {
    const [oldest] = (await endOfStep(db, entries, tenantId, [''], 1)) ?? []
    if (oldest === undefined || String(oldest) >= beforeId) return
    for (let deleted = entriesPerStep; deleted === entriesPerStep; ) {
      deleted = await db.transaction((tx) => store.deleteBefore(tx, tenantId, beforeId, entriesPerStep), tenantId)
    }
  })
}

export const erasedInboxEntries: ErasedTexts = { ...entries, start: [''], texts: ['doc'], rowsPerStep: entriesPerStep }

/** Entries go with their tasks from one project to another. */
export const moveNotices = async (
  { db, actor }: Call,
  taskIds: readonly string[],
  projects: readonly [from: string, to: string],
): Promise<void> => {
  await db.runAll([store.moveEntries(db, actor.tenantId, taskIds, projects)])
}
