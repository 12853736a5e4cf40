import { statementOn } from '../../db/given-rows.js'
import type { Sql, Statement } from '../../db/port.js'
import type { InboxKind, UnreadEntry } from './schema.js'

export interface NewEntry {
  userId: string
  cause: string
  commentId: string | null
  createdAtMs: number
  entry: UnreadEntry
}

const columnTypes = {
  user_id: 'text',
  id: 'text',
  kind: 'text',
  cause: 'text',
  task_id: 'text',
  comment_id: 'text',
  project_id: 'text',
  created_at: 'bigint',
  doc: 'text',
} as const
const columns = Object.keys(columnTypes)

/** The same, and which of the entries of its user it is: 1 for the first. */
const givenTypes = { ...columnTypes, place: 'bigint' } as const

const rowOf = ({ userId, cause, commentId, createdAtMs, entry }: NewEntry) => ({
  user_id: userId,
  id: entry.id,
  kind: entry.kind,
  cause,
  task_id: entry.taskId,
  comment_id: commentId,
  project_id: entry.projectId,
  created_at: createdAtMs,
  doc: JSON.stringify(entry),
})

/** Entries of users who exist and were not told of the cause before, in one statement; answers whose and their numbers. */
export const insertEntries = async (
  db: Sql,
  tenantId: string,
  entries: readonly NewEntry[],
): Promise<{ userId: string; number: number }[]> => {
  const places = new Map<string, number>()
  const given = entries.map((entry) => {
    const place = (places.get(entry.userId) ?? 0) + 1
    places.set(entry.userId, place)
    return { ...rowOf(entry), place }
  })
  const { text, params } = statementOn(
    db,
    'inbox entries',
    givenTypes,
    given,
    (given) =>
      `insert into inbox_entries (tenant_id, number, sequence, ${columns.join(', ')})
       select t.tenant_id,
         given.place + coalesce(
           (select max(e.number) from inbox_entries e where e.tenant_id = :tenant and e.user_id = u.id), 0),
         t.last_sequence, ${columns.map((name) => `given.${name}`).join(', ')}
       from ${given} cross join tenants t join users u on u.tenant_id = :tenant and u.id = given.user_id
       where t.tenant_id = ?
       on conflict (tenant_id, cause, kind, user_id) do nothing
       returning user_id, number`,
  )
  const rows = await db.runReturning<{ user_id: string; number: number }>(text, [...params, tenantId])
  return rows.map(({ user_id, number }) => ({ userId: user_id, number }))
}

/** The project that tasks leave and the one that they are moved to. */
export interface MovedBetween {
  from: string
  to: string
  /** Whether `from` is private. */
  isPrivate: boolean
}

/** Deletes the entries of a user up to a number. */
export const deleteUpTo = async (db: Sql, tenantId: string, userId: string, number: number): Promise<void> => {
  await db.run('delete from inbox_entries where tenant_id = ? and user_id = ? and number <= ?', [
    tenantId,
    userId,
    number,
  ])
}

export const markCauseRead = async (
  db: Sql,
  tenantId: string,
  kind: InboxKind,
  cause: string,
  nowMs: number,
): Promise<void> => {
  await db.run(
    'update inbox_entries set read_at = ? where tenant_id = ? and cause = ? and kind = ? and read_at is null',
    [nowMs, tenantId, cause, kind],
  )
}

export const deleteOfCause = async (
  db: Sql,
  tenantId: string,
  kinds: readonly InboxKind[],
  cause: string,
): Promise<void> => {
  await db.run(
    `delete from inbox_entries where tenant_id = ? and cause = ? and ${db.dialect.isAmong('kind', 'text')}`,
    [tenantId, cause, db.dialect.listOf(kinds)],
  )
}

export const deleteOfUser = async (db: Sql, tenantId: string, userId: string): Promise<void> => {
  await db.run('delete from inbox_entries where tenant_id = ? and user_id = ?', [tenantId, userId])
}

export const deleteOfTask = async (db: Sql, tenantId: string, taskId: string): Promise<void> => {
  await db.run('delete from inbox_entries where tenant_id = ? and task_id = ?', [tenantId, taskId])
}

export const deleteOfComment = async (db: Sql, tenantId: string, taskId: string, commentId: string): Promise<void> => {
  await db.run('delete from inbox_entries where tenant_id = ? and task_id = ? and comment_id = ?', [
    tenantId,
    taskId,
    commentId,
  ])
}

/**
 * Moves the entries about tasks from one project to another. Replacing the project ID in their JSON cannot change any
 * text, because quotes in texts are escaped.
 */
export const moveEntries = (
  db: Sql,
  tenantId: string,
  taskIds: readonly string[],
  { from, to, isPrivate }: MovedBetween,
): Statement => ({
  text: `update inbox_entries set project_id = ?, doc = replace(doc, ?, ?),
           private_project_id = coalesce(private_project_id, cast(? as text))
         where tenant_id = ? and ${db.dialect.isAmong('task_id', 'text')}`,
  params: [
    ...[to, `"projectId":"${from}"`, `"projectId":"${to}"`, isPrivate ? from : null],
    ...[tenantId, db.dialect.listOf(taskIds)],
  ],
})
