import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { type ReactNode, Suspense, useEffect, useState } from 'react'
import type { ChangeEvent } from 'worklore-client'
import { RevokedText, StateBadge } from '../agents/agent-cells'
import { KeyUsage } from '../agents/key-usage'
import { ClaimsHidden } from '../agents/notices'
import { useAgents } from '../agents/use-agents'
import { useRates } from '../agents/use-rates'
import { Workers } from '../agents/workers'
import { actorOf } from '../api/actor'
import { hasScope } from '../api/permissions'
import { Avatar } from '../components/avatar'
import { Button } from '../components/button'
import { Sparkline } from '../components/charts'
import { Confirm } from '../components/confirm'
import { countOf, numberText } from '../components/count'
import { Icon } from '../components/icons'
import { onDemand } from '../components/on-demand'
import { Failure, Skeletons } from '../components/states'
import { relativeTime, Time, useNow } from '../components/time'
import { EventLine } from '../events/event-line'
import { Page } from '../layout/page'
import { PausedBadge, usePause } from '../pauses/use-pause'
import { useQuery, useSetQuery, withTask } from '../query'
import { useConsole } from '../store/console'
import { useActivity, useKeyRecords, useMe, useUsers } from '../store/records'
import { useLoaded } from '../store/use-loaded'
import { useTaskActions } from '../tasks/use-task-actions'
import '../styles/agents.css'
import '../styles/data-table.css'
import '../styles/overview.css'
import '../styles/events.css'
import '../styles/manage.css'

const UndoDialog = onDemand(() => import('../events/undo-dialog').then(({ UndoDialog }) => ({ default: UndoDialog })))

const eventsShown = 60

const Work = ({ keyId }: { keyId: string }): ReactNode => {
  const { client, onEvent } = useConsole()
  const { data, error, reload, set } = useLoaded(
    async (signal) => (await client.events.newest({ actor: keyId, limit: eventsShown }, { signal })).data,
    ['events of', keyId],
  )
  useEffect(
    () =>
      onEvent((event: ChangeEvent) => {
        if (event.actor.keyId === keyId)
          set((list) => [event, ...list.filter(({ sequence }) => sequence !== event.sequence)].slice(0, eventsShown))
      }),
    [onEvent, keyId, set],
  )
  if (error && !data) return <Failure error={error} what="its work" onRetry={reload} />
  if (!data) return <Skeletons />
  if (data.length === 0) return <p className="muted">It has not changed anything yet.</p>
  return (
    <div className="event-rows">
      {data.map((event) => (
        <EventLine key={event.sequence} event={event} />
      ))}
    </div>
  )
}

export const AgentPage = (): ReactNode => {
  const app = useConsole()
  const { client, toasts } = app
  const activity = useActivity()
  const keys = useKeyRecords()
  const users = useUsers()
  const { keyId } = useParams({ strict: false }) as { keyId: string }
  const query = useQuery()
  const setQuery = useSetQuery()
  const me = useMe()
  const isAdmin = hasScope(me, 'admin')
  const seesClaims = hasScope(me, 'tasks:read')
  const agents = useAgents()
  const nowMs = useNow()
  const navigate = useNavigate()
  const { release } = useTaskActions()
  const [isRevoking, setIsRevoking] = useState(false)
  const { toggle, dialog } = usePause()
  const agent = agents.find((each) => each.keyId === keyId)
  const key = keys.get(keyId)
  const known = agent ?? activity.find((each) => each.keyId === keyId)
  const user = users.get(key?.userId ?? '')
  const name =
    agent?.name ??
    (known && 'keyName' in known
      ? actorOf(users, known).name
      : key && (user?.kind === 'human' ? user.name : key.name)) ??
    keyId
  const isGone = isAdmin && keys.isLoaded && !key && keyId !== 'service'
  const claims = agent?.claims ?? []
  const rates = useRates(keyId)
  const total = rates.reduce((sum, rate) => sum + rate, 0)
  return (
    <Page
      title={name}
      heading={
        <>
          <Link to="/agents" className="crumb">
            Agents
          </Link>
          <span className="crumb">/</span>
          <Avatar
            name={name}
            isAgent={agent?.isAgent ?? (user ? user.kind === 'agent' : !key?.scopes.includes('admin'))}
          />
          <span className="truncate">{name}</span>
        </>
      }
      actions={
        isAdmin && (
          <>
            <Button
              icon="undo"
              onClick={() => void navigate({ to: '/events', search: { actor: keyId, undo: '1' } as never })}
              aria-label="Undo changes"
            >
              <span className="desktop-only">Undo changes</span>
            </Button>
            {key && (
              <Button
                icon={key.paused ? 'play' : 'pause'}
                onClick={() => toggle({ what: 'key', id: keyId, name, paused: key.paused })}
                aria-label={key.paused ? 'Resume' : 'Pause'}
              >
                <span className="desktop-only">{key.paused ? 'Resume' : 'Pause'}</span>
              </Button>
            )}
            {key && (
              <Button kind="danger" icon="key" onClick={() => setIsRevoking(true)} aria-label="Revoke the key">
                <span className="desktop-only">Revoke</span>
              </Button>
            )}
          </>
        )
      }
    >
      <div className="page-body">
        <div className="page-content">
          {isGone && (
            <div className="notice">
              <span>The key of {name} no longer exists. What it did is still here.</span>
            </div>
          )}
          {key?.paused && (
            <div className="notice">
              <Icon name="pause" />
              <span>
                <b>Paused</b> by {actorOf(users, key.paused.by).name}, <Time at={key.paused.at} />: {key.paused.reason}
              </span>
            </div>
          )}
          <dl className="facts">
            {seesClaims && (
              <div>
                <dt>State</dt>
                <dd className="cell-flex">
                  <StateBadge state={agent?.state ?? 'idle'} />
                  <PausedBadge paused={key?.paused} />
                </dd>
              </div>
            )}
            <div>
              <dt>Last seen</dt>
              <dd>
                {agent?.lastAtMs ? (
                  <Time at={new Date(agent.lastAtMs).toISOString()} />
                ) : key?.lastUsedAt ? (
                  <Time at={key.lastUsedAt} />
                ) : (
                  'not lately'
                )}
              </dd>
            </div>
            <div>
              <dt>Changes in 30 min</dt>
              <dd className="cell-flex">
                <span className="num">{numberText(total)}</span>
                <Sparkline values={rates} label={`${countOf(total, 'change')} in the last 30 minutes`} />
              </dd>
            </div>
            {key && (
              <>
                <div>
                  <dt>Scopes</dt>
                  <dd>{key.scopes.join(', ')}</dd>
                </div>
                <div>
                  <dt>User</dt>
                  <dd>{key.userId ? (user?.name ?? 'deleted user') : 'none'}</dd>
                </div>
              </>
            )}
          </dl>
          {seesClaims && agent && agent.workers.length > 0 && (
            <Workers workers={agent.workers} chosen={query.worker} canUndo={isAdmin} />
          )}
          <section aria-labelledby="claims">
            <div className="section-head">
              <h2 id="claims">Holds</h2>
              {seesClaims && <span className="muted num">{numberText(claims.length)}</span>}
            </div>
            {!seesClaims ? (
              <ClaimsHidden />
            ) : claims.length === 0 ? (
              <p className="muted">No task.</p>
            ) : (
              <ul className="rows">
                {claims.map((card) => (
                  <li key={card.id} className="row">
                    <Link to="." search={withTask(card.id)} className="row-main" activeProps={{}}>
                      <span className="row-title">
                        <span className="card-id">{card.id}</span> {card.title}
                      </span>
                      <small>
                        {card.claim!.worker && `${card.claim!.worker} · `}claimed{' '}
                        {relativeTime(card.claim!.claimedAt, nowMs)} · last sign of life{' '}
                        {relativeTime(card.claim!.renewedAt, nowMs)} · lease ends{' '}
                        {relativeTime(card.claim!.expiresAt, nowMs)}
                        {card.claim!.note && ` · ${card.claim!.note}`}
                      </small>
                    </Link>
                    {isAdmin && (
                      <>
                        <Button
                          small
                          onClick={() => setQuery({ claim: card.claim!.token, worker: undefined, undo: '1' })}
                          aria-label={`Undo what was done under the claim on ${card.id}`}
                        >
                          Undo
                        </Button>
                        <Button small onClick={() => void release(card.id)} aria-label={`Release ${card.id}`}>
                          Release
                        </Button>
                      </>
                    )}
                  </li>
                ))}
              </ul>
            )}
          </section>
          {isAdmin && <KeyUsage keyId={keyId} />}
          <section aria-labelledby="work">
            <div className="section-head">
              <h2 id="work">Its work</h2>
              <Link to="/events" search={{ actor: keyId } as never} className="link">
                All events
              </Link>
            </div>
            <Work keyId={keyId} />
          </section>
        </div>
      </div>
      {dialog}
      {query.undo && (query.worker || query.claim) && isAdmin && (
        <Suspense>
          <UndoDialog
            keyId={keyId}
            worker={query.worker}
            claim={query.claim}
            name={query.claim ? `${name} under claim ${query.claim}` : `${query.worker} of ${name}`}
            since={query.undo}
            onSince={(since) => setQuery({ undo: since }, { replace: true })}
            onClose={() => setQuery({ undo: undefined, worker: undefined, claim: undefined }, { replace: true })}
          />
        </Suspense>
      )}
      {isRevoking && (
        <Confirm
          title={`Revoke the key of ${name}?`}
          action="Revoke"
          isDangerous
          run={async () => {
            await client.keys.delete(keyId)
            app.keys.remove(keyId)
            toasts.info(`The key of ${name} is revoked`)
          }}
          onClose={() => setIsRevoking(false)}
        >
          <RevokedText count={claims.length} />
        </Confirm>
      )}
    </Page>
  )
}
