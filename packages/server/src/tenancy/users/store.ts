import { foldEmail } from '../../base/email.js'
import type { Row } from '../../base/record.js'
import type { Sql } from '../../db/port.js'
import { type User, userRecord } from './schema.js'

const userRow = userRecord.row

const columns = userRow.columns()

/** How a task shows its assignee. */
const assigneeDoc = ({ id, name }: User): string => JSON.stringify({ id, name })

export const findUser = async (db: Sql, tenantId: string, id: string): Promise<User | undefined> => {
  const found = await db.get<Row>(`select ${columns} from users where tenant_id = ? and id = ?`, [tenantId, id])
  return found && userRow.read(found)
}

export const humanUserIds = async (db: Sql, tenantId: string): Promise<string[]> => {
  const rows = await db.all<{ id: string }>(`select id from users where tenant_id = ? and kind = 'human'`, [tenantId])
  return rows.map(({ id }) => id)
}

/**
 * Returns the IDs of up to two human users with this e-mail address, ignoring the case of ASCII letters. Two are enough
 * to tell whether the address identifies one user.
 */
export const humanIdsByEmail = async (db: Sql, tenantId: string, email: string): Promise<string[]> => {
  const rows = await db.all<{ id: string }>(
    `select id from users where tenant_id = ? and kind = 'human' and ${db.dialect.asciiLower('email')} = ? limit 2`,
    [tenantId, foldEmail(email)],
  )
  return rows.map(({ id }) => id)
}

export const rolesOfUsers = async (
  db: Sql,
  tenantId: string,
  ids: readonly string[],
): Promise<Map<string, User['role']>> => {
  const rows = await db.all<Pick<User, 'id' | 'role'>>(
    `select id, role from users where tenant_id = ? and ${db.dialect.isAmong('id', 'text')}`,
    [tenantId, db.dialect.listOf(ids)],
  )
  return new Map(rows.map(({ id, role }) => [id, role]))
}

export const namesOfUsers = async (db: Sql, tenantId: string, ids: readonly string[]): Promise<Map<string, string>> => {
  const rows = await db.all<Pick<User, 'id' | 'name'>>(
    `select id, name from users where tenant_id = ? and ${db.dialect.isAmong('id', 'text')}`,
    [tenantId, db.dialect.listOf(ids)],
  )
  return new Map(rows.map(({ id, name }) => [id, name]))
}

export const listUsers = async (
  db: Sql,
  tenantId: string,
  after: readonly [createdAt: number, id: string] | undefined,
  count: number,
): Promise<User[]> => {
  const from = after ? ' and (created_at, id) > (?, ?)' : ''
  const rows = await db.all<Row>(
    `select ${columns} from users where tenant_id = ?${from} order by created_at, id limit cast(? as bigint)`,
    [tenantId, ...(after ?? []), count],
  )
  return rows.map(userRow.read)
}

export const insertUser = async (db: Sql, tenantId: string, user: User): Promise<void> => {
  await db.run(
    `insert into users (tenant_id, assignee_doc, ${userRow.insert.columns}) values (?, ?, ${userRow.insert.marks})`,
    [tenantId, assigneeDoc(user), ...userRow.insert.values(user)],
  )
}

export const updateUser = async (db: Sql, tenantId: string, user: User): Promise<void> => {
  const doc = assigneeDoc(user)
  await db.run(
    `update users set ${userRow.update.assignments}, assignee_doc = ?,
       renames = renames + case when assignee_doc = ? then 0 else 1 end
     where tenant_id = ? and id = ?`,
    [...userRow.update.values(user), doc, doc, tenantId, user.id],
  )
}

export const deleteUser = async (db: Sql, tenantId: string, id: string): Promise<void> => {
  await db.run('delete from users where tenant_id = ? and id = ?', [tenantId, id])
}

/** The handles that are in use and begin with a text. */
export const handlesFrom = async (db: Sql, tenantId: string, prefix: string): Promise<string[]> => {
  // The tilde sorts after every character of a handle.
  const rows = await db.all<{ handle: string }>(
    'select handle from users where tenant_id = ? and handle >= ? and handle < ?',
    [tenantId, prefix, `${prefix}~`],
  )
  return rows.map(({ handle }) => handle)
}

/** The users who have one of these handles, by handle. */
export const idsByHandle = async (
  db: Sql,
  tenantId: string,
  handles: readonly string[],
): Promise<Map<string, string>> => {
  const rows = await db.all<{ id: string; handle: string }>(
    `select id, handle from users where tenant_id = ? and ${db.dialect.isAmong('handle', 'text')}`,
    [tenantId, db.dialect.listOf(handles)],
  )
  return new Map(rows.map(({ id, handle }) => [handle, id]))
}
