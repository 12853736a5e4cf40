import { AppError, unavailable } from '../../base/errors.js'

const sourceOf = (error: unknown): object => ((error instanceof AppError ? error.cause : error) ?? {}) as object

const codeOf = (error: unknown): string => String((sourceOf(error) as { code?: unknown }).code ?? '')

/** A serialization failure or a deadlock: the same work succeeds when it runs again. */
export const isWorthRetrying = (error: unknown): boolean => ['40001', '40P01'].includes(codeOf(error))

const connectionTrouble =
  /^(ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EHOSTUNREACH|EAI_AGAIN|CONNECT|08|28|3D|57P0|25P03)|^ENOENT$/
const tooFewResources = /^53/
/** The server has become a replica. */
const readOnly = '25006'

/**
 * The connection is gone, and with it whatever was under way on it. An error of the server that is not fatal leaves the
 * connection as it was, whatever its code: Citus tells so of a connection between its own nodes. One to a replica is of
 * no use.
 */
export const isConnectionLost = (error: unknown): boolean => {
  const { severity } = sourceOf(error) as { severity?: string }
  if (codeOf(error) === readOnly) return true
  return connectionTrouble.test(codeOf(error)) && (severity === undefined || ['FATAL', 'PANIC'].includes(severity))
}

/**
 * Citus gives no code of its own to a transaction that it ended, or could not commit, for a lost connection to a worker;
 * nor to what its client library says when a worker went away in the middle of an answer, nor to the end of its own server.
 */
const workerLost =
  /^(postmaster was shut down|failure on connection marked as essential|could not commit transaction for shard|failed to prepare transaction|execution cannot recover from multiple connection failures|server closed the connection unexpectedly|could not (receive data from|send data to) server|SSL (SYSCALL error|connection has been closed)|no connection to the server)/

const isWorkerLost = (error: unknown): boolean => codeOf(error) === 'XX000' && workerLost.test((error as Error).message)

export const storageError = (error: unknown): unknown => {
  if (error instanceof AppError) return error
  const code = codeOf(error)
  if (code === '57014') return unavailable('The database took too long to respond. Try again shortly.', 2, error)
  if (code === '53100') {
    return unavailable('The disk is full, so nothing can be written. Try again later.', 30, error)
  }
  const isLost = connectionTrouble.test(code) || isWorkerLost(error) || code === readOnly
  if (isLost || tooFewResources.test(code))
    return unavailable('The database cannot be reached. Try again shortly.', 2, error)
  return error
}
