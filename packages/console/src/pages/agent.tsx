import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { type ReactNode, useEffect, useState } from 'react'
import type { ChangeEvent } from 'worklore-client'
import { StateBadge } from '../agents/agent-table'
import { ClaimsHidden } from '../agents/notices'
import { useAgents } from '../agents/use-agents'
import { hasScope } from '../api/permissions'
import { Avatar } from '../components/avatar'
import { Button } from '../components/button'
import { Sparkline } from '../components/charts'
import { Confirm } from '../components/confirm'
import { countOf, numberText } from '../components/count'
import { Failure, Skeletons } from '../components/states'
import { relativeTime, Time, useNow } from '../components/time'
import { EventLine } from '../events/event-line'
import { Page } from '../layout/page'
import { ratesOf } from '../store/activity'
import { useConsole } from '../store/console'
import { useObservable } from '../store/observable'
import { useLoaded } from '../store/use-loaded'
import { useTaskActions } from '../tasks/use-task-actions'
import '../styles/overview.css'
import '../styles/events.css'
import '../styles/manage.css'
import { withTask } from '../query'

const eventsShown = 60

const Refusals = ({ keyId }: { keyId: string }): ReactNode => {
  const { client } = useConsole()
  const { data, error } = useLoaded(
    async (signal) =>
      (await client.audit.list({ keyId, limit: 50 }, { signal })).data.filter(
        ({ action }) => action === 'scope.refused' || action === 'auth.failed',
      ),
    [keyId],
  )
  if (error) return <Failure error={error} what="the refusals" />
  if (!data) return <Skeletons count={2} />
  if (data.length === 0) return <p className="muted">Nothing was refused.</p>
  return (
    <ul className="rows">
      {data.map((entry) => (
        <li key={entry.id} className="row">
          <span className="badge red">{entry.action}</span>
          <span className="row-main">
            <span>
              {Object.entries(entry.details)
                .map(([name, value]) => `${name} ${String(value)}`)
                .join(' · ')}
            </span>
          </span>
          <span className="muted num">
            {numberText(entry.count)} × · <Time at={entry.lastAt} />
          </span>
        </li>
      ))}
    </ul>
  )
}

const Work = ({ keyId }: { keyId: string }): ReactNode => {
  const { client, onEvent } = useConsole()
  const { data, error, reload, set } = useLoaded(
    async (signal) => (await client.events.newest({ actor: keyId, limit: eventsShown }, { signal })).data,
    [keyId],
  )
  useEffect(
    () =>
      onEvent((event: ChangeEvent) => {
        if (event.actor.keyId === keyId) set((list) => [event, ...(list ?? [])].slice(0, eventsShown))
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
  const { client, keys, activity, users, me: meNow, toasts } = useConsole()
  const { keyId } = useParams({ strict: false }) as { keyId: string }
  const me = useObservable(meNow)
  const isAdmin = hasScope(me, 'admin')
  const seesClaims = hasScope(me, 'tasks:read')
  const agents = useAgents()
  const nowMs = useNow()
  const navigate = useNavigate()
  const { release } = useTaskActions()
  const [isRevoking, setIsRevoking] = useState(false)
  const keysLoaded = useObservable(keys.isLoaded)
  useObservable(activity.revision)
  const agent = agents.find((each) => each.keyId === keyId)
  const key = keys.get(keyId)
  const known = agent ?? activity.list().find((each) => each.keyId === keyId)
  const name = agent?.name ?? key?.name ?? (known && 'keyName' in known ? known.keyName : keyId)
  const isGone = isAdmin && keysLoaded && !key && keyId !== 'service'
  const claims = agent?.claims ?? []
  const rates = ratesOf(activity.list(), nowMs, keyId)
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
          <Avatar name={name} isAgent={agent?.isAgent ?? true} />
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
          <dl className="facts">
            {seesClaims && (
              <div>
                <dt>State</dt>
                <dd>
                  <StateBadge state={agent?.state ?? 'idle'} />
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
                  <dd>{key.userId ? (users.get(key.userId)?.name ?? 'deleted user') : 'none'}</dd>
                </div>
              </>
            )}
          </dl>
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
                        claimed {relativeTime(card.claim!.claimedAt, nowMs)} · last sign of life{' '}
                        {relativeTime(card.claim!.renewedAt, nowMs)} · lease ends{' '}
                        {relativeTime(card.claim!.expiresAt, nowMs)}
                        {card.claim!.note && ` · ${card.claim!.note}`}
                      </small>
                    </Link>
                    {isAdmin && (
                      <Button small onClick={() => void release(card.id)} aria-label={`Release ${card.id}`}>
                        Release
                      </Button>
                    )}
                  </li>
                ))}
              </ul>
            )}
          </section>
          {isAdmin && (
            <section aria-labelledby="refusals">
              <div className="section-head">
                <h2 id="refusals">Refused requests</h2>
              </div>
              <Refusals keyId={keyId} />
            </section>
          )}
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
      {isRevoking && (
        <Confirm
          title={`Revoke the key of ${name}?`}
          action="Revoke"
          isDangerous
          run={async () => {
            await client.keys.delete(keyId)
            keys.remove(keyId)
            toasts.info(`The key of ${name} is revoked`)
          }}
          onClose={() => setIsRevoking(false)}
        >
          It stops working at once, and the {countOf(claims.length, 'task')} it holds will go back to To do.
        </Confirm>
      )}
    </Page>
  )
}
