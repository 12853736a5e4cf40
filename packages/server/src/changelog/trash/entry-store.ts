import type { Sql, Statement } from '../../db/port.js'
import type { ActorRef } from '../../operations/actor.js'
import type { RecordKind } from '../versions/version.js'

interface NewEntry {
  id: string
  kind: RecordKind
  record: string
  projectId: string
  title: string
  version: number
  deletedAtMs: number
  actor: ActorRef
}

const givenColumns = { first: 'text', beyond: 'text' } as const

/** The entries of deleted comments on tasks that go to another project. */
export const moveCommentEntries = (
  db: Sql,
  tenantId: string,
  taskIds: readonly string[],
  projectId: string,
): Statement => {
  // A slash is followed by the digit 0 in the order of bytes.
  const ranges = taskIds.map((id) => ({ first: `${id}/`, beyond: `${id}0` }))
  return {
    text: `update trash set project_id = ? where tenant_id = ? and id in (
             select e.id from ${db.dialect.rowsOf(givenColumns)}
             join trash e on e.tenant_id = ? and e.record >= given.first and e.record < given.beyond)`,
    params: [projectId, tenantId, JSON.stringify(ranges), tenantId],
  }
}

/** Holds what the last `count` events deleted. */
export const insertEntry = (tenantId: string, entry: NewEntry, count: number): Statement => ({
  text: `insert into trash (tenant_id, id, kind, record, project_id, title, version, first_sequence, last_sequence,
                            deleted_at, actor, state)
         select tenant_id, ?, ?, ?, ?, ?, cast(? as bigint), last_sequence - cast(? as bigint) + 1, last_sequence,
                cast(? as bigint), ?, 'kept'
         from tenants where tenant_id = ?`,
  params: [
    ...[entry.id, entry.kind, entry.record, entry.projectId, entry.title, entry.version, count],
    ...[entry.deletedAtMs, JSON.stringify(entry.actor), tenantId],
  ],
})
