import { Link, useNavigate } from '@tanstack/react-router'
import { Fragment, type ReactNode, useState } from 'react'
import { hasScope } from '../api/permissions'
import { Avatar } from '../components/avatar'
import { Sparkline } from '../components/charts'
import { Confirm } from '../components/confirm'
import { countOf } from '../components/count'
import { Icon } from '../components/icons'
import { ActionMenu } from '../components/menu'
import { MiddleCut } from '../components/middle-cut'
import { useNow } from '../components/time'
import { PausedBadge, usePause } from '../pauses/use-pause'
import { useQuery, useSetQuery } from '../query'
import type { TaskCard } from '../store/cards/task-card'
import { useConsole } from '../store/console'
import { useKeyRecords, useMe } from '../store/records'
import { useTaskActions } from '../tasks/use-task-actions'
import { Claims, HealthCells, LastSeen, RevokedText, StateBadge } from './agent-cells'
import type { Agent, AgentWorker } from './derive'
import { nextSort, type SortField, sortAgents, sortNames, sortOf } from './sort'
import { type Period, periods } from './use-usage'
import '../styles/data-table.css'
import '../styles/agents.css'

const SortHead = ({ field, className }: { field: SortField; className?: string }): ReactNode => {
  const sort = sortOf(useQuery().sort)
  const setQuery = useSetQuery()
  const isSorted = sort.field === field
  return (
    <th
      className={className}
      aria-sort={!isSorted || field === 'state' ? 'none' : sort.isDescending ? 'descending' : 'ascending'}
    >
      <button
        type="button"
        className="sort-head"
        data-sorted={isSorted}
        onClick={() => setQuery({ sort: nextSort(sort, field) }, { replace: true })}
      >
        {sortNames[field]}
        <span aria-hidden="true">{isSorted && field !== 'state' ? (sort.isDescending ? '↓' : '↑') : ''}</span>
      </button>
    </th>
  )
}

/** Of a key with more workers, those that are idle are on its own page. */
const maxIdleShown = 8

const shownWorkers = ({ workers }: Agent): AgentWorker[] =>
  workers.length <= maxIdleShown ? workers : workers.filter(({ state }) => state !== 'idle')

const PlainHead = ({ field }: { field: SortField }): ReactNode => <th>{sortNames[field]}</th>

interface AgentTableProps {
  agents: readonly Agent[]
  /** With how well each works in this period, and sortable. */
  period?: Period
}

/** Agents, and under each the workers that share its key. */
export const AgentTable = ({ agents, period }: AgentTableProps): ReactNode => {
  const { client, toasts } = useConsole()
  const keys = useKeyRecords()
  const me = useMe()
  const isAdmin = hasScope(me, 'admin')
  const seesClaims = hasScope(me, 'tasks:read')
  const { release } = useTaskActions()
  const navigate = useNavigate()
  const nowMs = useNow()
  const { sort } = useQuery()
  const { choice, dialog } = usePause()
  const [revoking, setRevoking] = useState<Agent | null>(null)
  const Head = period ? SortHead : PlainHead
  const showsHealth = period !== undefined && isAdmin
  const periodMs = periods[period ?? '24h'].ms
  const shown = period ? sortAgents(agents, sortOf(sort), periodMs, nowMs) : agents

  const pauseChoices = ({ keyId, name }: Agent) => {
    const key = keys.get(keyId)
    return key ? [choice({ what: 'key', id: keyId, name, paused: key.paused })] : []
  }

  const releaseAction = (claims: readonly TaskCard[]) =>
    claims.length === 0
      ? []
      : [
          {
            value: () => claims.forEach(({ id }) => void release(id)),
            label: claims.length === 1 ? `Release ${claims[0]!.id}` : `Release ${countOf(claims.length, 'task')}`,
            icon: <Icon name="play" size={14} />,
          },
        ]

  const workerRow = (agent: Agent, worker: AgentWorker): ReactNode => (
    <tr key={worker.name} className="worker-row">
      <td>
        <Link
          to="/agents/$keyId"
          params={{ keyId: agent.keyId }}
          search={{ worker: worker.name } as never}
          className="worker-name"
          title={worker.name}
          aria-label={`${worker.name}, worker of ${agent.name}`}
        >
          <MiddleCut text={worker.name} />
        </Link>
      </td>
      {seesClaims && (
        <>
          <td data-label="State">
            <StateBadge state={worker.state} />
          </td>
          <td data-label="Holds" className="holds">
            <Claims claims={worker.claims} />
          </td>
        </>
      )}
      <td data-label="Last seen" className="muted">
        <LastSeen atMs={worker.lastAtMs} />
      </td>
      <td className="desktop-only recent" />
      {showsHealth && <HealthCells usage={worker.usage} periodMs={periodMs} nowMs={nowMs} />}
      <td className="end">
        {isAdmin && (
          <ActionMenu
            label={`Actions on ${worker.name} of ${agent.name}`}
            actions={[
              ...releaseAction(worker.claims),
              {
                value: () =>
                  void navigate({
                    to: '/agents/$keyId',
                    params: { keyId: agent.keyId },
                    search: { worker: worker.name, undo: '1' } as never,
                  }),
                label: 'Undo its changes since…',
                icon: <Icon name="undo" size={14} />,
              },
            ]}
          />
        )}
      </td>
    </tr>
  )

  const agentRow = (agent: Agent): ReactNode => {
    const { rates } = agent
    const total = rates.reduce((sum, rate) => sum + rate, 0)
    const unnamed = agent.claims.filter(({ claim }) => !claim?.worker)
    return (
      <tr>
        <td>
          <Link to="/agents/$keyId" params={{ keyId: agent.keyId }} className="cell-flex agent-name">
            <Avatar name={agent.name} isAgent={agent.isAgent} />
            <span className="agent-names" title={agent.name}>
              <MiddleCut text={agent.name} />
              {agent.userName && agent.userName !== agent.name && (
                <small className="muted truncate">{agent.userName}</small>
              )}
            </span>
          </Link>
        </td>
        {seesClaims && (
          <>
            <td data-label="State">
              {agent.state === 'paused' ? (
                <PausedBadge paused={keys.get(agent.keyId)?.paused} />
              ) : (
                <StateBadge state={agent.state} />
              )}
            </td>
            <td data-label="Holds" className="holds">
              {agent.workers.length > 0 && unnamed.length === 0 ? (
                <span className="muted">
                  {countOf(agent.claims.length, 'task')}, {countOf(agent.workers.length, 'worker')}
                </span>
              ) : (
                <Claims claims={agent.workers.length > 0 ? unnamed : agent.claims} />
              )}
            </td>
          </>
        )}
        <td data-label="Last seen" className="muted">
          <LastSeen atMs={agent.lastAtMs} />
        </td>
        <td className="desktop-only recent">
          <Sparkline values={rates} label={`${countOf(total, 'change')} by ${agent.name} in the last 30 minutes`} />
        </td>
        {showsHealth && <HealthCells usage={agent.usage} periodMs={periodMs} nowMs={nowMs} />}
        <td className="end">
          {isAdmin && (
            <ActionMenu
              label={`Actions on ${agent.name}`}
              actions={[
                ...releaseAction(agent.claims),
                ...pauseChoices(agent),
                {
                  value: () => void navigate({ to: '/events', search: { actor: agent.keyId, undo: '1' } as never }),
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
  }

  return (
    <>
      <div className="table-wrap">
        <table className={showsHealth ? 'data-table agents stacks with-health' : 'data-table agents stacks'}>
          <thead>
            <tr>
              <Head field="name" />
              {seesClaims && (
                <>
                  <Head field="state" />
                  <Head field="holds" />
                </>
              )}
              <Head field="seen" />
              <th className="desktop-only recent">Last 30 min</th>
              {showsHealth &&
                (['finished', 'median', 'failed', 'expired', 'refused'] as const).map((field) => (
                  <Head key={field} field={field} />
                ))}
              <th>
                <span className="visually-hidden">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.map((agent) => (
              <Fragment key={agent.keyId}>
                {agentRow(agent)}
                {shownWorkers(agent).map((worker) => workerRow(agent, worker))}
              </Fragment>
            ))}
          </tbody>
        </table>
      </div>
      {dialog}
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
          <RevokedText count={revoking.claims.length} />
        </Confirm>
      )}
    </>
  )
}
