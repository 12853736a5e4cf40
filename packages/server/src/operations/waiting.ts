import { overQuota } from '../limits/quotas/over-quota.js'
import { requireScope } from './admission.js'
import type { Operation, OperationCall } from './operation.js'
import type { Result } from './result.js'

/** The wait of a call for something to happen. */
export interface Wait {
  /** Resolves when it is worth trying again, with false when the time is over. */
  next(): Promise<boolean>
  /** A cheap look whether an attempt, which may lock and write, can have a result. */
  canHaveResult?(call: OperationCall): Promise<boolean>
  /** `isMoreReady`: others who wait should try, since this one may have left something. */
  end(isMoreReady: boolean): void
}

/**
 * Attempts an operation until it has a result or its wait is over. The wait is outside of any transaction, and the key
 * is checked again after it.
 */
export const waitForResult = async <R extends Pick<Result, 'isEmpty'>>(
  operation: Operation,
  call: OperationCall,
  input: Record<string, unknown>,
  attempt: (call: OperationCall) => Promise<R>,
): Promise<R> => {
  const wait = await operation.wait?.(call, input)
  if (!wait) return attempt(call)
  let isMoreReady = true
  try {
    let result = await attempt(call)
    while (result.isEmpty && (await wait.next())) {
      const actor = await call.actorNow()
      requireScope(actor, operation.scope)
      const callNow = { ...call, actor }
      if (!wait.canHaveResult || (await wait.canHaveResult(callNow))) result = await attempt(callNow)
    }
    isMoreReady = !result.isEmpty
    return result
  } finally {
    wait.end(isMoreReady)
  }
}

/** Counts a waiting call toward the tenant's open streams, and returns a function that ends it. */
export const holdOpen = async ({ core, plan, actor: { tenantId } }: OperationCall): Promise<() => void> => {
  const end = await core.openStreams.open(tenantId, plan)
  if (!end) throw overQuota('openStreams', plan.openStreams!, await core.openStreams.used(tenantId))
  return end
}
