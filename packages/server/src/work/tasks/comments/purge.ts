import { countStoredBytes } from '../../../limits/quotas/stored-bytes.js'
import type { Call } from '../../../operations/call.js'
import { deleteTaskComments } from './store.js'

/** Removes some comments of a task that is purged; answers how many. */
export const purgeComments = async ({ db, actor }: Call, taskId: string, count: number): Promise<number> => {
  const lengths = await deleteTaskComments(db, actor.tenantId, taskId, count)
  const bytes = lengths.reduce((sum, length) => sum + length, 0)
  await countStoredBytes(db, actor.tenantId, -bytes)
  return lengths.length
}
