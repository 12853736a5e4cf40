import type { Call } from '../../operations/call.js'
import * as store from './store.js'

/** Entries go with their tasks from one project to another. */
export const moveNotices = async (
  { db, actor }: Call,
  taskIds: readonly string[],
  projects: readonly [from: string, to: string],
): Promise<void> => {
  await db.runAll([store.moveEntries(db, actor.tenantId, taskIds, projects)])
}
