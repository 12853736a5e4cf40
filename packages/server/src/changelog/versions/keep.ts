import type { Sql, Statement } from '../../db/port.js'
import { countStoredBytes } from '../../limits/quotas/stored-bytes.js'
import { type ChangeOrigin, findDeletion, insertAttached, insertVersions } from './keep-store.js'
import { type KeptVersion, keptBytesOf } from './version.js'

export { type ChangeOrigin, insertVersion as keepVersion } from './keep-store.js'

/** What a change keeps: the version that it replaced, and those of the records that went with it. */
export interface Kept extends Omit<KeptVersion, 'type' | 'projectId'> {
  with?: readonly KeptVersion[]
}

interface KeptChange {
  eventId: string
  undoes: string | null
  own: KeptVersion
  with: readonly KeptVersion[]
}

/** Keeps what went with it, once it is numbered. */
export const keepAttached = (
  db: Sql,
  tenantId: string,
  others: readonly KeptVersion[],
  origin: ChangeOrigin,
): Statement[] => {
  const attached = others.map((version, at) => ({ ...version, place: at + 1 }))
  return insertAttached(db, tenantId, attached, origin)
}

/** The same for events that were numbered together, in their order. */
export const keepVersions = (
  db: Sql,
  tenantId: string,
  changes: readonly (KeptChange | undefined)[],
  origin: Omit<ChangeOrigin, 'eventId' | 'undoes'>,
  lastSequence: number,
): Statement[] => {
  const versions = changes.flatMap((change, at) =>
    (change ? [change.own, ...change.with] : []).map((version, place) => ({
      ...version,
      eventId: change!.eventId,
      undoes: change!.undoes,
      sequence: lastSequence - changes.length + 1 + at,
      place,
    })),
  )
  return insertVersions(db, tenantId, versions, origin)
}

/** Keeps records that are deleted with another one, whose deletion was written before. */
export const keepWithDeletion = async (
  db: Sql,
  tenantId: string,
  record: string,
  versions: readonly KeptVersion[],
): Promise<void> => {
  const deletion = await findDeletion(db, tenantId, record)
  if (!deletion) throw new Error(`no deletion of ${record} is known`)
  const { eventId, sequence, place } = deletion
  const placed = versions.map((version, at) => ({ ...version, eventId, undoes: null, sequence, place: place + at }))
  await db.runAll(insertVersions(db, tenantId, placed, deletion))
  await countStoredBytes(db, tenantId, keptBytesOf(versions))
}
