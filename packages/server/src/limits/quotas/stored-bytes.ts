import type { AppError } from '../../base/errors.js'
import type { Sql } from '../../db/port.js'
import { overQuota } from './over-quota.js'
import { addStoredBytes, findStoredBytes } from './store.js'

/** The bytes of a tenant's records, of their kept versions and of its trash; the log, keys and indexes do not count. */
export const storedBytesOf = async (db: Sql, tenantId: string): Promise<number> =>
  Math.max(0, (await findStoredBytes(db, tenantId)) ?? 0)

/** The error of a change that grew beyond the quota; its bytes are counted already and go with its transaction. */
export const overStoredBytes = async (
  db: Sql,
  tenantId: string,
  limit: number,
  growthBytes: number,
): Promise<AppError> => overQuota('storedBytes', limit, (await storedBytesOf(db, tenantId)) - growthBytes)

/** Refuses changes that grew beyond the quota and whose bytes are counted already. */
export const refuseOverStoredBytes = async (
  db: Sql,
  tenantId: string,
  limit: number,
  growthBytes: number,
): Promise<void> => {
  if ((await storedBytesOf(db, tenantId)) > limit) throw await overStoredBytes(db, tenantId, limit, growthBytes)
}

/** For what comes or goes without an event of its own, as the contents of a deleted project and old versions do. */
export const countStoredBytes = async (db: Sql, tenantId: string, growthBytes: number): Promise<void> => {
  if (growthBytes !== 0) await addStoredBytes(db, tenantId, growthBytes)
}
