import type { KnowledgeItem } from 'worklore-client'

export type State = KnowledgeItem['state']
export type Trust = KnowledgeItem['trust']

/** The first that holds at this time. What was read earlier may have expired since. */
export const stateOf = (
  { retraction, supersededBy, validUntil }: Pick<KnowledgeItem, 'retraction' | 'supersededBy' | 'validUntil'>,
  nowMs: number,
): State => {
  if (retraction) return 'retracted'
  if (supersededBy !== null) return 'superseded'
  return validUntil !== null && Date.parse(validUntil) <= nowMs ? 'expired' : 'current'
}
