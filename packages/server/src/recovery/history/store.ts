import { shownHistoryColumns } from '../../changelog/columns.js'
import type { Position, RecordEventType } from '../../changelog/versions/version.js'
import type { Sql, Value } from '../../db/port.js'
import type { Interface } from '../../operations/call.js'

/** A change in the history, without the text of what it replaced. */
export interface HistoryRow {
  sequence: number
  place: number
  event_id: string
  type: RecordEventType
  record: string
  project_id: string
  version: number
  before_version: number | null
  created_at: number
  key_id: string
  actor: string
  request_id: string | null
  via: Interface
  claim: string | null
  undoes: string | null
  /** The key of a knowledge item after the change; null for other records. */
  item_key: string | null
  rest: string | null
}

/** How the changes are found: those of a record, a key, a request or a claim, or all. */
export type Access = { record: string } | { keyId: string } | { requestId: string } | { claim: string } | 'all'

const conditionOf = (access: Access): { text: string; params: Value[] } => {
  if (access === 'all') return { text: '', params: [] }
  if ('record' in access) return { text: ' and record = ?', params: [access.record] }
  if ('keyId' in access) return { text: ' and key_id = ?', params: [access.keyId] }
  if ('requestId' in access) return { text: ' and request_id = ?', params: [access.requestId] }
  return { text: ' and claim = ?', params: [access.claim] }
}

/** Changes before a position and from a sequence on, the newest first. */
export const listBefore = async (
  db: Sql,
  tenantId: string,
  access: Access,
  before: Position,
  fromSequence: number,
  count: number,
): Promise<HistoryRow[]> => {
  const { text, params } = conditionOf(access)
  return db.all(
    `select ${shownHistoryColumns} from history
     where tenant_id = ?${text} and sequence >= ? and (sequence, place) < (?, ?)
     order by sequence desc, place desc limit cast(? as bigint)`,
    [tenantId, ...params, fromSequence, ...before, count],
  )
}

/** Changes after a position and up to a sequence, the oldest first. */
export const listAfter = async (
  db: Sql,
  tenantId: string,
  access: Access,
  after: Position,
  upToSequence: number,
  count: number,
): Promise<HistoryRow[]> => {
  const { text, params } = conditionOf(access)
  return db.all(
    `select ${shownHistoryColumns} from history
     where tenant_id = ?${text} and sequence <= ? and (sequence, place) > (?, ?)
     order by sequence, place limit cast(? as bigint)`,
    [tenantId, ...params, upToSequence, ...after, count],
  )
}

/** When the first change from a sequence on was made, and its sequence. */
export const firstFrom = async (
  db: Sql,
  tenantId: string,
  sequence: number,
): Promise<{ sequence: number; created_at: number } | undefined> =>
  db.get(
    'select sequence, created_at from history where tenant_id = ? and sequence >= ? order by sequence, place limit 1',
    [tenantId, sequence],
  )

export const lastSequence = async (db: Sql, tenantId: string): Promise<number> =>
  (await db.get<{ sequence: number | null }>('select max(sequence) as sequence from history where tenant_id = ?', [
    tenantId,
  ]))!.sequence ?? 0

export const findRow = async (
  db: Sql,
  tenantId: string,
  [sequence, place]: Position,
): Promise<HistoryRow | undefined> =>
  db.get(`select ${shownHistoryColumns} from history where tenant_id = ? and sequence = ? and place = ?`, [
    tenantId,
    sequence,
    place,
  ])

/** Answers how many bytes of versions went, those in packs apart. */
export const deleteRows = async (
  db: Sql,
  tenantId: string,
  record: string,
  positions: readonly Position[],
): Promise<number> => {
  const selected = `tenant_id = ? and record = ? and (sequence, place) in
    (select given.sequence, given.place from ${db.dialect.rowsOf({ sequence: 'bigint', place: 'bigint' })})`
  const rows = positions.map(([sequence, place]) => ({ sequence, place }))
  const params = [tenantId, record, JSON.stringify(rows)]
  const { bytes } = (await db.get<{ bytes: number }>(
    `select cast(coalesce(sum(octet_length(before)), 0) as bigint) as bytes from history where ${selected}`,
    params,
  ))!
  await db.run(`delete from history where ${selected}`, params)
  return bytes
}

/** The last change of the last record whose name is in a range. */
export const findRecordFrom = async (
  db: Sql,
  tenantId: string,
  from: string,
  end: string,
): Promise<HistoryRow | undefined> =>
  db.get(
    `select ${shownHistoryColumns} from history where tenant_id = ? and record >= ? and record < ?
     order by record desc, sequence desc, place desc limit 1`,
    [tenantId, from, end],
  )

/** Which of the records have a history. */
export const findRecorded = async (db: Sql, tenantId: string, records: readonly string[]): Promise<Set<string>> => {
  const rows = await db.all<{ record: string }>(
    `select distinct record from history where tenant_id = ? and ${db.dialect.isAmong('record', 'text')}`,
    [tenantId, db.dialect.listOf(records)],
  )
  return new Set(rows.map(({ record }) => record))
}

/** Which changes are asked for, where the store can tell. */
export interface RowFilter {
  access: Exclude<Access, 'all'>
  keyId: string | undefined
  /** The tokens of the claims that they were made under. */
  claims?: ReadonlySet<string> | undefined
  projectId: string | undefined
  sinceMs: number
  untilMs: number
}

const filterOf = (
  db: Sql,
  { access, keyId, claims, projectId, sinceMs, untilMs }: RowFilter,
): { text: string; params: Value[] } => {
  const { text, params } = conditionOf(access)
  const more = [
    ...(keyId === undefined ? [] : [['key_id = ?', keyId] as const]),
    ...(claims === undefined ? [] : [[db.dialect.isAmong('claim', 'text'), db.dialect.listOf([...claims])] as const]),
    ...(projectId === undefined ? [] : [['project_id = ?', projectId] as const]),
  ]
  return {
    text: `${text} and created_at >= ? and created_at < ?${more.map(([condition]) => ` and ${condition}`).join('')}`,
    params: [...params, sinceMs, untilMs, ...more.map(([, value]) => value)],
  }
}

/** The first change of a record that is asked for, after a position. */
export const findSelectedAfter = async (
  db: Sql,
  tenantId: string,
  filter: RowFilter,
  record: string,
  after: Position,
  upToSequence: number,
): Promise<HistoryRow | undefined> => {
  const { text, params } = filterOf(db, filter)
  return db.get(
    `select ${shownHistoryColumns} from history where tenant_id = ? and record = ?${text} and sequence <= ?
       and (sequence, place) > (?, ?)
     order by sequence, place limit 1`,
    [tenantId, record, ...params, upToSequence, ...after],
  )
}

/** The keys that made the changes of a request, up to a few. */
export const findKeysOfRequest = async (db: Sql, tenantId: string, requestId: string): Promise<string[]> => {
  const rows = await db.all<{ key_id: string }>(
    'select distinct key_id from history where tenant_id = ? and request_id = ? limit 10',
    [tenantId, requestId],
  )
  return rows.map(({ key_id }) => key_id)
}

/** Whether a record has so many changes after a position. */
export const hasMoreAfter = async (
  db: Sql,
  tenantId: string,
  record: string,
  after: Position,
  count: number,
): Promise<boolean> =>
  (await db.get(
    `select sequence from history where tenant_id = ? and record = ? and (sequence, place) > (?, ?)
     order by sequence, place limit 1 offset ?`,
    [tenantId, record, ...after, count - 1],
  )) !== undefined

/** Whether a change after a sequence and up to another was made in a project. */
export const isInProject = async (
  db: Sql,
  tenantId: string,
  projectId: string,
  [after, upTo]: readonly [after: number, upTo: number],
): Promise<boolean> =>
  (await db.get(
    'select 1 as one from history where tenant_id = ? and sequence > ? and sequence <= ? and project_id = ? limit 1',
    [tenantId, after, upTo, projectId],
  )) !== undefined
