import { timedIdFloor } from '../../base/ids.js'
import type { AgedRows } from '../../db/aged-rows.js'
import type { ErasedTexts } from '../../db/erased-texts.js'
import type { Call } from '../../operations/call.js'
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
const keptForMs = 90 * 86_400_000

export const agedInboxEntries: AgedRows = {
  ...entries,
  age: 'id',
  upTo: (nowMs) => timedIdFloor('inb', nowMs - keptForMs),
}

export const erasedInboxEntries: ErasedTexts = { ...entries, start: [''], texts: ['doc'], rowsPerStep: 500 }

/** Moves the entries of moved tasks. Texts from a private project stay hidden from users who cannot see the project. */
export const moveNotices = async (
  { db, actor }: Call,
  taskIds: readonly string[],
  between: store.MovedBetween,
): Promise<void> => {
  await db.runAll([store.moveEntries(db, actor.tenantId, taskIds, between)])
}
