import type { ReactNode } from 'react'
import type { Claim } from 'worklore-client'
import { relativeTime, useNow } from '../components/time'

/** Without a sign of life for so long, a claim is silent. */
export const silentAfterMs = 10 * 60_000

export const isLive = (claim: Claim | null, nowMs: number): claim is Claim =>
  claim !== null && Date.parse(claim.expiresAt) > nowMs

/** The worker in brackets, where its name says more than the key's. */
export const workerText = ({ worker, keyName }: Claim): string => (worker && worker !== keyName ? ` (${worker})` : '')

/** Who works on the task. */
export const ClaimMark = ({ claim }: { claim: Claim }): ReactNode => {
  const nowMs = useNow()
  const lives = isLive(claim, nowMs)
  const isFresh = lives && nowMs - Date.parse(claim.renewedAt) < silentAfterMs
  return (
    <span
      className="claim-mark"
      data-state={isFresh ? 'working' : 'silent'}
      title={`${claim.keyName}${workerText(claim)}, last sign of life ${relativeTime(claim.renewedAt, nowMs)}, lease ends ${relativeTime(claim.expiresAt, nowMs)}`}
    >
      <span className="claim-dot" aria-hidden="true" />
      <span className="truncate">{claim.keyName}</span>
    </span>
  )
}
