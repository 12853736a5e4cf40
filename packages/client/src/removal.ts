import { NotFoundError } from './errors.js'
import type { Transport } from './transport.js'
import { type VersionOptions, versionHeaders } from './versions.js'

/** Deletes a record. Where the answer of an earlier attempt was lost and the record is gone now, it is done. */
export const remove = async <I extends object>(
  transport: Transport,
  path: string,
  identifier: I,
  options: VersionOptions = {},
  query: object = {},
): Promise<I & { deleted: true }> => {
  try {
    return await transport.fetchData({ method: 'DELETE', path, query, headers: versionHeaders(options), ...options })
  } catch (error) {
    if (error instanceof NotFoundError && error.isAfterLostAnswer) return { ...identifier, deleted: true }
    throw error
  }
}
