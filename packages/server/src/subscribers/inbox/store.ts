import { isoTime } from '../../base/clock.js'
import { maxEntriesPerUser } from '../../changelog/inbox/notify.js'
import type { InboxEntry } from '../../changelog/inbox/schema.js'
import type { Sql, Value } from '../../db/port.js'
import { ofVisibleProject } from '../../db/visible-project.js'

interface EntryRow {
  number: number
  id: string
  kind: InboxEntry['kind']
  task_id: string | null
  project_id: string
  created_at: number
  read_at: number | null
  doc: string
}

export interface NumberedEntry {
  number: number
  entry: InboxEntry
}

const entryOf = (row: EntryRow): NumberedEntry => {
  const { key, title, excerpt, by } = JSON.parse(row.doc) as Pick<InboxEntry, 'key' | 'title' | 'excerpt' | 'by'>
  return {
    number: row.number,
    entry: {
      id: row.id,
      kind: row.kind,
      taskId: row.task_id,
      key,
      projectId: row.project_id,
      title,
      excerpt,
      at: isoTime(row.created_at),
      by,
      readAt: row.read_at === null ? null : isoTime(row.read_at),
    },
  }
}

/** Of an entry `e`: what it is about is not in the trash. Its parameter is the tenant. */
export const isAboutVisible = `
  (e.task_id is null or exists (select 1 from tasks t where t.tenant_id = e.tenant_id and t.id = e.task_id))
  and (e.comment_id is null or exists (select 1 from comments c
    where c.tenant_id = e.tenant_id and c.task_id = e.task_id and c.id = e.comment_id))
  and ${ofVisibleProject('e')}`

/** What of an inbox a reader sees. */
export interface EntryFilter {
  isUnread: boolean
  /** Null is all. */
  projectIds: readonly string[] | null
}

/** The newest first, below a number. */
export const listEntries = async (
  db: Sql,
  tenantId: string,
  userId: string,
  filter: EntryFilter,
  before: number | undefined,
  count: number,
): Promise<NumberedEntry[]> => {
  const conditions: [text: string, ...params: Value[]][] = [
    ['e.tenant_id = ? and e.user_id = ?', tenantId, userId],
    [
      'e.number > (select max(n.number) from inbox_entries n where n.tenant_id = ? and n.user_id = ?) - ?',
      ...[tenantId, userId, maxEntriesPerUser],
    ],
    [isAboutVisible, tenantId],
  ]
  if (before !== undefined) conditions.push(['e.number < ?', before])
  if (filter.isUnread) conditions.push(['e.read_at is null'])
  if (filter.projectIds) {
    conditions.push([db.dialect.isAmong('e.project_id', 'text'), db.dialect.listOf(filter.projectIds)])
  }
  const rows = await db.all<EntryRow>(
    `select e.number, e.id, e.kind, e.task_id, e.project_id, e.created_at, e.read_at, e.doc from inbox_entries e
     where ${conditions.map(([text]) => text).join(' and ')} order by e.number desc limit ?`,
    [...conditions.flatMap(([, ...params]) => params), count],
  )
  return rows.map(entryOf)
}

/** Answers how many were unread. */
export const markRead = async (
  db: Sql,
  tenantId: string,
  userId: string,
  ids: readonly string[],
  nowMs: number,
): Promise<number> =>
  db.run(
    `update inbox_entries set read_at = ?
     where tenant_id = ? and user_id = ? and read_at is null and ${db.dialect.isAmong('id', 'text')}`,
    [nowMs, tenantId, userId, db.dialect.listOf(ids)],
  )

export const findNumber = async (
  db: Sql,
  tenantId: string,
  userId: string,
  id: string,
): Promise<number | undefined> => {
  const row = await db.get<{ number: number }>(
    'select number from inbox_entries where tenant_id = ? and user_id = ? and id = ?',
    [tenantId, userId, id],
  )
  return row?.number
}

/** The same for an entry and all older ones. */
export const markReadUpTo = async (
  db: Sql,
  tenantId: string,
  userId: string,
  number: number,
  nowMs: number,
): Promise<number> =>
  db.run(
    'update inbox_entries set read_at = ? where tenant_id = ? and user_id = ? and number <= ? and read_at is null',
    [nowMs, tenantId, userId, number],
  )
