import { unavailable } from '../base/errors.js'
import { isMigrated } from '../db/migrate.js'
import type { Core } from '../operations/core.js'

/** Throws where new requests should go to another node. */
export const expectReady = async ({ db, draining }: Pick<Core, 'db' | 'draining'>): Promise<void> => {
  if (draining.aborted) throw unavailable('This node is stopping. Use another one.', 5)
  await db.ping()
  if (!(await isMigrated(db))) throw unavailable('Database schema is not up to date.', 2)
}
