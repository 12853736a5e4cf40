import { migrate } from '../../packages/server/dist/src/db/migrate.js'
import { openDb } from '../../packages/server/dist/src/db/open.js'
import type { Sql } from '../../packages/server/dist/src/db/port.js'
import { ownOrigin } from '../../packages/server/dist/src/operations/call.js'
import { putItem } from '../../packages/server/dist/src/work/knowledge/service.js'
import { createTask } from '../../packages/server/dist/src/work/tasks/service.js'
import { itemContent, itemKey, taskInput } from './records.js'

/** A savepoint that has changed many pages makes each further statement of it slower. */
const recordsPerTransaction = 100

export const firstActor = async (db: Sql) => {
  const key = (await db.get<{ tenant_id: string; id: string; name: string }>(
    'select tenant_id, id, name from api_keys order by created_at limit 1',
  ))!
  return {
    tenantId: key.tenant_id,
    keyId: key.id,
    keyName: key.name,
    userId: null,
    scopes: ['admin'] as const,
    projectIds: null,
    keyExpiresAt: null,
  }
}

/**
 * Adds the records of a range through the service's own rules, in large transactions, while no server runs: a
 * million of them through the public interface would take most of the run.
 */
export const loadInBulk = async (
  store: { dataDir: string; databaseUrl: string | undefined },
  from: number,
  to: number,
  userIds: readonly string[],
  onProgress: (done: number) => void,
): Promise<void> => {
  const db = await openDb({ ...store, poolSize: 2 })
  await migrate(db)
  const actor = await firstActor(db)
  for (let start = from; start < to; start += recordsPerTransaction) {
    const end = Math.min(to, start + recordsPerTransaction)
    await db.transaction(async (tx) => {
      const call = { db: tx, clock: Date.now, actor, origin: ownOrigin('bulkLoad') }
      for (let at = start; at < end; at++) {
        await createTask(call, taskInput(at, userIds))
        await putItem(call, itemKey(at), { content: itemContent(at) }, {})
      }
    })
    onProgress(end)
  }
  await db.close()
}
