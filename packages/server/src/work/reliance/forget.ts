import type { Call } from '../../operations/call.js'
import { forgetProduct, forgetProductsOf } from '../knowledge/relied/relied.js'
import { noCause, updateMarks } from './marks.js'
import * as store from './store.js'

/** Dependents whose marks go at once; the rest follow in steps. */
const dependentsAtOnce = 200

/** Deletes what a task that is purged relied on. */
export const forgetTask = async (call: Call, taskId: string): Promise<void> => {
  await store.deleteOfTask(call.db, call.actor.tenantId, taskId)
  await forgetProductsOf(call, taskId)
}

/** Deletes a purged item from what others relied on, and from the marks that they show. */
export const forgetItem = async (call: Call, id: string): Promise<void> => {
  const { db, actor, clock } = call
  await forgetProduct(call, id)
  await store.deleteOfItem(db, actor.tenantId, id)
  const marked = await store.findMarked(db, actor.tenantId, id, dependentsAtOnce)
  await updateMarks(
    call,
    { id, why: null },
    marked.map((dependent) => ({ id: dependent, version: 0 })),
    noCause,
  )
  const isLeft = marked.length === dependentsAtOnce
  if (isLeft) await db.runAll(store.scheduleChecks(db, actor.tenantId, [{ id, atMs: clock() }], clock()))
}
