import type { Sql } from '../../../db/port.js'

/** Where the next so many changes end; undefined where there are none. */
export const endOfStep = async (
  db: Sql,
  tenantId: string,
  afterSequence: number,
  count: number,
): Promise<number | undefined> => {
  const row = await db.get<{ end: number | null }>(
    `select max(sequence) as "end" from
       (select sequence from history where tenant_id = ? and sequence > ? order by sequence limit cast(? as bigint)) as step`,
    [tenantId, afterSequence, count],
  )
  return row?.end ?? undefined
}

interface ChangeTexts {
  sequence: number
  place: number
  actor: string
  rest: string | null
  before: string | null
}

/** Changes after a sequence and up to another whose texts have a word in them. */
export const listMentions = async (
  db: Sql,
  tenantId: string,
  word: string,
  [after, upTo]: readonly [after: number, upTo: number],
): Promise<ChangeTexts[]> => {
  const pattern = `%${word}%`
  return db.all(
    `select sequence, place, actor, rest, before from history
     where tenant_id = ? and sequence > ? and sequence <= ? and (actor like ? or rest like ? or before like ?)`,
    [tenantId, after, upTo, pattern, pattern, pattern],
  )
}

export const rewriteChange = async (
  db: Sql,
  tenantId: string,
  { sequence, place, actor, rest, before }: ChangeTexts,
): Promise<void> => {
  await db.run(
    'update history set actor = ?, rest = ?, before = ? where tenant_id = ? and sequence = ? and place = ?',
    [actor, rest, before, tenantId, sequence, place],
  )
}

export const findPackAfter = async (
  db: Sql,
  tenantId: string,
  afterId: string,
): Promise<{ id: string; format: number; data: Uint8Array } | undefined> =>
  db.get('select id, format, data from history_packs where tenant_id = ? and id > ? order by id limit 1', [
    tenantId,
    afterId,
  ])

/** Answers how many packs there were. */
export const rewritePack = async (
  db: Sql,
  tenantId: string,
  id: string,
  rawBytes: number,
  data: Uint8Array,
): Promise<number> =>
  db.run('update history_packs set raw_bytes = ?, data = ? where tenant_id = ? and id = ?', [
    rawBytes,
    data,
    tenantId,
    id,
  ])
