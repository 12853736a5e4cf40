import { noteDue } from '../../background/note.js'
import type { Sql } from '../../db/port.js'
import type { ActorRef } from '../../operations/actor.js'

/** How far an erasure has come. */
export interface Progress {
  /** What the person was called by. */
  names: readonly string[]
  /** Of the places to go through, the one that is gone through now; */
  part: number
  /** and where in it to go on. */
  after: unknown
}

export interface Erasure {
  tenantId: string
  userId: string
  requestedBy: ActorRef
  progress: Progress
}

/** False if the person is being erased already, or is. */
export const insertErasure = async (db: Sql, erasure: Erasure, nowMs: number): Promise<boolean> => {
  const { tenantId, userId, requestedBy, progress } = erasure
  const inserted = await db.run(
    `insert into erasures (tenant_id, user_id, requested_at, requested_by, progress) values (?, ?, ?, ?, ?)
     on conflict (tenant_id, user_id) do nothing`,
    [tenantId, userId, nowMs, JSON.stringify(requestedBy), JSON.stringify(progress)],
  )
  await db.runAll(noteDue(db, { tenantId, kind: 'erasures', dueAtMs: nowMs }, nowMs))
  return inserted === 1
}

export const findOldest = async (db: Sql, tenantId: string): Promise<number | null> => {
  const row = await db.get<{ oldest: number | null }>(
    'select min(requested_at) as oldest from erasures where tenant_id = ? and progress is not null',
    [tenantId],
  )
  return row?.oldest ?? null
}

export const listUnderWay = async (db: Sql, tenantId: string, count: number): Promise<Erasure[]> => {
  const rows = await db.all<{ user_id: string; requested_by: string; progress: string }>(
    `select user_id, requested_by, progress from erasures where tenant_id = ? and progress is not null
     order by requested_at limit cast(? as bigint)`,
    [tenantId, count],
  )
  return rows.map(({ user_id, requested_by, progress }) => ({
    tenantId,
    userId: user_id,
    requestedBy: JSON.parse(requested_by) as ActorRef,
    progress: JSON.parse(progress) as Progress,
  }))
}

export const setProgress = async (
  db: Sql,
  { tenantId, userId }: Pick<Erasure, 'tenantId' | 'userId'>,
  progress: Progress | null,
): Promise<void> => {
  await db.run('update erasures set progress = ? where tenant_id = ? and user_id = ?', [
    progress && JSON.stringify(progress),
    tenantId,
    userId,
  ])
}

export const isUnderWay = async (db: Sql, tenantId: string): Promise<boolean> =>
  (await db.get('select 1 as one from erasures where tenant_id = ? and progress is not null limit 1', [tenantId])) !==
  undefined
