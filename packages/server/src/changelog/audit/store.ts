import { isoTime } from '../../base/clock.js'
import type { Sql, Value } from '../../db/port.js'
import type { ActorRef } from '../../operations/actor.js'
import type { Interface } from '../../operations/call.js'
import { type AuditAction, refusedActions } from './actions.js'
import type { AuditEntry } from './schema.js'

interface EntryRow {
  id: string
  created_at: number
  last_at: number
  action: string
  actor: string | null
  address: string | null
  request_id: string | null
  via: Interface
  subject: string | null
  details: string
  count: number
}

const columns = 'id, created_at, last_at, action, actor, address, request_id, via, subject, details, count'

const entryOf = (row: EntryRow): AuditEntry => ({
  id: row.id,
  at: isoTime(row.created_at),
  action: row.action as AuditAction,
  actor: row.actor === null ? null : (JSON.parse(row.actor) as ActorRef),
  address: row.address,
  requestId: row.request_id,
  via: row.via,
  subject: row.subject,
  details: JSON.parse(row.details) as Record<string, unknown>,
  count: row.count,
  lastAt: isoTime(row.last_at),
})

/** An entry that is there already, as one of the same refusals is, counts on. */
export const saveEntry = async (db: Sql, tenantId: string, entry: AuditEntry): Promise<void> => {
  await db.run(
    `insert into audit_entries (tenant_id, key_id, id, created_at, last_at, action, actor, address, request_id, via,
                                subject, details, count)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     on conflict (tenant_id, id) do update set
       count = audit_entries.count + excluded.count, last_at = excluded.last_at, request_id = excluded.request_id`,
    [
      tenantId,
      entry.actor?.keyId ?? null,
      entry.id,
      Date.parse(entry.at),
      Date.parse(entry.lastAt),
      entry.action,
      entry.actor && JSON.stringify(entry.actor),
      entry.address,
      entry.requestId,
      entry.via,
      entry.subject,
      JSON.stringify(entry.details),
      entry.count,
    ],
  )
}

interface AuditFilter {
  /** From the first, up to but without the second. */
  actions?: readonly [from: string, end: string] | undefined
  keyId?: string | undefined
  result?: 'done' | 'refused' | undefined
  sinceMs?: number | undefined
  untilMs?: number | undefined
  before?: readonly [createdAt: number, id: string] | undefined
}

/** Newest first. */
export const listEntries = async (
  db: Sql,
  tenantId: string,
  { actions, keyId, result, sinceMs, untilMs, before }: AuditFilter,
  count: number,
): Promise<AuditEntry[]> => {
  const conditions = ['tenant_id = ?']
  const params: Value[] = [tenantId]
  const add = (text: string, ...values: readonly Value[]): void => {
    conditions.push(text)
    params.push(...values)
  }
  if (actions) add('action >= ? and action < ?', ...actions)
  if (keyId !== undefined) add('key_id = ?', keyId)
  if (result) add(`action ${result === 'done' ? 'not in' : 'in'} (?, ?)`, ...refusedActions)
  if (sinceMs !== undefined) add('created_at >= ?', sinceMs)
  if (untilMs !== undefined) add('created_at < ?', untilMs)
  if (before) add('(created_at, id) < (?, ?)', ...before)
  const rows = await db.all<EntryRow>(
    `select ${columns} from audit_entries where ${conditions.join(' and ')}
     order by created_at desc, id desc limit cast(? as bigint)`,
    [...params, count],
  )
  return rows.map(entryOf)
}
