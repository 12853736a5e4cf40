import { AppError, unavailable } from '../../base/errors.js'

const primaryCodes = { busy: 5, locked: 6, noMemory: 7, readOnly: 8, ioError: 10, corrupt: 11, full: 13, cantOpen: 14 }

const primaryCodeOf = (error: unknown): number | undefined => {
  const code = (error as { errcode?: unknown } | null)?.errcode
  return typeof code === 'number' ? code & 0xff : undefined
}

/** These may end the transaction as a whole, so that no savepoint of it can be trusted any more. */
export const isFatalForTransaction = (error: unknown): boolean => {
  const cause = error instanceof AppError ? error.cause : error
  const code = primaryCodeOf(cause)
  return code !== undefined && Object.values(primaryCodes).includes(code)
}

export const isBusy = (error: unknown): boolean =>
  [primaryCodes.busy, primaryCodes.locked].includes(primaryCodeOf(error) ?? -1)

export const storageError = (error: unknown): unknown => {
  switch (primaryCodeOf(error)) {
    case primaryCodes.full:
      return unavailable('The disk is full, so nothing can be written. Reads still work. Try again later.', 30, error)
    case primaryCodes.busy:
    case primaryCodes.locked:
      return unavailable('The database is locked by another writer. Try again shortly.', 1, error)
    case primaryCodes.ioError:
    case primaryCodes.cantOpen:
    case primaryCodes.readOnly:
    case primaryCodes.noMemory:
    case primaryCodes.corrupt:
      return unavailable('The database cannot be reached. Try again shortly.', 5, error)
    default:
      return error
  }
}
