import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { UsageRow, WorkerUsage } from 'worklore-client'
import { countOf, numberText } from '../components/count'
import { Time } from '../components/time'
import { withTask } from '../query'
import type { TaskCard } from '../store/cards/task-card'
import type { AgentState } from './derive'
import { failureShare, finishedPerHour, medianText, rateText, refusalsOf, refusedTotal, shareText } from './health'

const tones: Record<AgentState, string> = { working: 'green', waiting: 'blue', silent: 'amber', paused: '', idle: '' }
/** Tasks named in the table; more are counted. */
const shownClaims = 2
/** Kinds of refusals named in the table; more are counted, and in the title. */
const shownKinds = 2

export const StateBadge = ({ state }: { state: AgentState }): ReactNode => (
  <span className={`badge ${tones[state]}`}>
    <span className="claim-dot" aria-hidden="true" />
    {state}
  </span>
)

export const Claims = ({ claims }: { claims: readonly TaskCard[] }): ReactNode =>
  claims.length === 0 ? (
    <span className="muted">nothing</span>
  ) : (
    <>
      {claims.slice(0, shownClaims).map(({ id, title }) => (
        <Link key={id} to="." search={withTask(id)} className="held-task" activeProps={{}}>
          <span className="card-id">{id}</span>
          <span className="truncate">{title}</span>
        </Link>
      ))}
      {claims.length > shownClaims && <span className="muted">+{numberText(claims.length - shownClaims)} more</span>}
    </>
  )

export const LastSeen = ({ atMs }: { atMs: number | null }): ReactNode =>
  atMs ? <Time at={new Date(atMs).toISOString()} /> : '–'

/** `12 of 40 claims: 9 handed back, 3 expired` */
export const failureText = ({ claims }: Pick<WorkerUsage, 'claims'>): string =>
  `${numberText(claims.released + claims.expired)} of ${countOf(claims.ended, 'claim')}: ${numberText(claims.released)} handed back, ${numberText(claims.expired)} expired`

interface HealthProps {
  usage: UsageRow | WorkerUsage | undefined
  /** Without a column of refused requests, which do not tell the worker. */
  isOfWorkers?: boolean
  periodMs: number
  nowMs: number
}

/** How well it works. */
export const HealthCells = ({ usage, isOfWorkers = false, periodMs, nowMs }: HealthProps): ReactNode => {
  if (!usage) return <td colSpan={isOfWorkers ? 4 : 5} className="desktop-only" />
  const isKey = 'refused' in usage
  const refused = isKey ? refusedTotal(usage) : 0
  const kinds = isKey ? refusalsOf(usage) : []
  const kindsText = (some: typeof kinds): string =>
    some.map(({ status, count }) => `${numberText(count)} × ${status}`).join(', ')
  return (
    <>
      <td data-label="Finished/h" className="num" title={`${countOf(usage.claims.finished, 'task')} finished`}>
        {rateText(finishedPerHour(usage, periodMs, nowMs))}
      </td>
      <td data-label="Median" className="num">
        {medianText(usage)}
      </td>
      <td data-label="Failed" className="num" title={failureText(usage)}>
        {shareText(failureShare(usage))}
      </td>
      <td data-label="Expired" className="num">
        {numberText(usage.claims.expired)}
      </td>
      {isKey ? (
        <td data-label="Refused" className="num" title={kindsText(kinds)}>
          <span className={refused > 0 ? 'refused' : undefined}>{numberText(refused)}</span>
          {refused > 0 && (
            <small className="muted refused-kinds">
              {kindsText(kinds.slice(0, shownKinds))}
              {kinds.length > shownKinds && `, +${numberText(kinds.length - shownKinds)} more`}
            </small>
          )}
        </td>
      ) : (
        !isOfWorkers && <td className="desktop-only" />
      )}
    </>
  )
}

/** What the end of a key means for what it holds. */
export const RevokedText = ({ count }: { count: number }): ReactNode =>
  count === 0
    ? 'It stops working at once. It holds no tasks.'
    : `It stops working at once, and the ${count === 1 ? 'task' : countOf(count, 'task')} it holds will go back to To do.`
