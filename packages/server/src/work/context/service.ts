import { AppError } from '../../base/errors.js'
import type { OperationCall } from '../../operations/operation.js'
import { type Form, fit } from './fit.js'
import { gather } from './gather.js'
import type { Context } from './schema.js'

/** Counts a search; false where the window of searches is full. */
const countSearch = async (call: OperationCall): Promise<boolean> => {
  try {
    await call.countOperations(['searches'])
    return true
  } catch (error) {
    if (error instanceof AppError && error.code === 'RATE_LIMIT_EXCEEDED') return false
    throw error
  }
}

/** What a worker on a task needs before it begins, within a budget; for a call that nothing was counted of. */
export const readContext = async (call: OperationCall, taskId: string, budgetTokens: number): Promise<Context> => {
  const isSearched = await countSearch(call)
  if (!isSearched) await call.countOperations([undefined])
  return fit(await gather(call, taskId, isSearched), budgetTokens)
}

/** The same beside the answer to a call that was counted; null where it fails. */
export const contextBeside = async (
  call: OperationCall,
  taskId: string,
  budgetTokens: number,
  form?: Form,
): Promise<Context | null> => {
  try {
    return fit(await gather(call, taskId, await countSearch(call)), budgetTokens, form)
  } catch (error) {
    if (error instanceof AppError) return null
    throw error
  }
}
