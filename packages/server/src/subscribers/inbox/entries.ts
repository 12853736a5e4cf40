import type { UnreadEntry } from '../../changelog/inbox/schema.js'
import type { Sql } from '../../db/port.js'
import { readersAmong } from '../../tenancy/keys/readers.js'
import { listEntriesBetween, type WrittenEntry } from './store.js'

/** Whose entries, a user's or those of all human users, and of which project; null is all of them. */
interface EntrySelection {
  inboxOf: string
  projectId: string | null
}

/** Entries of one change for the same reason, one for each user who is told. */
export interface EntryGroup {
  entry: UnreadEntry
  sequence: number
  createdAtMs: number
  userIds: string[]
  userNames: string[]
}

const entriesPerRead = 500

const grouped = (entries: readonly WrittenEntry[]): EntryGroup[] => {
  const groups = new Map<string, EntryGroup>()
  for (const { entry, cause, sequence, createdAtMs, userId, userName } of entries) {
    const name = JSON.stringify([sequence, entry.kind, cause])
    const group = groups.get(name) ?? { entry, sequence, createdAtMs, userIds: [], userNames: [] }
    group.userIds.push(userId)
    group.userNames.push(userName)
    groups.set(name, group)
  }
  return [...groups.values()]
}

/**
 * Entries that were written after one place of the log and up to another, in that order, as far as their users may read
 * what they are about. `upTo` is how far they were read.
 */
export const entriesBetween = async (
  db: Sql,
  tenantId: string,
  [after, end]: readonly [after: number, end: number],
  selection: EntrySelection,
  nowMs: number,
): Promise<{ groups: EntryGroup[]; upTo: number }> => {
  if (end <= after) return { groups: [], upTo: end }
  const rows = await listEntriesBetween(db, tenantId, [after, end], selection, entriesPerRead)
  const last = rows.at(-1)?.sequence ?? 0
  const first = rows[0]?.sequence ?? 0
  // The last place may have more, unless all are of one.
  const isCut = rows.length === entriesPerRead && first < last
  const whole = isCut ? rows.filter(({ sequence }) => sequence < last) : rows
  const userIds = [...new Set(whole.map(({ userId }) => userId))]
  const mayRead = userIds.length === 0 ? () => true : await readersAmong(db, tenantId, userIds, nowMs)
  const readable = whole.filter(
    ({ userId, entry, privateProjectId }) =>
      mayRead(userId, entry.projectId) && (privateProjectId === null || mayRead(userId, privateProjectId)),
  )
  return { groups: grouped(readable), upTo: isCut ? last - 1 : end }
}
