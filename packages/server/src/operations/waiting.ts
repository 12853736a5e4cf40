import { holdsScope } from '../actor.js'
import { missingScope } from './admission.js'
import type { Operation, OperationCall } from './operation.js'
import type { Result } from './result.js'

/** The wait of a call for something to happen. */
export interface Wait {
  /** Resolves when it is worth trying again, with false when the time is over. */
  next(): Promise<boolean>
  /** `isMoreReady`: others who wait should try, since this one may have left something. */
  end(isMoreReady: boolean): void
}

/**
 * Runs an operation that may have to wait for its result. The wait is outside of any transaction, and the key is
 * checked again after it.
 */
export const runWaiting = async <R extends Pick<Result, 'isEmpty'>>(
  operation: Operation,
  call: OperationCall,
  input: never,
  attempt: (call: OperationCall) => Promise<R>,
): Promise<R> => {
  const wait = await operation.wait?.(call, input)
  if (!wait) return attempt(call)
  let isMoreReady = true
  try {
    let result = await attempt(call)
    while (result.isEmpty && (await wait.next())) {
      const actor = await call.actorNow()
      if (operation.scope && !holdsScope(actor, operation.scope)) throw missingScope(operation.scope)
      result = await attempt({ ...call, actor })
    }
    isMoreReady = !result.isEmpty
    return result
  } finally {
    wait.end(isMoreReady)
  }
}
