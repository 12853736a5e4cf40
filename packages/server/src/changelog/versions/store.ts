import type { Sql } from '../../db/port.js'
import type { Position } from './version.js'

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

interface Arrival {
  sequence: number
  rest: string | null
}

/** The newest change up to a position that replaced this version of a record. */
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
     order by sequence desc, place desc limit 1`,
    [tenantId, record, version, ...upTo],
  )

/** Where a record was moved to its place last. */
export const findArrival = async (
  db: Sql,
  tenantId: string,
  record: string,
  upTo: Position,
): Promise<Arrival | undefined> =>
  db.get(
    `select sequence, rest from history
     where tenant_id = ? and record = ? and type = 'knowledge.moved' and place = 0 and (sequence, place) <= (?, ?)
     order by sequence desc limit 1`,
    [tenantId, record, ...upTo],
  )

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

interface Pack {
  id: string
  format: number
  data: Uint8Array
}

export const findPack = async (db: Sql, tenantId: string, id: string): Promise<Pack | undefined> =>
  db.get('select id, format, data from history_packs where tenant_id = ? and id = ?', [tenantId, id])
