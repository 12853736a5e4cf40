import type { Call } from '../../../operations/call.js'
import * as reliedStore from './store.js'

/** Records that an item was written under a claim: the item is then a product of the claim's task. */
export const recordProduct = async (
  { db, actor, clock }: Call,
  claim: string,
  item: { id: string; version: number },
): Promise<void> => {
  const taskId = claim.slice(0, claim.lastIndexOf('.'))
  await db.runAll([reliedStore.insertProduct(actor.tenantId, taskId, item, clock())])
}
