import { AppError, unavailable } from '../../base/errors.js'

const primaryCodes = {
  busy: 5,
  locked: 6,
  noMemory: 7,
  readOnly: 8,
  ioError: 10,
  corrupt: 11,
  full: 13,
  cantOpen: 14,
  notADatabase: 26,
}

export const diskFull = 'The disk is full, so nothing can be written. Reads still work. Try again later.'

/** Accepts SQLite's own error and the AppError that is thrown instead. */
const primaryCodeOf = (error: unknown): number | undefined => {
  const source = error instanceof AppError ? error.cause : error
  const code = (source as { errcode?: unknown } | null | undefined)?.errcode
  return typeof code === 'number' ? code & 0xff : undefined
}

/** Whether an error may end the transaction as a whole, so that its savepoints cannot be trusted. */
export const isFatalForTransaction = (error: unknown): boolean => {
  const code = primaryCodeOf(error)
  return code !== undefined && Object.values(primaryCodes).includes(code)
}

export const isBusy = (error: unknown): boolean =>
  [primaryCodes.busy, primaryCodes.locked].includes(primaryCodeOf(error) ?? -1)

export const isCorrupt = (error: unknown): boolean =>
  [primaryCodes.corrupt, primaryCodes.notADatabase].includes(primaryCodeOf(error) ?? -1)

export const isFull = (error: unknown): boolean => primaryCodeOf(error) === primaryCodes.full

export const storageError = (error: unknown): unknown => {
  if (error instanceof AppError) return error
  switch (primaryCodeOf(error)) {
    case primaryCodes.full:
      return unavailable(diskFull, 30, error)
    case primaryCodes.busy:
    case primaryCodes.locked:
      return unavailable('The database is locked by another writer. Try again shortly.', 1, error)
    case primaryCodes.ioError:
    case primaryCodes.cantOpen:
    case primaryCodes.readOnly:
    case primaryCodes.noMemory:
      return unavailable('The database cannot be reached. Try again shortly.', 5, error)
    case primaryCodes.corrupt:
    case primaryCodes.notADatabase:
      return unavailable('The database file is damaged. Ask the operator to restore a backup.', 60, error)
    default:
      return error
  }
}
