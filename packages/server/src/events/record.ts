import { actorRef } from '../actor.js'
import type { Call } from '../call.js'
import { newId } from '../ids.js'
import type { EventType } from './types.js'

export interface Change {
  type: EventType
  /** What identifies the record among its kind: a task's or a project's id, an item's key. */
  subject: string
  /** Empty where the record belongs to no project. */
  projectId: string
  /** The record after the change, as JSON. */
  data: string
  /** The changed fields as they were before, as JSON. */
  previous?: string | null
}

/** Larger records stand in the log without their long text, marked so; a reader fetches them by their id. */
export const maxEventDataLength = 65_536

/**
 * Writes the one event of a change, in the change's own transaction. The tenant's row is locked from here until the
 * commit, so sequences are given out in commit order and no reader can pass one that becomes visible later. That is
 * why it comes last in a transaction.
 */
export const record = async (call: Call, change: Change): Promise<void> => {
  const { db, actor, clock } = call
  const [, recorded] = await db.runAll([
    { text: 'update tenants set last_sequence = last_sequence + 1 where tenant_id = ?', params: [actor.tenantId] },
    {
      text: `insert into events (tenant_id, sequence, id, type, project_id, subject, created_at, actor, data, previous)
             select tenant_id, last_sequence, ?, ?, ?, ?, cast(? as bigint), ?, ?, ? from tenants where tenant_id = ?`,
      params: [
        newId('evt'),
        change.type,
        change.projectId,
        change.subject,
        clock(),
        JSON.stringify(actorRef(actor)),
        change.data,
        change.previous ?? null,
        actor.tenantId,
      ],
    },
  ])
  if (recorded !== 1) throw new Error('the tenant of this change is gone')
  db.announce(actor.tenantId)
}

/** The fields that differ, as they were before. */
export const changedFields = <T extends object>(before: T, after: T): Partial<T> => {
  const changed: Partial<T> = {}
  for (const name of Object.keys(before) as (keyof T)[]) {
    if (JSON.stringify(before[name]) !== JSON.stringify(after[name])) changed[name] = before[name]
  }
  return changed
}
