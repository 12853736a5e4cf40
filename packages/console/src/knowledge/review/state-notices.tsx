import type { ReactNode } from 'react'
import type { KnowledgeItem } from 'worklore-client'
import { actorOf } from '../../api/actor'
import { errorText } from '../../api/error-text'
import { Button } from '../../components/button'
import { Icon } from '../../components/icons'
import { preloaded } from '../../components/on-demand'
import { Time, useNow } from '../../components/time'
import { placeOf } from '../../item-link'
import { ItemAnchor } from '../../lifecycle/item-anchor'
import { stateOf } from '../../lifecycle/state'
import { useConsole } from '../../store/console'
import { useUsers } from '../../store/records'
import '../../styles/lifecycle.css'

const staleNotice = preloaded(() => import('../../lifecycle/stale-notice'))

interface DecisionProps extends Pick<NonNullable<KnowledgeItem['verdict']>, 'by' | 'at' | 'note'> {
  done: string
}

/** Who decided what of an item, when and why. */
const Decision = ({ done, by, at, note }: DecisionProps): ReactNode => (
  <span>
    {done} by {actorOf(useUsers(), by).name} <Time at={at} />
    {note && (
      <>
        : <q>{note}</q>
      </>
    )}
  </span>
)

interface StateNoticesProps {
  item: KnowledgeItem
  canWrite: boolean
  accept: (item: KnowledgeItem) => void
}

/** Why an item does not hold, or may not, and who verified it. */
export const StateNotices = ({ item, canWrite, accept }: StateNoticesProps): ReactNode => {
  const { client, toasts } = useConsole()
  const state = stateOf(item, useNow())
  const { key, version, retraction, supersededBy, validUntil, trust, verdict } = item
  const takeBack = async (changed: Promise<KnowledgeItem>): Promise<void> => {
    try {
      accept(await changed)
    } catch (error) {
      toasts.error(`${key} was not changed. ${errorText(error)}`)
    }
  }
  const acceptStale = async (): Promise<void> => {
    accept(await client.knowledge.acceptStale(key, placeOf(item)))
  }
  return (
    <>
      {retraction && (
        <div className="notice red state-notice">
          <Icon name="alert" />
          <Decision done="Retracted" {...retraction} note={retraction.reason} />
          {canWrite && (
            <Button small onClick={() => void takeBack(client.knowledge.retract(key, null, placeOf(item)))}>
              Take it back
            </Button>
          )}
        </div>
      )}
      {supersededBy !== null && (
        <div className="notice blue state-notice">
          <Icon name="document" />
          <span>
            Superseded by <ItemAnchor itemKey={supersededBy} projectId={item.projectId} />
          </span>
        </div>
      )}
      {state === 'expired' && (
        <div className="notice state-notice">
          <Icon name="calendar" />
          <span>
            Expired <Time at={validUntil!} />
          </span>
        </div>
      )}
      {trust === 'verified' && verdict && (
        <p className="verified state-notice">
          <Icon name="check" size={13} />
          <Decision done="Verified" {...verdict} />
        </p>
      )}
      {trust === 'disputed' && verdict && (
        <div className="notice state-notice">
          <Icon name="alert" />
          <Decision done="Disputed" {...verdict} />
          {canWrite && (
            <Button
              small
              onClick={() =>
                void takeBack(client.knowledge.judge({ key, ...placeOf(item), version, trust: 'unreviewed' }))
              }
            >
              Take it back
            </Button>
          )}
        </div>
      )}
      {item.stale.length > 0 && (
        <staleNotice.current marks={item.stale} onAccept={canWrite ? acceptStale : undefined} />
      )}
    </>
  )
}
