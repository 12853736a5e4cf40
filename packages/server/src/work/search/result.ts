import type { Found } from 'worklore-search'
import type { Json } from '../../base/json.js'
import type { Result } from '../../operations/result.js'

/** Whether a search went by vectors, and by which. */
export type VectorUse = Pick<Found, 'isSemantic' | 'vectorChange'>

/** What an answer says of how much was searched. */
export const completeness = ({ isComplete }: Pick<Found, 'isComplete'>): { complete?: false } =>
  isComplete ? {} : { complete: false }

/** What an answer depends on. */
export interface SearchBasis extends VectorUse {
  /** When the next note expires. */
  nextDue?: number | undefined
  /** Whether nothing held a quoted phrase, so that its words were searched for. */
  arePhrasesIgnored?: boolean
}

/** What a search answers. */
export const searchResult = (
  data: Json<unknown>,
  { isSemantic, vectorChange, nextDue, arePhrasesIgnored }: SearchBasis,
  more?: Readonly<Record<string, unknown>>,
): Result => ({
  data,
  more: { ...more, semantic: isSemantic, ...(arePhrasesIgnored && { relaxed: true }) },
  ...(vectorChange !== undefined && { vectorChange }),
  ...(nextDue !== undefined && { changesAt: nextDue }),
})
