import { NotFoundError } from './errors.js'
import type { Transport } from './transport.js'
import { type VersionOptions, versionHeaders } from './versions.js'

export type Removed<Identifier extends object = { id: string }> = Identifier & { deleted: true }

/** Deletes a record. If an earlier response was lost and the record no longer exists, it counts as deleted. */
export const remove = async <I extends object>(
  transport: Transport,
  path: string,
  identifier: I,
  options: VersionOptions = {},
  query: object = {},
): Promise<Removed<I>> => {
  try {
    return await transport.fetchData({ method: 'DELETE', path, query, headers: versionHeaders(options), ...options })
  } catch (error) {
    if (error instanceof NotFoundError && error.isAfterLostAnswer) return { ...identifier, deleted: true }
    throw error
  }
}
