import { readTexts } from '../../changelog/versions/texts.js'
import { kindOfType, newest, recordName } from '../../changelog/versions/version.js'
import type { Call } from '../../operations/call.js'
import type { Task } from '../../work/tasks/schema.js'
import { storedVersion } from './current-version.js'
import { type HistoryRow, listAfter, listBefore } from './store.js'

export interface States {
  /** The record before a change, as JSON; null where there was none. */
  before(row: HistoryRow): Promise<string | null>
  /** The record after a change; null where it is gone. `newer` is the next change of the record, where it is known. */
  after(row: HistoryRow, newer?: HistoryRow): Promise<string | null>
}

export const isDeletion = ({ type }: HistoryRow): boolean => type.endsWith('.deleted')

/** A change is kept with what it replaced; what it made is what the next one replaced, or what stands now. */
export const statesOf = (call: Call): States => {
  const { db, actor } = call
  const { tenantId } = actor
  const texts = readTexts(db, tenantId, call.work !== undefined)

  const nextOf = async ({ record, sequence, place }: HistoryRow): Promise<HistoryRow | undefined> =>
    (await listAfter(db, tenantId, { record }, [sequence, place], Number.MAX_SAFE_INTEGER, 1))[0]

  const after: States['after'] = async (row, newer) => {
    if (isDeletion(row)) return null
    const next = newer ?? (await nextOf(row))
    if (next) return texts.before(next)
    return (await storedVersion(call, kindOfType(row.type), row.record)) ?? null
  }
  // A restored record is compared with what was deleted.
  const before: States['before'] = async (row) => {
    if (!row.type.endsWith('.restored')) return texts.before(row)
    const [deletion] = await listBefore(db, tenantId, { record: row.record }, [row.sequence, row.place], 0, 1)
    return deletion ? texts.before(deletion) : null
  }
  return { before, after }
}

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
