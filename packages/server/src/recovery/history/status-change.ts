import { newest, recordName } from '../../changelog/versions/version.js'
import type { Call } from '../../operations/call.js'
import type { Task } from '../../work/tasks/schema.js'
import { statesOf } from './states.js'
import { type HistoryRow, listBefore } from './store.js'

/** So many changes of a task are looked through. */
const maxRowsRead = 50

/** The change that gave a task its present status; undefined where it was too many changes ago. */
export const findStatusChange = async (
  call: Call,
  { id, status }: Pick<Task, 'id' | 'status'>,
): Promise<HistoryRow | undefined> => {
  const states = statesOf(call)
  const { db, actor } = call
  for (const row of await listBefore(db, actor.tenantId, { record: recordName.task(id) }, newest, 0, maxRowsRead)) {
    const before = await states.before(row)
    if (before === null || (JSON.parse(before) as Task).status !== status) return row
  }
  return undefined
}
