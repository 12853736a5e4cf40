import { AppError } from '../../base/errors.js'
import type { BasisRecorder } from '../../operations/call.js'
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

interface ContextRequest {
  taskId: string
  budgetTokens: number
  isSearched: boolean
  /** Records the notes that the context shows as what the task relied on. */
  basis: BasisRecorder | undefined
  form?: Form | undefined
}

const contextOf = async (call: OperationCall, request: ContextRequest): Promise<Context> => {
  const { taskId, budgetTokens, isSearched, basis, form } = request
  const gathered = await gather(call, taskId, isSearched)
  const context = fit(gathered, budgetTokens, form)
  if (basis) {
    for (const [at, { version }] of gathered.knowledge.slice(0, context.knowledge.length).entries()) {
      await basis.record({ id: gathered.itemIds[at]!, version: version! })
    }
  }
  return context
}

/** What a worker on a task needs before it begins, within a budget; for a call that nothing was counted of. */
export const readContext = async (call: OperationCall, taskId: string, budgetTokens: number): Promise<Context> => {
  const isSearched = await countSearch(call)
  if (!isSearched) await call.countOperations([undefined])
  return contextOf(call, { taskId, budgetTokens, isSearched, basis: call.basis })
}

/** The same beside the answer to a call that was counted and made a claim; null where it fails. */
export const contextBeside = async (
  call: OperationCall,
  { id, token }: { id: string; token: string | undefined },
  budgetTokens: number,
  form?: Form,
): Promise<Context | null> => {
  try {
    const basis = token === undefined ? undefined : call.core.hooks.basisOf(call, token)
    return await contextOf(call, { taskId: id, budgetTokens, isSearched: await countSearch(call), basis, form })
  } catch (error) {
    if (error instanceof AppError) return null
    throw error
  }
}
