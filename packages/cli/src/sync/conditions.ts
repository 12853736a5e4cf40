import { type ApiError, PreconditionFailedError } from 'worklore-client'

export const conditionOf = (version: number | null) =>
  version === null ? { 'If-None-Match': '*' } : { 'If-Match': `"${version}"` }

/** Somebody else was faster: the next pass sees it. */
export const isOutdated = (error: ApiError): boolean => error instanceof PreconditionFailedError || error.status === 404
