import type { Position } from '../../../changelog/versions/version.js'
import type { Sql } from '../../../db/port.js'
import { countStoredBytes } from '../../../limits/quotas/stored-bytes.js'
import { deletePacks } from '../retention/pack-store.js'
import { deleteRows } from '../store.js'

/** Deletes changes of a record with the versions that they replaced, and the packs that end in a range of sequences. */
export const deleteVersions = async (
  db: Sql,
  tenantId: string,
  record: string,
  positions: readonly Position[],
  packs: readonly [first: number, last: number],
): Promise<void> => {
  const bytes = await deleteRows(db, tenantId, record, positions)
  const packedBytes = await deletePacks(db, tenantId, record, packs)
  await countStoredBytes(db, tenantId, -(bytes + packedBytes))
}
