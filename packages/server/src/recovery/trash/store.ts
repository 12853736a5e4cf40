import { noteDue } from '../../background/note.js'
import type { TrashKind } from '../../changelog/versions/version.js'
import type { Sql } from '../../db/port.js'
import type { ActorRef } from '../../operations/actor.js'

/** `restoring` and `purging` go on in steps. */
type EntryState = 'kept' | 'restoring' | 'purging'

export interface StoredEntry {
  id: string
  kind: TrashKind
  record: string
  projectId: string
  title: string
  version: number
  firstSequence: number
  lastSequence: number
  deletedAtMs: number
  actor: ActorRef
  state: EntryState
  /** How far it has come, as JSON. */
  progress: string | null
}

interface EntryRow {
  id: string
  kind: TrashKind
  record: string
  project_id: string
  title: string
  version: number
  first_sequence: number
  last_sequence: number
  deleted_at: number
  actor: string
  state: EntryState
  progress: string | null
}

const columns = `id, kind, record, project_id, title, version, first_sequence, last_sequence, deleted_at, actor, state,
  progress`

const entryOf = (row: EntryRow): StoredEntry => ({
  id: row.id,
  kind: row.kind,
  record: row.record,
  projectId: row.project_id,
  title: row.title,
  version: row.version,
  firstSequence: row.first_sequence,
  lastSequence: row.last_sequence,
  deletedAtMs: row.deleted_at,
  actor: JSON.parse(row.actor) as ActorRef,
  state: row.state,
  progress: row.progress,
})

export const findEntry = async (db: Sql, tenantId: string, id: string): Promise<StoredEntry | undefined> => {
  const row = await db.get<EntryRow>(`select ${columns} from trash where tenant_id = ? and id = ?`, [tenantId, id])
  return row && entryOf(row)
}

/** The entry that a change deleted a record into. */
export const findEntryHolding = async (
  db: Sql,
  tenantId: string,
  sequence: number,
): Promise<StoredEntry | undefined> => {
  const row = await db.get<EntryRow>(
    `select ${columns} from trash where tenant_id = ? and last_sequence >= ? order by last_sequence limit 1`,
    [tenantId, sequence],
  )
  return row && row.first_sequence <= sequence ? entryOf(row) : undefined
}

/** Entries before a place in the order of their times, the newest first. */
export const listEntries = async (
  db: Sql,
  tenantId: string,
  before: readonly [deletedAtMs: number, id: string] | undefined,
  count: number,
): Promise<StoredEntry[]> => {
  const rows = await db.all<EntryRow>(
    `select ${columns} from trash where tenant_id = ? and (deleted_at, id) < (?, ?)
     order by deleted_at desc, id desc limit cast(? as bigint)`,
    [tenantId, ...(before ?? [Number.MAX_SAFE_INTEGER, '']), count],
  )
  return rows.map(entryOf)
}

export const setProgress = async (
  db: Sql,
  tenantId: string,
  id: string,
  state: EntryState,
  progress: object | null,
): Promise<void> => {
  await db.run('update trash set state = ?, progress = ? where tenant_id = ? and id = ?', [
    state,
    progress && JSON.stringify(progress),
    tenantId,
    id,
  ])
}

/** Has the service go on with entries that are being restored or purged. */
export const noteUnderWay = async (
  db: Sql,
  tenantId: string,
  kind: 'restores' | 'trash',
  nowMs: number,
): Promise<void> => {
  await db.runAll(noteDue(db, { tenantId, kind, dueAtMs: kind === 'trash' ? 0 : nowMs }, nowMs))
}

export const deleteEntry = async (db: Sql, tenantId: string, id: string): Promise<void> => {
  await db.run('delete from trash where tenant_id = ? and id = ?', [tenantId, id])
}

/** Of the comments of a task that is purged. */
export const deleteCommentEntries = async (db: Sql, tenantId: string, taskId: string): Promise<void> => {
  // A slash is followed by the digit 0 in the order of bytes.
  await db.run('delete from trash where tenant_id = ? and record >= ? and record < ?', [
    tenantId,
    `${taskId}/`,
    `${taskId}0`,
  ])
}

/** Marks up to `count` entries from before a time to be purged; answers how many. */
export const purgeEntries = async (
  db: Sql,
  tenantId: string,
  deletedBeforeMs: number,
  count: number,
): Promise<number> =>
  db.run(
    `update trash set state = 'purging', progress = null where tenant_id = ? and id in
       (select id from trash where tenant_id = ? and deleted_at < ? and state = 'kept' order by deleted_at limit cast(? as bigint))`,
    [tenantId, tenantId, deletedBeforeMs, count],
  )

/** When the oldest entry that is kept was deleted. */
export const findOldestKept = async (db: Sql, tenantId: string): Promise<number | null> => {
  const row = await db.get<{ deleted_at: number }>(
    `select deleted_at from trash where tenant_id = ? and state = 'kept' order by deleted_at limit 1`,
    [tenantId],
  )
  return row?.deleted_at ?? null
}

export const listRestoring = async (db: Sql, tenantId: string, count: number): Promise<StoredEntry[]> => {
  const rows = await db.all<EntryRow>(
    `select ${columns} from trash where state = 'restoring' and state <> 'kept' and tenant_id = ? limit cast(? as bigint)`,
    [tenantId, count],
  )
  return rows.map(entryOf)
}

/** The oldest first: what was deleted from a project goes before the project. */
export const listPurging = async (db: Sql, tenantId: string, count: number): Promise<string[]> => {
  const rows = await db.all<{ id: string }>(
    `select id from trash where state = 'purging' and state <> 'kept' and tenant_id = ?
     order by deleted_at limit cast(? as bigint)`,
    [tenantId, count],
  )
  return rows.map(({ id }) => id)
}
