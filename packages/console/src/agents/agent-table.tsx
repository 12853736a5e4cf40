import { Link, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { hasScope } from '../api/permissions'
import { Avatar } from '../components/avatar'
import { Sparkline } from '../components/charts'
import { Confirm } from '../components/confirm'
import { countOf } from '../components/count'
import { Icon } from '../components/icons'
import { ActionMenu } from '../components/menu'
import { Time, useNow } from '../components/time'
import { withTask } from '../query'
import { ratesOf } from '../store/activity'
import { useConsole } from '../store/console'
import { useObservable } from '../store/observable'
import type { TaskCard } from '../store/task-card'
import { useTaskActions } from '../tasks/use-task-actions'
import type { Agent, AgentState } from './derive'
import '../styles/data-table.css'

const tones: Record<AgentState, string> = { working: 'green', silent: 'amber', idle: '' }
/** Tasks named in the table; more are counted. */
const shownClaims = 2

export const StateBadge = ({ state }: { state: AgentState }): ReactNode => (
  <span className={`badge ${tones[state]}`}>
    <span className="claim-dot" aria-hidden="true" />
    {state}
  </span>
)

const Claims = ({ claims }: { claims: readonly TaskCard[] }): ReactNode =>
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
      {claims.length > shownClaims && <span className="muted">+{claims.length - shownClaims} more</span>}
    </>
  )

export const AgentTable = ({ agents }: { agents: readonly Agent[] }): ReactNode => {
  const { activity, me: meNow, client, toasts } = useConsole()
  const me = useObservable(meNow)
  const isAdmin = hasScope(me, 'admin')
  const seesClaims = hasScope(me, 'tasks:read')
  const { release } = useTaskActions()
  const navigate = useNavigate()
  const nowMs = useNow()
  const [revoking, setRevoking] = useState<Agent | null>(null)
  useObservable(activity.revision)
  return (
    <>
      <div className="table-wrap">
        <table className="data-table agents stacks">
          <thead>
            <tr>
              <th>Agent</th>
              {seesClaims && (
                <>
                  <th>State</th>
                  <th>Holds</th>
                </>
              )}
              <th>Last seen</th>
              <th className="desktop-only">Last 30 min</th>
              <th>
                <span className="visually-hidden">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {agents.map((agent) => {
              const rates = ratesOf(activity.list(), nowMs, agent.keyId)
              const total = rates.reduce((sum, rate) => sum + rate, 0)
              return (
                <tr key={agent.keyId}>
                  <td>
                    <Link to="/agents/$keyId" params={{ keyId: agent.keyId }} className="cell-flex agent-name">
                      <Avatar name={agent.name} isAgent={agent.isAgent} />
                      <span className="truncate">{agent.name}</span>
                    </Link>
                  </td>
                  {seesClaims && (
                    <>
                      <td data-label="State">
                        <StateBadge state={agent.state} />
                      </td>
                      <td data-label="Holds" className="holds">
                        <Claims claims={agent.claims} />
                      </td>
                    </>
                  )}
                  <td data-label="Last seen" className="muted">
                    {agent.lastAtMs ? <Time at={new Date(agent.lastAtMs).toISOString()} /> : 'never'}
                  </td>
                  <td className="desktop-only">
                    <Sparkline
                      values={rates}
                      label={`${countOf(total, 'change')} by ${agent.name} in the last 30 minutes`}
                    />
                  </td>
                  <td className="end">
                    {isAdmin && (
                      <ActionMenu
                        label={`Actions on ${agent.name}`}
                        actions={[
                          ...(agent.claims.length > 0
                            ? [
                                {
                                  value: () => agent.claims.forEach(({ id }) => void release(id)),
                                  label:
                                    agent.claims.length === 1
                                      ? `Release ${agent.claims[0]!.id}`
                                      : `Release ${agent.claims.length} tasks`,
                                  icon: <Icon name="play" size={14} />,
                                },
                              ]
                            : []),
                          {
                            value: () =>
                              void navigate({ to: '/events', search: { actor: agent.keyId, undo: '1' } as never }),
                            label: 'Undo its changes since…',
                            icon: <Icon name="undo" size={14} />,
                          },
                          {
                            value: () => setRevoking(agent),
                            label: 'Revoke its key',
                            icon: <Icon name="key" size={14} />,
                            isDangerous: true,
                          },
                        ]}
                      />
                    )}
                  </td>
                </tr>
              )
            })}
          </tbody>
        </table>
      </div>
      {revoking && (
        <Confirm
          title={`Revoke the key of ${revoking.name}?`}
          action="Revoke"
          isDangerous
          run={async () => {
            await client.keys.delete(revoking.keyId)
            toasts.info(`The key of ${revoking.name} is revoked`)
          }}
          onClose={() => setRevoking(null)}
        >
          It stops working at once, and the {countOf(revoking.claims.length, 'task')} it holds will go back to To do.
        </Confirm>
      )}
    </>
  )
}
