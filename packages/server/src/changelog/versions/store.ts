import type { Awaitable } from '../../base/awaitable.js'
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

/** Returns the newest change that replaced this version of a record. */
export const findReplaced = async (
  db: Sql,
  tenantId: string,
  record: string,
  version: number,
): Promise<Replaced | undefined> =>
  db.get(
    `select sequence, place, rest from history where tenant_id = ? and record = ? and before_version = ?
     order by sequence desc, place desc limit 1`,
    [tenantId, record, version],
  )

/** The key and the project that an item had after its newest change. */
interface LastAddress {
  id: string
  key: string
  project_id: string
}

/** Returns the last addresses of items from their history, which outlives the items. */
export const findLastAddresses = (db: Sql, tenantId: string, ids: readonly string[]): Awaitable<LastAddress[]> =>
  ids.length === 0
    ? []
    : db.all(
        `select h.record as id, h.item_key as key, h.project_id from history h
         where h.tenant_id = ? and ${db.dialect.isAmong('h.record', 'text')} and h.item_key is not null
           and not exists (select 1 from history n where n.tenant_id = :tenant and n.record = h.record
             and (n.sequence, n.place) > (h.sequence, h.place))`,
        [tenantId, db.dialect.listOf(ids)],
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
