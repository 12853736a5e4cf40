import type { ReactNode } from 'react'
import { numberText } from '../components/count'
import type { TaskCard } from '../store/cards/task-card'
import { useUsers } from '../store/records'
import { holderText, isLive } from './claim-mark'
import '../styles/end-claims.css'

const shownHolders = 5

/** Those that someone works on. */
export const heldOf = (cards: readonly TaskCard[]): TaskCard[] => cards.filter(({ claim }) => isLive(claim, Date.now()))

/** Whose claims a change of some tasks ends; nothing where it ends none. */
export const Holders = ({ held, of }: { held: readonly TaskCard[]; of: number }): ReactNode => {
  const users = useUsers()
  if (held.length === 0) return null
  return (
    <div className="claims-ending">
      <p>
        {of === 1 ? 'It is' : `${numberText(held.length)} of these tasks ${held.length === 1 ? 'is' : 'are'}`} being
        worked on. This ends the claim{held.length === 1 ? '' : 's'}:
      </p>
      <ul className="claims-to-end">
        {held.slice(0, shownHolders).map(({ id, claim }) => (
          <li key={id}>
            {id}, held by {holderText(users, claim!)}
          </li>
        ))}
        {held.length > shownHolders && <li>and {numberText(held.length - shownHolders)} more</li>}
      </ul>
    </div>
  )
}
