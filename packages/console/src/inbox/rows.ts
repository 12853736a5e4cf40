import { useEffect } from 'react'
import type { InboxEntry, Question } from 'worklore-client'
import { useObservable } from '../store/base/observable'
import { useConsole } from '../store/console'
import { useCardView } from '../store/records'
import type { Need } from './attention'
import type { Group } from './groups'
import { type Inbox, inboxOf, maxQuestions } from './store'

interface RowOf<K extends string> {
  kind: K
  id: string
  /** Opened with the row. */
  taskId: string | null
}

export type Row =
  | (RowOf<'question'> & { question: Question })
  | RowOf<'check'>
  | RowOf<'review'>
  | (RowOf<'entry'> & { entry: InboxEntry })
  | (RowOf<'need'> & { need: Need })

export const useInbox = (): Inbox => {
  const console = useConsole()
  const inbox = inboxOf(console)
  useEffect(() => inbox.start(), [inbox])
  return inbox
}

const inOrder = <T>(list: readonly T[], at: (item: T) => string): T[] =>
  [...list].sort((a, b) => (at(a) < at(b) ? -1 : at(a) > at(b) ? 1 : 0))

/** What waits for who is signed in, by kind, the longest-waiting first. */
export const useInboxGroups = ({ questions, reviews, unlistedReviews, entries }: Inbox): Group[] => {
  const tasks = useCardView()
  const open = useObservable(questions)
  const toReview = useObservable(reviews)
  const unlisted = useObservable(unlistedReviews)
  const unread = useObservable(entries)
  return [
    {
      kind: 'question',
      count: open.length,
      isCapped: open.length >= maxQuestions,
      rows: inOrder(open, ({ createdAt }) => createdAt).map(
        (question): Row => ({ kind: 'question', id: question.id, taskId: question.taskId, question }),
      ),
    },
    {
      kind: 'check',
      count: toReview.length + unlisted,
      rows: inOrder(toReview, (taskId) => tasks.card(taskId)?.updatedAt ?? '').map(
        (taskId): Row => ({ kind: 'check', id: `check-${taskId}`, taskId }),
      ),
    },
    {
      kind: 'news',
      count: unread.length,
      rows: inOrder(unread, ({ at }) => at).map(
        (entry): Row => ({ kind: 'entry', id: entry.id, taskId: entry.taskId, entry }),
      ),
    },
  ]
}
