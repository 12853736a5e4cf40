import { insertRows } from '../../db/given-rows.js'
import type { Sql, Statement } from '../../db/port.js'
import type { ActorRef } from '../../operations/actor.js'
import type { Interface } from '../../operations/call.js'
import { versionColumns } from '../columns.js'
import type { KeptVersion } from './version.js'

/** Who made a change, and the event that tells of it. */
export interface ChangeOrigin {
  eventId: string
  createdAtMs: number
  actor: ActorRef
  requestId: string | null
  via: Interface
  claim: string | null
  undoes: string | null
}

const insertedColumns = `tenant_id, ${Object.keys(versionColumns).join(', ')}`

const insertText = `insert into history (${insertedColumns})
  select tenant_id, last_sequence, 0, ?, ?, ?, ?, cast(? as bigint), cast(? as bigint), cast(? as bigint),
         ?, ?, ?, ?, ?, ?, ?, ?, ?
  from tenants where tenant_id = ?`

/** Inserts a version with the sequence of the event that was numbered just before. */
export const insertVersion = (tenantId: string, version: KeptVersion, origin: ChangeOrigin): Statement => ({
  text: insertText,
  params: [
    ...[origin.eventId, version.type, version.record, version.projectId, version.version, version.beforeVersion],
    ...[origin.createdAtMs, origin.actor.keyId, JSON.stringify(origin.actor), origin.requestId, origin.via],
    ...[origin.claim, origin.undoes, version.itemKey ?? null, version.rest ?? null, version.before, tenantId],
  ],
})

/** A version and where it stands. */
interface PlacedVersion extends KeptVersion {
  eventId: string
  undoes: string | null
  sequence: number
  place: number
}

/** Of events that have their sequences already. */
export const insertVersions = (
  db: Sql,
  tenantId: string,
  versions: readonly PlacedVersion[],
  origin: Omit<ChangeOrigin, 'eventId' | 'undoes'>,
): Statement[] => {
  const common = {
    created_at: origin.createdAtMs,
    key_id: origin.actor.keyId,
    actor: JSON.stringify(origin.actor),
    request_id: origin.requestId,
    via: origin.via,
    claim: origin.claim,
  }
  const rows = versions.map((version) => ({
    ...common,
    sequence: version.sequence,
    place: version.place,
    event_id: version.eventId,
    type: version.type,
    record: version.record,
    project_id: version.projectId,
    version: version.version,
    before_version: version.beforeVersion,
    undoes: version.undoes,
    item_key: version.itemKey ?? null,
    rest: version.rest ?? null,
    before: version.before,
  }))
  return insertRows(db, tenantId, 'history', versionColumns, rows)
}

/** `attachedColumns` are the columns that differ between the records of one change. */
const { sequence, event_id, created_at, key_id, actor, request_id, via, claim, undoes, ...attachedColumns } =
  versionColumns

/** Of records that went with the one whose event was numbered last. */
export const insertAttached = (
  db: Sql,
  tenantId: string,
  versions: readonly (KeptVersion & { place: number })[],
  origin: ChangeOrigin,
): Statement[] => {
  if (versions.length === 0) return []
  const rows = versions.map((version) => ({
    place: version.place,
    type: version.type,
    record: version.record,
    project_id: version.projectId,
    version: version.version,
    before_version: version.beforeVersion,
    item_key: version.itemKey ?? null,
    rest: version.rest ?? null,
    before: version.before,
  }))
  return [
    {
      text: `insert into history (${insertedColumns})
             select t.tenant_id, t.last_sequence, given.place, cast(? as text), given.type, given.record,
                    given.project_id, given.version, given.before_version, cast(? as bigint), cast(? as text),
                    cast(? as text), cast(? as text), cast(? as text), cast(? as text), cast(? as text), given.item_key,
                    given.rest, given.before
             from ${db.dialect.rowsOf(attachedColumns)} cross join tenants t where t.tenant_id = ?`,
      params: [
        ...[origin.eventId, origin.createdAtMs, origin.actor.keyId, JSON.stringify(origin.actor), origin.requestId],
        ...[origin.via, origin.claim, origin.undoes, JSON.stringify(rows), tenantId],
      ],
    },
  ]
}

interface Deletion extends Omit<ChangeOrigin, 'undoes'> {
  sequence: number
  /** The next one that is free. */
  place: number
}

/** The last deletion of a record, which others may go with. */
export const findDeletion = async (db: Sql, tenantId: string, record: string): Promise<Deletion | undefined> => {
  const row = await db.get<{
    sequence: number
    event_id: string
    created_at: number
    actor: string
    request_id: string | null
    via: Interface
    claim: string | null
    last_place: number
  }>(
    `select h.sequence, h.event_id, h.created_at, h.actor, h.request_id, h.via, h.claim,
       (select max(o.place) from history o where o.tenant_id = :tenant and o.sequence = h.sequence) as last_place
     from history h where h.tenant_id = ? and h.record = ? order by h.sequence desc, h.place desc limit 1`,
    [tenantId, record],
  )
  return (
    row && {
      eventId: row.event_id,
      sequence: row.sequence,
      place: row.last_place + 1,
      createdAtMs: row.created_at,
      actor: JSON.parse(row.actor) as ActorRef,
      requestId: row.request_id,
      via: row.via,
      claim: row.claim,
    }
  )
}
