import { setImmediate as nextTurn } from 'node:timers/promises'
import type { DueWorkOptions } from './loop.js'
import { noteDue } from './note.js'
import * as store from './store.js'

/** How long to wait before retrying tenants that could not be read, for example because a database server is down. */
const retryMs = 60_000

/** Creates missing rows for due work, for example after a backup was restored. */
export const fillDueWork = ({ db, clock, workers, listTenantIds, onError }: DueWorkOptions) => {
  let isStopped = false
  let timer: NodeJS.Timeout | undefined

  const fillTenant = async (tenantId: string): Promise<void> => {
    for (const { kind, nextDueMs } of workers) {
      const dueAtMs = await nextDueMs(db, tenantId)
      if (dueAtMs === null || (await store.hasDueBy(db, { tenantId, kind, upToMs: dueAtMs }))) continue
      await db.runAll(noteDue(db, { tenantId, kind, dueAtMs }, clock()))
    }
  }

  const fillLater = (tenantIds: readonly string[] | undefined): void => {
    if (!isStopped) timer = setTimeout(() => void fill(tenantIds), retryMs).unref()
  }

  const fill = async (given?: readonly string[]): Promise<void> => {
    const failed: string[] = []
    try {
      for (const tenantId of given ?? (await listTenantIds())) {
        if (isStopped) return
        await fillTenant(tenantId).catch((error) => {
          onError('noting due work', error)
          failed.push(tenantId)
        })
        await nextTurn()
      }
      if (failed.length > 0) fillLater(failed)
    } catch (error) {
      onError('noting due work', error)
      fillLater(given)
    }
  }

  const filled = fill()
  return {
    stop: async (): Promise<void> => {
      isStopped = true
      clearTimeout(timer)
      await filled
    },
  }
}
