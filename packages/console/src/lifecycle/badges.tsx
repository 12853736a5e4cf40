import type { ReactNode } from 'react'
import { Icon } from '../components/icons'
import type { State, Trust } from './state'
import '../styles/lifecycle.css'

const colours: Partial<Record<State, string>> = { expired: 'amber', retracted: 'red' }

interface BadgesProps {
  state: State
  trust: Trust
  isStale?: boolean
}

/** How an item differs from one that holds and that nobody has reviewed; nothing where it does not. */
export const Badges = ({ state, trust, isStale = false }: BadgesProps): ReactNode => (
  <>
    {state !== 'current' && <span className={`badge state-badge ${colours[state] ?? ''}`}>{state}</span>}
    {trust === 'disputed' && <span className="badge state-badge amber">disputed</span>}
    {isStale && <span className="badge state-badge amber">stale</span>}
    {trust === 'verified' && (
      <span className="verified" title="Verified">
        <Icon name="check" size={13} />
        <span className="visually-hidden">verified</span>
      </span>
    )}
  </>
)
