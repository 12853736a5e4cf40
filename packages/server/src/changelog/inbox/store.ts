import { insertRows } from '../../db/insert-rows.js'
import type { Sql, Statement } from '../../db/port.js'
import type { InboxEntry } from './schema.js'

/** An entry without what the columns hold. */
export type InboxDoc = Pick<InboxEntry, 'key' | 'title' | 'excerpt' | 'by'>

export interface NewEntry extends InboxDoc {
  userId: string
  id: string
  kind: InboxEntry['kind']
  cause: string
  taskId: string | null
  projectId: string
  createdAtMs: number
}

const columns = {
  user_id: 'text',
  id: 'text',
  kind: 'text',
  cause: 'text',
  task_id: 'text',
  project_id: 'text',
  created_at: 'bigint',
  doc: 'text',
} as const

export const insertEntries = (db: Sql, tenantId: string, entries: readonly NewEntry[]): Statement[] =>
  insertRows(
    db,
    tenantId,
    'inbox_entries',
    columns,
    entries.map(({ key, title, excerpt, by, ...entry }) => ({
      user_id: entry.userId,
      id: entry.id,
      kind: entry.kind,
      cause: entry.cause,
      task_id: entry.taskId,
      project_id: entry.projectId,
      created_at: entry.createdAtMs,
      doc: JSON.stringify({ key, title, excerpt, by } satisfies InboxDoc),
    })),
  )

/** The users who were told of a cause already. */
export const usersTold = async (
  db: Sql,
  tenantId: string,
  kind: InboxEntry['kind'],
  cause: string,
): Promise<string[]> => {
  const rows = await db.all<{ user_id: string }>(
    'select user_id from inbox_entries where tenant_id = ? and cause = ? and kind = ?',
    [tenantId, cause, kind],
  )
  return rows.map(({ user_id }) => user_id)
}

export const markCauseRead = async (
  db: Sql,
  tenantId: string,
  kind: InboxEntry['kind'],
  cause: string,
  nowMs: number,
): Promise<void> => {
  await db.run(
    'update inbox_entries set read_at = ? where tenant_id = ? and cause = ? and kind = ? and read_at is null',
    [nowMs, tenantId, cause, kind],
  )
}
