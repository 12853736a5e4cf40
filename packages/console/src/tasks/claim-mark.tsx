import type { ReactNode } from 'react'
import type { Claim } from 'worklore-client'
import { MiddleCut } from '../components/middle-cut'
import { relativeTime, useNow } from '../components/time'
import { isOpen, type TaskCard } from '../store/task-card'

/** Without a sign of life for so long, a claim is silent. */
export const silentAfterMs = 10 * 60_000

export const isLive = (claim: Claim | null, nowMs: number): claim is Claim =>
  claim !== null && Date.parse(claim.expiresAt) > nowMs

/** Whether agents no longer get a task because its attempts are used up. Whoever holds the last one is still at work. */
export const isExhausted = (
  { attempts, statusCategory, claim }: Pick<TaskCard, 'attempts' | 'statusCategory' | 'claim'>,
  maxAttempts: number,
  nowMs: number,
): boolean => attempts >= maxAttempts && isOpen(statusCategory) && !isLive(claim, nowMs)

type Holder = Pick<Claim, 'worker' | 'keyName'>

/** The worker's name where it says more than the key's. */
const workerOf = ({ worker, keyName }: Holder): string | null => (worker && worker !== keyName ? worker : null)

/** `worker-2 of atlas` */
export const holderText = (holder: Holder): string => {
  const worker = workerOf(holder)
  return worker ? `${worker} of ${holder.keyName}` : holder.keyName
}

/** Who works on the task. */
export const ClaimMark = ({ claim }: { claim: Claim }): ReactNode => {
  const nowMs = useNow()
  const worker = workerOf(claim)
  const lives = isLive(claim, nowMs)
  const isFresh = lives && nowMs - Date.parse(claim.renewedAt) < silentAfterMs
  return (
    <span
      className="claim-mark"
      data-state={isFresh ? 'working' : 'silent'}
      title={`${holderText(claim)}, last sign of life ${relativeTime(claim.renewedAt, nowMs)}, lease ends ${relativeTime(claim.expiresAt, nowMs)}`}
    >
      <span className="claim-dot" aria-hidden="true" />
      <MiddleCut text={worker ?? claim.keyName} />
      {worker && <span className="claim-key truncate">{claim.keyName}</span>}
    </span>
  )
}
