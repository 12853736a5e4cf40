import { isoTime } from '../../base/clock.js'
import type { Json } from '../../base/json.js'
import type { ProjectSet } from '../../base/project-set.js'
import { maxEntriesPerUser } from '../../changelog/inbox/notify.js'
import type { InboxEntry, UnreadEntry } from '../../changelog/inbox/schema.js'
import type { Sql, Value } from '../../db/port.js'
import { inProjects, ofVisibleProject } from '../../db/project-conditions.js'

interface NumberedEntry {
  number: number
  entry: Json<InboxEntry>
}

/** An entry as it is stored, with when it was read. */
const withReading = (doc: string, readAtMs: number | null): Json<InboxEntry> =>
  `${doc.slice(0, -1)},"readAt":${readAtMs === null ? 'null' : `"${isoTime(readAtMs)}"`}}`

/** Of an entry `e`: what it is about is not in the trash. */
const isAboutVisible = `
  (e.task_id is null or exists (select 1 from tasks t where t.tenant_id = :tenant and t.id = e.task_id))
  and (e.comment_id is null or exists (select 1 from comments c
    where c.tenant_id = :tenant and c.task_id = e.task_id and c.id = e.comment_id))
  and ${ofVisibleProject('e')}`

/** The number of an entry; where it is gone, of the one before it, since ids sort by time. */
const numberOf = `coalesce(
  (select n.number from inbox_entries n where n.tenant_id = ? and n.user_id = ? and n.id = ?),
  (select max(n.number) from inbox_entries n where n.tenant_id = ? and n.user_id = ? and n.id < ?), 0)`

/** SQL condition that a reader can see the project of an entry and the private project that its text comes from. */
const inReadableProjects = (db: Sql, table: string, projectIds: ProjectSet): [text: string, params: string[]] => {
  const [ofProject, params] = inProjects(db.dialect, `${table}.project_id`, projectIds)
  const [ofText, textParams] = inProjects(db.dialect, `${table}.private_project_id`, projectIds)
  return ofText === ''
    ? [ofProject, params]
    : [`${ofProject} and (${table}.private_project_id is null or (1 = 1${ofText}))`, [...params, ...textParams]]
}

/** What of an inbox a reader sees. */
interface EntryFilter {
  isUnread: boolean
  /** Only those that are newer than this entry. */
  after: string | undefined
  projectIds: ProjectSet
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
    [isAboutVisible],
  ]
  if (before !== undefined) conditions.push(['e.number < ?', before])
  if (filter.after !== undefined) {
    const entry = [tenantId, userId, filter.after]
    conditions.push([`e.number > ${numberOf}`, ...entry, ...entry])
  }
  if (filter.isUnread) conditions.push(['e.read_at is null'])
  const [ofProjects, projects] = inReadableProjects(db, 'e', filter.projectIds)
  const rows = await db.all<{ number: number; read_at: number | null; doc: string }>(
    `select e.number, e.read_at, e.doc from inbox_entries e
     where ${conditions.map(([text]) => text).join(' and ')}${ofProjects} order by e.number desc limit cast(? as bigint)`,
    [...conditions.flatMap(([, ...params]) => params), ...projects, count],
  )
  return rows.map(({ number, doc, read_at }) => ({ number, entry: withReading(doc, read_at) }))
}

/** An entry as it was written. */
export interface WrittenEntry {
  entry: UnreadEntry
  /** The private project that the text comes from, if the task has left it. */
  privateProjectId: string | null
  cause: string
  sequence: number
  createdAtMs: number
  userId: string
  userName: string
}

/** Entries of a user, or of all human users, by the place in the log that they were written at. */
export const listEntriesBetween = async (
  db: Sql,
  tenantId: string,
  [after, end]: readonly [after: number, end: number],
  { inboxOf, projectId }: { inboxOf: string; projectId: string | null },
  count: number,
): Promise<WrittenEntry[]> => {
  const isHumans = inboxOf === 'humans'
  const rows = await db.all<{
    doc: string
    private_project_id: string | null
    cause: string
    sequence: number
    created_at: number
    user_id: string
    user_name: string
  }>(
    `select e.doc, e.private_project_id, e.cause, e.sequence, e.created_at, e.user_id, u.name as user_name
     from inbox_entries e join users u on u.tenant_id = :tenant and u.id = e.user_id
     where e.tenant_id = ? and e.sequence > ? and e.sequence <= ? and ${isAboutVisible}
       and ${isHumans ? "u.kind = 'human'" : 'e.user_id = ?'}${projectId === null ? '' : ' and e.project_id = ?'}
     order by e.sequence, e.id limit cast(? as bigint)`,
    [...[tenantId, after, end], ...(isHumans ? [] : [inboxOf]), ...(projectId === null ? [] : [projectId]), count],
  )
  return rows.map((row) => ({
    entry: JSON.parse(row.doc) as UnreadEntry,
    privateProjectId: row.private_project_id,
    cause: row.cause,
    sequence: row.sequence,
    createdAtMs: row.created_at,
    userId: row.user_id,
    userName: row.user_name,
  }))
}

/** Whose entries are read: those of a user, in projects that the key may use. */
interface Reader {
  userId: string
  projectIds: ProjectSet
}

/** Answers how many were unread. */
export const markRead = async (
  db: Sql,
  tenantId: string,
  reader: Reader,
  ids: readonly string[],
  nowMs: number,
): Promise<number> => {
  const [ofProjects, params] = inReadableProjects(db, 'inbox_entries', reader.projectIds)
  return db.run(
    `update inbox_entries set read_at = ?
     where tenant_id = ? and user_id = ? and read_at is null and ${db.dialect.isAmong('id', 'text')}${ofProjects}`,
    [nowMs, tenantId, reader.userId, db.dialect.listOf(ids), ...params],
  )
}

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
  reader: Reader,
  number: number,
  nowMs: number,
): Promise<number> => {
  const [ofProjects, params] = inReadableProjects(db, 'inbox_entries', reader.projectIds)
  return db.run(
    `update inbox_entries set read_at = ?
     where tenant_id = ? and user_id = ? and number <= ? and read_at is null${ofProjects}`,
    [nowMs, tenantId, reader.userId, number, ...params],
  )
}
