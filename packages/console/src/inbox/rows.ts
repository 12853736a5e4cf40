import { useEffect } from 'react'
import type { InboxEntry, Question } from 'worklore-client'
import { useConsole } from '../store/console'
import { useObservable } from '../store/observable'
import type { Need } from './attention'
import { type Inbox, inboxOf } from './store'

interface RowOf<K extends string> {
  kind: K
  id: string
  /** Opened with the row. */
  taskId: string | null
}

export type Row =
  | (RowOf<'question'> & { question: Question })
  | RowOf<'review'>
  | (RowOf<'entry'> & { entry: InboxEntry })
  | (RowOf<'need'> & { need: Need })

export const useInbox = (): Inbox => {
  const console = useConsole()
  const inbox = inboxOf(console)
  useEffect(() => inbox.start(), [inbox])
  return inbox
}

/** What waits for who is signed in, the newest first. */
export const useInboxRows = ({ questions, reviews, entries }: Inbox): Row[] => {
  const { tasks } = useConsole()
  const open = useObservable(questions)
  const toReview = useObservable(reviews)
  const unread = useObservable(entries)
  useObservable(tasks.revision)
  const dated: [at: string, row: Row][] = [
    ...open.map((question): [string, Row] => [
      question.createdAt,
      { kind: 'question', id: question.id, taskId: question.taskId, question },
    ]),
    ...toReview.map((taskId): [string, Row] => [
      tasks.card(taskId)?.updatedAt ?? '',
      { kind: 'review', id: `check-${taskId}`, taskId },
    ]),
    ...unread.map((entry): [string, Row] => [entry.at, { kind: 'entry', id: entry.id, taskId: entry.taskId, entry }]),
  ]
  return dated.sort(([a], [b]) => (a < b ? 1 : a > b ? -1 : 0)).map(([, row]) => row)
}
