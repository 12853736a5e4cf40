import { countKeys } from '../keys/service.js'
import type { PlanQuota } from '../limits/plans.js'
import type { OperationCall } from '../operations/operation.js'
import { overQuota, quotaNames } from './over-quota.js'
import { storedBytesOf } from './stored-bytes.js'

export interface QuotaUse {
  name: string
  limit: number
  used: number
}

const countUsed = ({ db, actor: { tenantId }, core }: OperationCall, quota: PlanQuota): Promise<number> => {
  switch (quota) {
    case 'storedBytes':
      return storedBytesOf(db, tenantId)
    case 'keys':
      return countKeys(db, tenantId)
    case 'openStreams':
      return core.openStreams.used(tenantId)
  }
}

/** The quotas of the tenant's plan and what is used of each. */
export const listQuotas = async (call: OperationCall): Promise<QuotaUse[]> => {
  const uses: QuotaUse[] = []
  for (const quota of Object.keys(quotaNames) as PlanQuota[]) {
    const limit = call.plan[quota]
    if (limit) uses.push({ name: quotaNames[quota], limit, used: await countUsed(call, quota) })
  }
  return uses
}

/** Counts a call that waits among what its tenant has open; answers how to end it. */
export const holdOpen = async ({ core, plan, actor: { tenantId } }: OperationCall): Promise<() => void> => {
  const end = await core.openStreams.open(tenantId, plan)
  if (!end) throw overQuota('openStreams', plan.openStreams!, await core.openStreams.used(tenantId))
  return end
}
