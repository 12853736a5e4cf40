import type { Found } from 'worklore-search'
import type { Json } from '../../base/json.js'
import type { Result } from '../../operations/result.js'

/** Whether a search went by vectors, and by which. */
export type VectorUse = Pick<Found, 'isSemantic' | 'vectorChange'>

/** What an answer depends on. */
export interface SearchBasis extends VectorUse {
  /** When the next note expires. */
  nextDue?: number | undefined
}

/** What a search answers. */
export const searchResult = (
  data: Json<unknown>,
  { isSemantic, vectorChange, nextDue }: SearchBasis,
  more?: Readonly<Record<string, unknown>>,
): Result => ({
  data,
  more: { ...more, semantic: isSemantic },
  ...(vectorChange !== undefined && { vectorChange }),
  ...(nextDue !== undefined && { changesAt: nextDue }),
})
