import type { Claim } from './schema.js'

/** How a claim ended. */
const claimOutcomes = [
  'done',
  'in_review',
  'cancelled',
  'released',
  'asked',
  'expired',
  'taken_over',
  'deleted',
] as const
type ClaimOutcome = (typeof claimOutcomes)[number]

/** The outcomes by which work was handed in. */
export const finishedOutcomes: readonly ClaimOutcome[] = ['done', 'in_review']

interface Side {
  doc: { statusCategory: string; attempts: number }
  claims: { current: Claim | null; expired: Claim | null }
}

/**
 * The claim that a change of a task ends, and how. Whoever hands in late has let the claim expire before: the later
 * outcome counts.
 */
export const endOfClaim = (
  before: Side,
  after: Side | null,
  eventType: string,
): { claim: Claim; outcome: ClaimOutcome } | undefined => {
  const claim = before.claims.current ?? (eventType === 'task.released' ? before.claims.expired : null)
  if (!claim || after?.claims.current?.token === claim.token) return undefined
  const outcomeOf = (): ClaimOutcome => {
    if (!after) return 'deleted'
    if (eventType === 'task.claim_expired') return 'expired'
    if (after.claims.current) return 'taken_over'
    const { statusCategory, attempts } = after.doc
    if (statusCategory === 'done' || statusCategory === 'in_review' || statusCategory === 'cancelled')
      return statusCategory
    return eventType === 'task.released' && attempts < before.doc.attempts ? 'asked' : 'released'
  }
  return { claim, outcome: outcomeOf() }
}
