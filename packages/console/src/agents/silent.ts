import type { Activity } from '../store/activity'
import type { TaskCard } from '../store/cards/task-card'
import { isLive, silentAfterMs } from '../tasks/claim-mark'

/** A live claim whose holder gives no sign of life. */
export interface SilentClaim {
  card: TaskCard
  lastMs: number
}

/**
 * The silent claims, the longest silent first. What a key does is a sign of life for its claims, unless they name a worker:
 * others of the same key may be at work.
 */
export const silentClaimsOf = (
  cards: Iterable<TaskCard>,
  activity: readonly Activity[],
  nowMs: number,
): SilentClaim[] => {
  const held: TaskCard[] = []
  const lastOf = new Map<string, number>()
  const seen = (keyId: string, atMs: number): void => {
    lastOf.set(keyId, Math.max(lastOf.get(keyId) ?? 0, atMs))
  }
  for (const card of cards) {
    if (!isLive(card.claim, nowMs)) continue
    held.push(card)
    seen(card.claim.keyId, Date.parse(card.claim.renewedAt))
  }
  if (held.length === 0) return []
  for (const { keyId, atMs } of activity) seen(keyId, atMs)
  return held
    .map((card) => {
      const { worker, renewedAt, keyId } = card.claim!
      return { card, lastMs: worker ? Date.parse(renewedAt) : lastOf.get(keyId)! }
    })
    .filter(({ lastMs }) => nowMs - lastMs >= silentAfterMs)
    .sort((a, b) => a.lastMs - b.lastMs)
}
