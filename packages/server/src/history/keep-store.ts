import type { ActorRef } from '../actor.js'
import type { Door } from '../call.js'
import type { Sql, Statement } from '../db/port.js'
import type { KeptVersion } from './version.js'

/** Who made a change, and the event that tells of it. */
export interface ChangeOrigin {
  eventId: string
  createdAtMs: number
  actor: ActorRef
  requestId: string | null
  door: Door
  claim: string | null
  undoes: string | null
}

const columns = `tenant_id, sequence, place, event_id, type, record, project_id, version, before_version, created_at,
  key_id, actor, request_id, door, claim, undoes, rest, before`

const insertText = `insert into history (${columns})
  select tenant_id, last_sequence, 0, ?, ?, ?, ?, cast(? as bigint), cast(? as bigint), cast(? as bigint),
         ?, ?, ?, ?, ?, ?, ?, ?
  from updated where updated.tenant_id = ?`

/** Of the event that is numbered by the same statement; see `updateThenInsert`. */
export const insertVersion = (tenantId: string, version: KeptVersion, origin: ChangeOrigin): Statement => ({
  text: insertText,
  params: [
    ...[origin.eventId, version.type, version.record, version.projectId, version.version, version.beforeVersion],
    ...[origin.createdAtMs, origin.actor.keyId, JSON.stringify(origin.actor), origin.requestId, origin.door],
    ...[origin.claim, origin.undoes, version.rest ?? null, version.before, tenantId],
  ],
})

/** A version and where it stands: how many sequences before the last one, or at a sequence of its own. */
export interface PlacedVersion extends KeptVersion {
  eventId: string
  undoes: string | null
  back: number
  place: number
}

const given = {
  back: 'bigint',
  place: 'bigint',
  event_id: 'text',
  type: 'text',
  record: 'text',
  project_id: 'text',
  version: 'bigint',
  before_version: 'bigint',
  undoes: 'text',
  rest: 'text',
  before: 'text',
} as const

/** Of many events that were numbered last, or of one that has its sequence already. */
export const insertVersions = (
  db: Sql,
  tenantId: string,
  versions: readonly PlacedVersion[],
  origin: Omit<ChangeOrigin, 'eventId' | 'undoes'>,
  sequence?: number,
): Statement[] => {
  if (versions.length === 0) return []
  const rows = versions.map((version) => ({
    back: version.back,
    place: version.place,
    event_id: version.eventId,
    type: version.type,
    record: version.record,
    project_id: version.projectId,
    version: version.version,
    before_version: version.beforeVersion,
    undoes: version.undoes,
    rest: version.rest ?? null,
    before: version.before,
  }))
  const last = sequence === undefined ? 't.last_sequence' : 'cast(? as bigint)'
  return [
    {
      text: `insert into history (${columns})
             select t.tenant_id, ${last} - given.back, given.place, given.event_id, given.type, given.record,
                    given.project_id, given.version, given.before_version, cast(? as bigint), cast(? as text),
                    cast(? as text), cast(? as text), cast(? as text), cast(? as text), given.undoes, given.rest,
                    given.before
             from ${db.dialect.rowsOf(given)} cross join tenants t where t.tenant_id = ?`,
      params: [
        ...(sequence === undefined ? [] : [sequence]),
        ...[origin.createdAtMs, origin.actor.keyId, JSON.stringify(origin.actor), origin.requestId, origin.door],
        ...[origin.claim, JSON.stringify(rows), tenantId],
      ],
    },
  ]
}

export interface Deletion extends Omit<ChangeOrigin, 'undoes'> {
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
    door: Door
    claim: string | null
    last_place: number
  }>(
    `select h.sequence, h.event_id, h.created_at, h.actor, h.request_id, h.door, h.claim,
       (select max(o.place) from history o where o.tenant_id = h.tenant_id and o.sequence = h.sequence) as last_place
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
      door: row.door,
      claim: row.claim,
    }
  )
}
