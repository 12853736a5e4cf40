import type { Found } from 'worklore-search'
import type { Json } from '../../base/json.js'
import type { Result } from '../../operations/result.js'

/** Whether a search went by vectors, and by which. */
export type VectorUse = Pick<Found, 'isSemantic' | 'vectorChange'>

/** What a search answers. */
export const searchResult = (
  data: Json<unknown>,
  { isSemantic, vectorChange }: VectorUse,
  more?: Readonly<Record<string, unknown>>,
): Result => ({ data, more: { ...more, semantic: isSemantic }, ...(vectorChange !== undefined && { vectorChange }) })
