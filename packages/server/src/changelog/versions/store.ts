import type { Sql } from '../../db/port.js'
import type { Position, RecordEventType } from './version.js'

interface KeptText {
  before: string | null
  pack_id: string | null
  pack_part: number | null
}

export const findText = async (db: Sql, tenantId: string, [sequence, place]: Position): Promise<KeptText | undefined> =>
  db.get('select before, pack_id, pack_part from history where tenant_id = ? and sequence = ? and place = ?', [
    tenantId,
    sequence,
    place,
  ])

export interface Replaced {
  sequence: number
  place: number
  rest: string | null
}

/** The change that brought an item to its key: its creation, a move or a restoration. */
export interface StayStart {
  sequence: number
  place: number
  type: RecordEventType
  record: string
  rest: string | null
}

/** The newest change up to a position that replaced this version of a record. Of a move, that is where the item left. */
export const findReplaced = async (
  db: Sql,
  tenantId: string,
  record: string,
  version: number,
  upTo: Position,
): Promise<Replaced | undefined> =>
  db.get(
    `select sequence, place, rest from history
     where tenant_id = ? and record = ? and before_version = ? and (sequence, place) <= (?, ?)
       and (type <> 'knowledge.moved' or place > 0)
     order by sequence desc, place desc limit 1`,
    [tenantId, record, version, ...upTo],
  )

/** How the item that had a key at a position came to it. */
export const findStayStart = async (
  db: Sql,
  tenantId: string,
  record: string,
  upTo: Position,
): Promise<StayStart | undefined> =>
  db.get(
    `select sequence, place, type, record, rest from history
     where tenant_id = ? and record = ? and type in ('knowledge.created', 'knowledge.moved', 'knowledge.restored')
       and place = 0 and (sequence, place) <= (?, ?)
     order by sequence desc limit 1`,
    [tenantId, record, ...upTo],
  )

/** The newest deletion of a record before a sequence. */
export const findDeletionBefore = async (
  db: Sql,
  tenantId: string,
  record: string,
  sequence: number,
): Promise<Position | undefined> => {
  const row = await db.get<{ sequence: number; place: number }>(
    `select sequence, place from history
     where tenant_id = ? and record = ? and sequence < ?
       and type in ('task.deleted', 'comment.deleted', 'knowledge.deleted', 'project.deleted')
     order by sequence desc, place desc limit 1`,
    [tenantId, record, sequence],
  )
  return row && [row.sequence, row.place]
}

const claimTypes = ['task.claimed', 'task.released', 'task.claim_expired'] as const

/** The newest first. */
export const listClaimChanges = async (
  db: Sql,
  tenantId: string,
  record: string,
  count: number,
): Promise<{ type: (typeof claimTypes)[number]; created_at: number; actor: string }[]> =>
  db.all(
    `select type, created_at, actor from history
     where tenant_id = ? and record = ? and type in (${claimTypes.map((type) => `'${type}'`).join(', ')})
     order by sequence desc, place desc limit cast(? as bigint)`,
    [tenantId, record, count],
  )

/** The moves of tasks that something was kept with, the newest first. */
export const listTaskMoves = async (
  db: Sql,
  tenantId: string,
  records: readonly string[],
  count: number,
): Promise<{ record: string; rest: string }[]> =>
  db.all(
    `select record, rest from history
     where tenant_id = ? and ${db.dialect.isAmong('record', 'text')} and type = 'task.moved' and rest is not null
     order by sequence desc, place desc limit cast(? as bigint)`,
    [tenantId, db.dialect.listOf(records), count],
  )

interface Pack {
  id: string
  format: number
  data: Uint8Array
}

export const findPack = async (db: Sql, tenantId: string, id: string): Promise<Pack | undefined> =>
  db.get('select id, format, data from history_packs where tenant_id = ? and id = ?', [tenantId, id])
