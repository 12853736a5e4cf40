import { Link } from '@tanstack/react-router'
import { type ReactNode, useEffect, useMemo } from 'react'
import type { Agent } from '../agents/derive'
import { hasScope } from '../api/permissions'
import { Button } from '../components/button'
import { Icon, StatusIcon } from '../components/icons'
import { durationText, Time, useNow } from '../components/time'
import { withTask } from '../query'
import { useConsole } from '../store/console'
import { useObservable } from '../store/observable'
import { isOpen, type TaskCard } from '../store/task-card'
import { useLoaded } from '../store/use-loaded'
import { isLive } from '../tasks/claim-mark'
import { useTaskActions } from '../tasks/use-task-actions'
import { TaskTitle } from './task-title'

const readPerKind = 100

/** Something that is stuck, or that anyone may look at. */
export interface Need {
  id: string
  taskId: string | null
  tone: '' | 'amber' | 'red'
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
      if (isUsedUp && isOpen(card.statusCategory) && card.statusCategory !== 'in_review' && !isLive(card.claim, nowMs))
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
    for (const card of tasks.cards()) if (card.statusCategory === 'in_review') list.push(card)
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

/** What is stuck, most urgent first, then work in review; without the tasks that are shown already. */
export const useAttention = (agents: readonly Agent[], shown: ReadonlySet<string>): Need[] => {
  const { me: meNow } = useConsole()
  const me = useObservable(meNow)
  const { release, retry } = useTaskActions()
  const exhausted = useExhausted()
  const inReview = useInReview()
  const webhooks = useBrokenWebhooks()
  const nowMs = useNow()
  const isAdmin = hasScope(me, 'admin')
  const canWrite = hasScope(me, 'tasks:write')
  const silent = agents.filter(({ state }) => state === 'silent')
  return [
    ...silent.flatMap((agent) =>
      agent.claims.map(
        (card): Need => ({
          id: `silent-${card.id}`,
          taskId: card.id,
          tone: 'amber',
          icon: <Icon name="alert" size={14} />,
          title: <TaskTitle card={card} />,
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
        }),
      ),
    ),
    ...exhausted
      .filter(({ id }) => !shown.has(id))
      .map(
        (card): Need => ({
          id: `exhausted-${card.id}`,
          taskId: card.id,
          tone: 'red',
          icon: <Icon name="refresh" size={14} />,
          title: <TaskTitle card={card} />,
          why: <>failed {card.attempts} attempts</>,
          action: canWrite ? (
            <Button small onClick={() => void retry(card.id)} aria-label={`Retry ${card.id}: allow more attempts`}>
              Retry
            </Button>
          ) : (
            <OpenTask id={card.id} />
          ),
        }),
      ),
    ...webhooks.map(
      (webhook): Need => ({
        id: webhook.id,
        taskId: null,
        tone: 'red',
        icon: <Icon name="webhook" size={14} />,
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
      }),
    ),
    ...me.warnings.map(
      (warning): Need => ({
        id: warning.code,
        taskId: null,
        tone: 'amber',
        icon: <Icon name="key" size={14} />,
        title: <span>{warning.message}</span>,
        why: null,
        action: (
          <Link to={warning.code === 'quota_nearly_used' ? '/usage' : '/keys'} className="button small">
            Open
          </Link>
        ),
      }),
    ),
    ...inReview
      .filter(({ id }) => !shown.has(id))
      .map(
        (card): Need => ({
          id: `review-${card.id}`,
          taskId: card.id,
          tone: '',
          icon: <StatusIcon status="in_review" />,
          title: <TaskTitle card={card} />,
          why: (
            <>
              in review <Time at={card.updatedAt} />
            </>
          ),
          action: <OpenTask id={card.id} />,
        }),
      ),
  ]
}
