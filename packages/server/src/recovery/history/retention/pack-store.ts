import type { Sql } from '../../../db/port.js'

/** Deletes the packs of a record whose last version is in a range of sequences; answers how many bytes they had. */
export const deletePacks = async (
  db: Sql,
  tenantId: string,
  record: string,
  [first, last]: readonly [first: number, last: number],
): Promise<number> => {
  const selected = 'tenant_id = ? and record = ? and last_sequence >= ? and last_sequence <= ?'
  const params = [tenantId, record, first, last]
  const { bytes } = (await db.get<{ bytes: number }>(
    `select cast(coalesce(sum(octet_length(data)), 0) as bigint) as bytes from history_packs where ${selected}`,
    params,
  ))!
  if (bytes > 0) await db.run(`delete from history_packs where ${selected}`, params)
  return bytes
}

interface UnpackedRow {
  sequence: number
  place: number
  type: string
  bytes: number
}

/** Versions of a record that stand alone, the oldest first. */
export const listUnpacked = async (
  db: Sql,
  tenantId: string,
  record: string,
  upToSequence: number,
): Promise<UnpackedRow[]> =>
  db.all(
    `select sequence, place, type, octet_length(before) as bytes from history
     where tenant_id = ? and record = ? and sequence <= ? and before is not null order by sequence, place`,
    [tenantId, record, upToSequence],
  )

export interface LastPack {
  id: string
  first_sequence: number
  last_sequence: number
  raw_bytes: number
  bytes: number
}

export const findLastPack = async (db: Sql, tenantId: string, record: string): Promise<LastPack | undefined> =>
  db.get(
    `select id, first_sequence, last_sequence, raw_bytes, octet_length(data) as bytes from history_packs where tenant_id = ? and record = ?
     order by last_sequence desc limit 1`,
    [tenantId, record],
  )

export interface PackedRow {
  sequence: number
  place: number
  type: string
}

/** The rows of a pack, in its order. */
export const listPacked = async (db: Sql, tenantId: string, record: string, packId: string): Promise<PackedRow[]> =>
  db.all(
    `select sequence, place, type from history where tenant_id = ? and record = ? and pack_id = ? order by pack_part`,
    [tenantId, record, packId],
  )

interface NewPack {
  id: string
  record: string
  format: number
  rawBytes: number
  data: Uint8Array
  rows: readonly Pick<PackedRow, 'sequence' | 'place'>[]
}

/** How many of the rows are still there. */
export const countRows = async (
  db: Sql,
  tenantId: string,
  record: string,
  rows: readonly Pick<PackedRow, 'sequence' | 'place'>[],
): Promise<number> => {
  const given = rows.map(({ sequence, place }) => ({ sequence, place }))
  const found = await db.get<{ count: number }>(
    `select count(*) as count from ${db.dialect.rowsOf({ sequence: 'bigint', place: 'bigint' })} cross join history h
     where h.tenant_id = ? and h.sequence = given.sequence and h.place = given.place and h.record = ?`,
    [JSON.stringify(given), tenantId, record],
  )
  return found!.count
}

/** Puts versions into a pack, in place of the one that it extends. */
export const savePack = async (
  db: Sql,
  tenantId: string,
  pack: NewPack,
  replacedId: string | undefined,
): Promise<void> => {
  const [first, last] = [pack.rows[0]!, pack.rows.at(-1)!]
  await db.runAll([
    {
      text: `insert into history_packs (tenant_id, id, record, format, first_sequence, last_sequence, raw_bytes, data)
             values (?, ?, ?, ?, ?, ?, ?, ?)`,
      params: [
        ...[tenantId, pack.id, pack.record, pack.format, first.sequence, last.sequence, pack.rawBytes],
        pack.data,
      ],
    },
    ...(replacedId === undefined
      ? []
      : [{ text: 'delete from history_packs where tenant_id = ? and id = ?', params: [tenantId, replacedId] }]),
    ...pack.rows.map(({ sequence, place }, part) => ({
      text: `update history set before = null, pack_id = ?, pack_part = ?
             where tenant_id = ? and sequence = ? and place = ?`,
      params: [pack.id, part, tenantId, sequence, place],
    })),
  ])
}
