import { newId } from '../../../base/ids.js'
import type { Call } from '../../../operations/call.js'
import * as reliedStore from './store.js'

/** An item that is written under a claim is a product of the claim's task. */
export const recordProduct = async (
  { db, actor: { tenantId }, clock }: Call,
  claim: string,
  { projectId: project_id, key, version }: { projectId: string; key: string; version: number },
): Promise<void> => {
  const taskId = claim.slice(0, claim.lastIndexOf('.'))
  await db.runAll([
    reliedStore.insertReliedItems(db, tenantId, [{ id: newId('rel'), project_id, key }]),
    reliedStore.insertProduct(tenantId, taskId, { project_id, key, version }, clock()),
  ])
}
