import type { Statement } from '../../db/port.js'
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
