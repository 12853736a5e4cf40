import { forTenant } from '../../../db/given-rows.js'
import type { Sql } from '../../../db/port.js'
import type { EmbeddedSubject, VectorSet } from './vector-set.js'

export interface QueuedSubject extends EmbeddedSubject {
  changed_at: number
}

/** A document that this node has taken from the queue. */
export interface Job extends EmbeddedSubject {
  tenant_id: string
  attempts: number
}

const rowTypes = { kind: 'text', subject: 'text', changed_at: 'bigint' } as const
const primaryKey = 'tenant_id, model, kind, subject'

const insertInto = ({ dialect }: Sql): string =>
  `insert into embedding_queue (${primaryKey}, changed_at)
   select t.tenant_id, cast(? as text), kind, subject, changed_at
   from ${forTenant(dialect.rowsOf(rowTypes))} on conflict (${primaryKey})`

const paramsOf = ({ tenantId, model }: VectorSet, subjects: readonly QueuedSubject[]) => [
  model,
  JSON.stringify(subjects),
  tenantId,
]

/** Queues changed documents. One that a node has already claimed is taken from it: its text is not the newest. */
export const enqueueChanged = async (db: Sql, set: VectorSet, subjects: readonly QueuedSubject[]): Promise<void> => {
  if (subjects.length === 0) return
  await db.run(
    `${insertInto(db)} do update set changed_at = excluded.changed_at, attempts = 0, due_at = 0, claim = null`,
    paramsOf(set, subjects),
  )
}

/** Queues documents that may never have been embedded. */
export const enqueueMissing = async (db: Sql, set: VectorSet, subjects: readonly QueuedSubject[]): Promise<void> => {
  if (subjects.length === 0) return
  await db.run(`${insertInto(db)} do nothing`, paramsOf(set, subjects))
}

interface Lease {
  claim: string
  leaseMs: number
  count: number
}

/** Claims the newest of a tenant for this node until the lease ends. */
export const claimJobs = (db: Sql, { tenantId, model }: VectorSet, { claim, leaseMs, count }: Lease): Promise<Job[]> =>
  db.transaction(async (tx) => {
    const { nowMs, skipLocked } = tx.dialect
    return tx.runReturning<Job>(
      `with newest as materialized (
         select q.kind as k, q.subject as s from embedding_queue q
         where q.tenant_id = ? and q.model = ? and q.due_at <= ${nowMs}
         order by q.changed_at desc limit cast(? as bigint)${skipLocked('q')}
       )
       update embedding_queue set claim = ?, due_at = ${nowMs} + cast(? as bigint), attempts = attempts + 1
       from newest where tenant_id = :tenant and model = ? and kind = k and subject = s
       returning tenant_id, kind, subject, attempts`,
      [tenantId, model, count, claim, leaseMs, model],
    )
  })

const claimed = 'tenant_id = ? and model = ? and kind = ? and subject = ? and claim = ?'

const claimedParams = (model: string, { tenant_id, kind, subject }: Job, claim: string) => [
  tenant_id,
  model,
  kind,
  subject,
  claim,
]

/** Takes a document out of the queue; false where it has changed or the lease has ended meanwhile. */
export const finishJob = async (db: Sql, model: string, job: Job, claim: string): Promise<boolean> =>
  (await db.run(`delete from embedding_queue where ${claimed}`, claimedParams(model, job, claim))) === 1

export const postponeJob = async (db: Sql, model: string, job: Job, claim: string, waitMs: number): Promise<void> => {
  await db.run(
    `update embedding_queue set claim = null, due_at = ${db.dialect.nowMs} + cast(? as bigint) where ${claimed}`,
    [waitMs, ...claimedParams(model, job, claim)],
  )
}

/** Gives back what was claimed and not begun, as if it had never been claimed. */
export const releaseJobs = async (db: Sql, { tenantId, model }: VectorSet, claim: string): Promise<void> => {
  await db.run(
    `update embedding_queue set claim = null, due_at = 0, attempts = attempts - 1
     where tenant_id = ? and model = ? and claim = ?`,
    [tenantId, model, claim],
  )
}

/** All tenants, of a store that one process serves: what an earlier one had claimed is free. */
export const releaseAllJobs = async (db: Sql, model: string): Promise<void> => {
  await db.run('update embedding_queue set claim = null, due_at = 0 where model = ? and claim is not null', [model])
}

/** In how long the first of a tenant is due; undefined where none waits. */
export const nextDueInMs = async (db: Sql, { tenantId, model }: VectorSet): Promise<number | undefined> => {
  const row = await db.get<{ due_in: number | null }>(
    `select min(due_at) - ${db.dialect.nowMs} as due_in from embedding_queue where tenant_id = ? and model = ?`,
    [tenantId, model],
  )
  return row?.due_in ?? undefined
}

/** All tenants. */
export const countWaiting = async (db: Sql, model: string): Promise<number> =>
  (await db.get<{ count: number }>('select count(*) as count from embedding_queue where model = ?', [model]))?.count ??
  0

/** Of one tenant, counted to `most`. */
export const countWaitingOf = async (db: Sql, { tenantId, model }: VectorSet, most: number): Promise<number> => {
  const row = await db.get<{ count: number }>(
    `select count(*) as count from (
       select 1 as one from embedding_queue where tenant_id = ? and model = ? limit cast(? as bigint)
     ) waiting`,
    [tenantId, model, most],
  )
  return row?.count ?? 0
}

/** Keeps what this node has claimed from others for another while. */
export const renewJobs = async (
  db: Sql,
  { tenantId, model }: VectorSet,
  claim: string,
  leaseMs: number,
): Promise<void> => {
  await db.run(
    `update embedding_queue set due_at = ${db.dialect.nowMs} + cast(? as bigint)
     where tenant_id = ? and model = ? and claim = ?`,
    [leaseMs, tenantId, model, claim],
  )
}

/** Of every model: what was claimed or had failed is free again. */
export const resetJobs = async (db: Sql, tenantId: string): Promise<void> => {
  await db.run('update embedding_queue set claim = null, due_at = 0, attempts = 0 where tenant_id = ?', [tenantId])
}
