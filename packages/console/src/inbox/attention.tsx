import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { hasScope } from '../api/permissions'
import { Button } from '../components/button'
import { countOf } from '../components/count'
import { Icon } from '../components/icons'
import { durationText, Time, useNow } from '../components/time'
import { withTask } from '../query'
import { useObservable } from '../store/base/observable'
import { useMe, useUsers } from '../store/records'
import { holderText } from '../tasks/claim-mark'
import { useTaskActions } from '../tasks/use-task-actions'
import type { Group } from './groups'
import type { Row } from './rows'
import { type Inbox, othersIn } from './store'
import { TaskTitle } from './task-title'

/** Something that is stuck. */
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

const rowOf = (need: Need): Row => ({ kind: 'need', id: need.id, taskId: need.taskId, need })

/** What is stuck, and work in review; without the tasks that are listed as this user's own. */
export const useAttention = (inbox: Inbox): Group[] => {
  const users = useUsers()
  const me = useMe()
  const { release, retry } = useTaskActions()
  const { stuck } = inbox
  useObservable(stuck.exhausted)
  useObservable(stuck.inReview)
  const webhooks = useObservable(stuck.webhooks)
  const { exhausted, inReview } = othersIn(inbox)
  const nowMs = useNow()
  const isAdmin = hasScope(me, 'admin')
  const canWrite = hasScope(me, 'tasks:write')

  const silent = useObservable(stuck.silent).map(
    ({ card, lastMs }): Need => ({
      id: `silent-${card.id}`,
      taskId: card.id,
      tone: 'amber',
      icon: <Icon name="alert" size={14} />,
      title: <TaskTitle card={card} />,
      why: (
        <>
          {holderText(users, card.claim!)} silent for {durationText(nowMs - lastMs)}
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
  )

  const failed = exhausted.cards.map(
    (card): Need => ({
      id: `exhausted-${card.id}`,
      taskId: card.id,
      tone: 'red',
      icon: <Icon name="refresh" size={14} />,
      title: <TaskTitle card={card} />,
      why: (
        <>
          failed {countOf(card.attempts, 'attempt')} · <Time at={card.updatedAt} />
        </>
      ),
      action: canWrite ? (
        <Button small onClick={() => void retry(card.id)} aria-label={`Retry ${card.id}: allow more attempts`}>
          Retry
        </Button>
      ) : (
        <OpenTask id={card.id} />
      ),
    }),
  )

  const broken: Need[] = [
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
  ]

  return [
    { kind: 'silent', rows: silent.map(rowOf), count: silent.length },
    { kind: 'exhausted', rows: failed.map(rowOf), count: exhausted.count },
    { kind: 'broken', rows: broken.map(rowOf), count: broken.length },
    {
      kind: 'review',
      rows: inReview.cards.map(({ id }): Row => ({ kind: 'review', id: `review-${id}`, taskId: id })),
      count: inReview.count,
    },
  ]
}
