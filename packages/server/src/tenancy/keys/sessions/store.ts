import type { Sql } from '../../../db/port.js'
import type { KeyRef } from '../key-ref.js'

export interface StoredSession {
  id: string
  keyId: string
  cookieHash: string
  secretHash: string
  createdAtMs: number
  lastUsedAtMs: number
  expiresAtMs: number
  /** When it ends however often it is used. */
  endsAtMs: number | null
  address: string | null
  userAgent: string | null
  /** Whether a one-time link opened it, which a person was given, and not the key itself. */
  isByLink: boolean
  /** Of a user who signed in: the issuer, and the session there, where it has an id. */
  issuer: string | null
  issuerSession: string | null
}

interface SessionRow {
  id: string
  key_id: string
  cookie_hash: string
  secret_hash: string
  created_at: number
  last_used_at: number
  expires_at: number
  ends_at: number | null
  address: string | null
  user_agent: string | null
  by_link: number
  issuer: string | null
  issuer_session: string | null
}

const columns = `id, key_id, cookie_hash, secret_hash, created_at, last_used_at, expires_at, ends_at, address, user_agent,
  by_link, issuer, issuer_session`

const sessionOf = (row: SessionRow): StoredSession => ({
  id: row.id,
  keyId: row.key_id,
  cookieHash: row.cookie_hash,
  secretHash: row.secret_hash,
  createdAtMs: row.created_at,
  lastUsedAtMs: row.last_used_at,
  expiresAtMs: row.expires_at,
  endsAtMs: row.ends_at,
  address: row.address,
  userAgent: row.user_agent,
  isByLink: row.by_link === 1,
  issuer: row.issuer,
  issuerSession: row.issuer_session,
})

const isLive = 'expires_at > ? and (ends_at is null or ends_at > ?)'

export const insertSession = async (db: Sql, tenantId: string, session: StoredSession): Promise<void> => {
  await db.run(
    `insert into console_sessions (tenant_id, ${columns}) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [
      ...[tenantId, session.id, session.keyId, session.cookieHash, session.secretHash, session.createdAtMs],
      ...[session.lastUsedAtMs, session.expiresAtMs, session.endsAtMs, session.address, session.userAgent],
      ...[session.isByLink ? 1 : 0, session.issuer, session.issuerSession],
    ],
  )
}

/** A session that has not ended. */
export const findSession = async (
  db: Sql,
  tenantId: string,
  id: string,
  nowMs: number,
  lock: '' | 'forShare' | 'forUpdate' = '',
): Promise<StoredSession | undefined> => {
  const row = await db.get<SessionRow>(
    `select ${columns} from console_sessions where tenant_id = ? and id = ? and ${isLive}${lock && db.dialect[lock]}`,
    [tenantId, id, nowMs, nowMs],
  )
  return row && sessionOf(row)
}

/** Those that have not ended, of one key or of all, the newest first. */
export const listSessions = async (
  db: Sql,
  tenantId: string,
  { keyId, before }: { keyId: string | undefined; before: readonly [createdAt: number, id: string] | undefined },
  nowMs: number,
  count: number,
): Promise<StoredSession[]> => {
  const ofKey = keyId === undefined ? '' : ' and key_id = ?'
  const from = before ? ' and (created_at, id) < (?, ?)' : ''
  const rows = await db.all<SessionRow>(
    `select ${columns} from console_sessions where tenant_id = ? and ${isLive}${ofKey}${from}
     order by created_at desc, id desc limit cast(? as bigint)`,
    [tenantId, nowMs, nowMs, ...(keyId === undefined ? [] : [keyId]), ...(before ?? []), count],
  )
  return rows.map(sessionOf)
}

/** What a session or a link at an issuer has in common with others of it. */
interface IssuerSessionFilter {
  issuer: string
  column: 'issuer_session' | 'key_id'
  value: string
}

/** Those of an issuer that have not ended. */
export const listIssuerSessions = async (
  db: Sql,
  tenantId: string,
  { issuer, column, value }: IssuerSessionFilter,
  nowMs: number,
): Promise<StoredSession[]> => {
  const rows = await db.all<SessionRow>(
    `select ${columns} from console_sessions where tenant_id = ? and issuer = ? and ${column} = ? and ${isLive}`,
    [tenantId, issuer, value, nowMs, nowMs],
  )
  return rows.map(sessionOf)
}

export const deleteIssuerLinks = async (
  db: Sql,
  tenantId: string,
  { issuer, column, value }: IssuerSessionFilter,
): Promise<void> => {
  await db.run(`delete from console_links where tenant_id = ? and issuer = ? and ${column} = ?`, [
    tenantId,
    issuer,
    value,
  ])
}

export const countSessions = async (db: Sql, tenantId: string, nowMs: number): Promise<number> =>
  (await db.get<{ count: number }>(`select count(*) as count from console_sessions where tenant_id = ? and ${isLive}`, [
    tenantId,
    nowMs,
    nowMs,
  ]))!.count

export const renewSession = async (
  db: Sql,
  tenantId: string,
  id: string,
  usedAtMs: number,
  expiresAtMs: number,
): Promise<void> => {
  await db.run(
    'update console_sessions set last_used_at = ?, expires_at = ? where tenant_id = ? and id = ? and expires_at > ?',
    [usedAtMs, expiresAtMs, tenantId, id, usedAtMs],
  )
}

/** Lets all sessions of a key but one end no later than the given time. */
export const endSessionsBy = async (
  db: Sql,
  tenantId: string,
  keyId: string,
  endMs: number,
  exceptId: string,
): Promise<void> => {
  await db.run(
    `update console_sessions set ends_at = ?
     where tenant_id = ? and key_id = ? and id <> ? and (ends_at is null or ends_at > ?)`,
    [endMs, tenantId, keyId, exceptId, endMs],
  )
}

export const deleteSession = async (db: Sql, tenantId: string, id: string): Promise<void> => {
  await db.run('delete from console_sessions where tenant_id = ? and id = ?', [tenantId, id])
}

export const deleteSessionsOf = async (db: Sql, tenantId: string, keyId: string): Promise<void> => {
  await db.run('delete from console_sessions where tenant_id = ? and key_id = ?', [tenantId, keyId])
}

export const deleteEndedSessions = async (db: Sql, tenantId: string, nowMs: number): Promise<void> => {
  await db.run('delete from console_sessions where tenant_id = ? and (expires_at <= ? or ends_at <= ?)', [
    tenantId,
    nowMs,
    nowMs,
  ])
}

export const deleteSessions = async (db: Sql, tenantId: string): Promise<void> => {
  await db.run('delete from console_sessions where tenant_id = ?', [tenantId])
}

/** Of a link that whoever signed in at an issuer gets. */
export interface LinkOrigin {
  /** Hash of the secret of the browser in which the link works. */
  browserHash: string
  issuer: string
  issuerSession: string | null
}

interface StoredLink extends KeyRef {
  hash: string
  expiresAtMs: number
  /** Undefined where an admin issued it. */
  signIn: LinkOrigin | undefined
}

interface LinkRow {
  hash: string
  key_id: string
  secret_prefix: string
  expires_at: number
  browser_hash: string | null
  issuer: string | null
  issuer_session: string | null
}

const linkOf = (tenantId: string, row: LinkRow): StoredLink => ({
  tenantId,
  hash: row.hash,
  keyId: row.key_id,
  secretPrefix: row.secret_prefix,
  expiresAtMs: row.expires_at,
  signIn:
    row.browser_hash === null || row.issuer === null
      ? undefined
      : { browserHash: row.browser_hash, issuer: row.issuer, issuerSession: row.issuer_session },
})

export const insertLink = async (db: Sql, link: StoredLink): Promise<void> => {
  const { browserHash = null, issuer = null, issuerSession = null } = link.signIn ?? {}
  await db.run(
    `insert into console_links (tenant_id, hash, key_id, secret_prefix, expires_at, browser_hash, issuer, issuer_session)
     values (?, ?, ?, ?, ?, ?, ?, ?)`,
    [link.tenantId, link.hash, link.keyId, link.secretPrefix, link.expiresAtMs, browserHash, issuer, issuerSession],
  )
}

export const findLink = async (
  db: Sql,
  tenantId: string,
  hash: string,
  nowMs: number,
): Promise<StoredLink | undefined> => {
  const row = await db.get<LinkRow>(
    `select hash, key_id, secret_prefix, expires_at, browser_hash, issuer, issuer_session from console_links
     where tenant_id = ? and hash = ? and expires_at > ?`,
    [tenantId, hash, nowMs],
  )
  return row && linkOf(tenantId, row)
}

/** The unused links of a key, those that expire first coming first. */
export const listLinkHashes = async (db: Sql, tenantId: string, keyId: string): Promise<string[]> => {
  const rows = await db.all<{ hash: string }>(
    'select hash from console_links where tenant_id = ? and key_id = ? order by expires_at',
    [tenantId, keyId],
  )
  return rows.map(({ hash }) => hash)
}

/** Whether it was there: of several that try at once, one removes it. */
export const deleteLink = async (db: Sql, tenantId: string, hash: string): Promise<boolean> =>
  (await db.run('delete from console_links where tenant_id = ? and hash = ?', [tenantId, hash])) === 1

export const deleteLinksOf = async (db: Sql, tenantId: string, keyId: string): Promise<void> => {
  await db.run('delete from console_links where tenant_id = ? and key_id = ?', [tenantId, keyId])
}

export const deleteLinks = async (db: Sql, tenantId: string): Promise<void> => {
  await db.run('delete from console_links where tenant_id = ?', [tenantId])
}
