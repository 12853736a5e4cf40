import type { ReactNode } from 'react'
import { durationText, useNow } from '../../components/time'
import type { TaskCard } from '../../store/cards/task-card'
import { isLive } from '../claim-mark'

/** What is left of a lease; without one, how old the task is. */
export const CardTime = ({ card: { claim, createdAt } }: { card: TaskCard }): ReactNode => {
  const nowMs = useNow()
  return isLive(claim, nowMs) ? (
    <span className="fact">{durationText(Date.parse(claim.expiresAt) - nowMs)} left</span>
  ) : (
    <span className="fact">{durationText(nowMs - Date.parse(createdAt))}</span>
  )
}
