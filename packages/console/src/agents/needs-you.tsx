import { Link } from '@tanstack/react-router'
import { type ReactNode, useEffect, useMemo, useState } from 'react'
import { hasScope } from '../api/permissions'
import { Button } from '../components/button'
import { numberText } from '../components/count'
import { Icon, StatusIcon } from '../components/icons'
import { durationText, Time, useNow } from '../components/time'
import { withTask } from '../query'
import { useConsole } from '../store/console'
import { useObservable } from '../store/observable'
import { isOpen, type TaskCard } from '../store/task-card'
import { useLoaded } from '../store/use-loaded'
import { isLive } from '../tasks/claim-mark'
import { useTaskActions } from '../tasks/use-task-actions'
import type { Agent } from './derive'

const shownAtFirst = 8
const readPerKind = 100

interface Need {
  id: string
  icon: ReactNode
  title: ReactNode
  why: ReactNode
  action: ReactNode
}

const OpenTask = ({ id }: { id: string }): ReactNode => (
  <Link to="." search={withTask(id)} className="button small" activeProps={{}} aria-label={`Open ${id}`}>
    Open
  </Link>
)

const taskTitle = ({ id, title }: TaskCard): ReactNode => (
  <Link to="." search={withTask(id)} activeProps={{}} className="need-task">
    <span className="card-id">{id}</span> <span className="truncate">{title}</span>
  </Link>
)

/** Tasks whose attempts are used up, of all projects. */
export const useExhausted = (): TaskCard[] => {
  const { client, tasks, projects } = useConsole()
  const revision = useObservable(tasks.revision)
  const list = useObservable(projects.list)
  const nowMs = useNow()
  useEffect(() => {
    client.tasks.cards({ exhausted: true, limit: readPerKind }).then(
      (page) => tasks.add(page.data),
      () => undefined,
    )
  }, [client, tasks])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the revision stands for the cards
  return useMemo(() => {
    const exhausted: TaskCard[] = []
    for (const card of tasks.cards()) {
      const isUsedUp = card.attempts >= (projects.get(card.projectId)?.maxAttempts ?? Infinity)
      if (isUsedUp && isOpen(card.status) && card.status !== 'in_review' && !isLive(card.claim, nowMs))
        exhausted.push(card)
    }
    return exhausted
  }, [tasks, revision, projects, list, nowMs])
}

const useInReview = (): TaskCard[] => {
  const { client, tasks } = useConsole()
  const revision = useObservable(tasks.revision)
  useEffect(() => {
    client.tasks.cards({ status: 'in_review', sort: '-updatedAt', limit: readPerKind }).then(
      (page) => tasks.add(page.data),
      () => undefined,
    )
  }, [client, tasks])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the revision stands for the cards
  return useMemo(() => {
    const list: TaskCard[] = []
    for (const card of tasks.cards()) if (card.status === 'in_review') list.push(card)
    return list.sort((a, b) => (a.updatedAt < b.updatedAt ? 1 : -1))
  }, [tasks, revision])
}

const useBrokenWebhooks = () => {
  const { client, me: meNow, onEvent } = useConsole()
  const isAdmin = hasScope(useObservable(meNow), 'admin')
  const { data = [], reload } = useLoaded(
    async (signal) => (isAdmin ? (await client.webhooks.list({ limit: 100 }, { signal })).data : []),
    [isAdmin],
  )
  useEffect(
    () =>
      onEvent((event) => {
        if (event.type.startsWith('webhook.')) reload()
      }),
    [onEvent, reload],
  )
  return data.filter(({ disabledReason, failingSince }) => disabledReason !== null || failingSince !== null)
}

/** Everything that waits for a person, most urgent first. */
export const NeedsYou = ({ agents }: { agents: readonly Agent[] }): ReactNode => {
  const { me: meNow } = useConsole()
  const me = useObservable(meNow)
  const { release, retry } = useTaskActions()
  const [showsAll, setShowsAll] = useState(false)
  const exhausted = useExhausted()
  const inReview = useInReview()
  const webhooks = useBrokenWebhooks()
  const nowMs = useNow()
  const isAdmin = hasScope(me, 'admin')
  const canWrite = hasScope(me, 'tasks:write')

  const needs: Need[] = [
    ...agents
      .filter(({ state }) => state === 'silent')
      .flatMap((agent) =>
        agent.claims.map((card) => ({
          id: `silent-${card.id}`,
          icon: (
            <span className="need-icon amber">
              <Icon name="alert" size={14} />
            </span>
          ),
          title: taskTitle(card),
          why: (
            <>
              {agent.name} silent for {durationText(nowMs - (agent.lastAtMs ?? nowMs))}
            </>
          ),
          action: isAdmin ? (
            <Button small onClick={() => void release(card.id)} aria-label={`Release ${card.id}`}>
              Release
            </Button>
          ) : (
            <OpenTask id={card.id} />
          ),
        })),
      ),
    ...exhausted.map((card) => ({
      id: `exhausted-${card.id}`,
      icon: (
        <span className="need-icon red">
          <Icon name="refresh" size={14} />
        </span>
      ),
      title: taskTitle(card),
      why: <>failed {card.attempts} attempts</>,
      action: canWrite ? (
        <Button small onClick={() => void retry(card.id)} aria-label={`Retry ${card.id}: allow more attempts`}>
          Retry
        </Button>
      ) : (
        <OpenTask id={card.id} />
      ),
    })),
    ...webhooks.map((webhook) => ({
      id: webhook.id,
      icon: (
        <span className="need-icon red">
          <Icon name="webhook" size={14} />
        </span>
      ),
      title: <span className="truncate">{webhook.url}</span>,
      why: webhook.disabledReason ? (
        <>webhook disabled: {webhook.disabledReason}</>
      ) : (
        <>webhook failing for {durationText(nowMs - Date.parse(webhook.failingSince!))}</>
      ),
      action: (
        <Link to="/webhooks/$webhookId" params={{ webhookId: webhook.id }} className="button small">
          Open
        </Link>
      ),
    })),
    ...me.warnings.map((warning) => ({
      id: warning.code,
      icon: (
        <span className="need-icon amber">
          <Icon name="key" size={14} />
        </span>
      ),
      title: <span>{warning.message}</span>,
      why: null,
      action: (
        <Link to={warning.code === 'quota_nearly_used' ? '/usage' : '/keys'} className="button small">
          Open
        </Link>
      ),
    })),
    ...inReview.map((card) => ({
      id: `review-${card.id}`,
      icon: (
        <span className="need-icon">
          <StatusIcon status="in_review" />
        </span>
      ),
      title: taskTitle(card),
      why: (
        <>
          in review <Time at={card.updatedAt} />
        </>
      ),
      action: <OpenTask id={card.id} />,
    })),
  ]
  const shown = showsAll ? needs : needs.slice(0, shownAtFirst)
  return (
    <section aria-labelledby="needs-you">
      <div className="section-head">
        <h2 id="needs-you">Needs you</h2>
        <span className="muted num">{numberText(needs.length)}</span>
      </div>
      {needs.length === 0 ? (
        <div className="all-well">
          <Icon name="check" />
          Nothing waits for you. Silent agents, exhausted tasks, broken webhooks and work in review show up here.
        </div>
      ) : (
        <ul className="rows">
          {shown.map(({ id, icon, title, why, action }) => (
            <li key={id} className="row need">
              {icon}
              <span className="need-title">{title}</span>
              <span className="need-why muted">{why}</span>
              {action}
            </li>
          ))}
        </ul>
      )}
      {needs.length > shownAtFirst && (
        <Button kind="quiet" small onClick={() => setShowsAll((value) => !value)}>
          {showsAll ? 'Show fewer' : `Show all ${numberText(needs.length)}`}
        </Button>
      )}
    </section>
  )
}
