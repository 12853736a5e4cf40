import type { PlanQuota } from '../../limits/plans.js'
import { quotaNames } from '../../limits/quotas/over-quota.js'
import { storedBytesOf } from '../../limits/quotas/stored-bytes.js'
import type { OperationCall } from '../../operations/operation.js'
import { countKeys } from '../keys/service.js'

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
