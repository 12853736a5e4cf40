import { AppError, unavailable } from '../../base/errors.js'

const codeOf = (error: unknown): string => {
  const source = error instanceof AppError ? error.cause : error
  return String((source as { code?: unknown } | null)?.code ?? '')
}

/** A serialization failure or a deadlock: the same work succeeds when it runs again. */
export const isWorthRetrying = (error: unknown): boolean => ['40001', '40P01'].includes(codeOf(error))

const connectionTrouble =
  /^(ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EHOSTUNREACH|EAI_AGAIN|CONNECT|08|28|3D|57P0|25P03)|^ENOENT$/
const tooFewResources = /^53/

/** The connection is gone, and with it whatever was under way on it. */
export const isConnectionLost = (error: unknown): boolean => connectionTrouble.test(codeOf(error))

export const storageError = (error: unknown): unknown => {
  if (error instanceof AppError) return error
  const code = codeOf(error)
  if (code === '57014') return unavailable('The database took too long to respond. Try again shortly.', 2, error)
  if (code === '53100') {
    return unavailable('The disk is full, so nothing can be written. Try again later.', 30, error)
  }
  if (connectionTrouble.test(code) || tooFewResources.test(code))
    return unavailable('The database cannot be reached. Try again shortly.', 2, error)
  return error
}
