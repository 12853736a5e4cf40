import { createRoot } from 'react-dom/client'
import type { Users } from '../api/actor'
import { ConfirmDialog } from '../components/confirm-dialog'
import { countOf } from '../components/count'
import { relativeTime } from '../components/time'
import { holderText } from './claim-mark'
import type { HeldTask } from './end-claims'
import '../styles/end-claims.css'

/** Tasks that are listed; of more, the rest is counted. */
const maxListed = 10

/** In a root of its own, since it is asked from wherever a task can be changed. */
export const askToEndClaims = (users: Users, held: readonly HeldTask[], statusName: string): Promise<boolean> =>
  new Promise((resolve) => {
    const [first] = held
    const isOne = held.length === 1
    const host = document.body.appendChild(document.createElement('div'))
    const root = createRoot(host)
    let isConfirmed = false
    root.render(
      <ConfirmDialog
        title={
          isOne
            ? `Take ${first!.card.id} from ${holderText(users, first!.claim)}?`
            : `End ${countOf(held.length, 'claim')}?`
        }
        action={`Move to ${statusName}`}
        isDangerous
        run={async () => {
          isConfirmed = true
        }}
        onClose={() => {
          root.unmount()
          host.remove()
          resolve(isConfirmed)
        }}
      >
        <p>
          {isOne
            ? `Moving it to ${statusName} ends the claim: what the agent does from now on is refused.`
            : `Moving them to ${statusName} ends their claims: what the agents do from now on is refused.`}
        </p>
        <ul className="claims-to-end">
          {held.slice(0, maxListed).map(({ card, claim }) => (
            <li key={card.id}>
              <b>{holderText(users, claim)}</b> works on {card.id} <span className="muted">{card.title}</span>, last
              sign of life {relativeTime(claim.renewedAt, Date.now())}
            </li>
          ))}
          {held.length > maxListed && <li>and {countOf(held.length - maxListed, 'other')}</li>}
        </ul>
      </ConfirmDialog>,
    )
  })
