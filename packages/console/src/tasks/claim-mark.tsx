import type { ReactNode } from 'react'
import type { Claim } from 'worklore-client'
import { actorOf, type Users } from '../api/actor'
import { MiddleCut } from '../components/middle-cut'
import { relativeTime, useNow } from '../components/time'
import { useUsers } from '../store/records'

/** Without a sign of life for so long, a claim is silent. */
export const silentAfterMs = 10 * 60_000

export const isLive = (claim: Claim | null, nowMs: number): claim is Claim =>
  claim !== null && Date.parse(claim.expiresAt) > nowMs

type Holder = Pick<Claim, 'worker' | 'keyName' | 'userId'>

/** The worker's name where it says more than the holder's. */
const namesOf = (users: Users, holder: Holder): { worker: string | null; name: string } => {
  const { name } = actorOf(users, holder)
  return { worker: holder.worker && holder.worker !== name ? holder.worker : null, name }
}

/** `worker-2 of atlas` */
export const holderText = (users: Users, holder: Holder): string => {
  const { worker, name } = namesOf(users, holder)
  return worker ? `${worker} of ${name}` : name
}

/** Who works on the task. */
export const ClaimMark = ({ claim }: { claim: Claim }): ReactNode => {
  const users = useUsers()
  const nowMs = useNow()
  const { worker, name } = namesOf(users, claim)
  const lives = isLive(claim, nowMs)
  const isFresh = lives && nowMs - Date.parse(claim.renewedAt) < silentAfterMs
  return (
    <span
      className="claim-mark"
      data-state={isFresh ? 'working' : 'silent'}
      title={`${holderText(users, claim)}, last sign of life ${relativeTime(claim.renewedAt, nowMs)}, lease ends ${relativeTime(claim.expiresAt, nowMs)}`}
    >
      <span className="claim-dot" aria-hidden="true" />
      <MiddleCut text={worker ?? name} />
      {worker && <span className="claim-key truncate">{name}</span>}
    </span>
  )
}
