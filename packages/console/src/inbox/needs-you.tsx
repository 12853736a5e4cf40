import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import type { Agent } from '../agents/derive'
import { errorText } from '../api/error-text'
import { Button } from '../components/button'
import { numberText } from '../components/count'
import { Icon } from '../components/icons'
import { Failure } from '../components/states'
import { useKeys } from '../keyboard/use-keys'
import { useQuery, useSetQuery } from '../query'
import { useConsole } from '../store/console'
import { useObservable } from '../store/observable'
import { useTaskActions } from '../tasks/use-task-actions'
import { useAttention } from './attention'
import { RowView } from './row-view'
import { type Row, useInbox, useInboxRows } from './rows'
import { useRowSelection } from './use-row-selection'
import '../styles/inbox.css'

const shownAtOnce = 50

interface NeedsYouProps {
  agents: readonly Agent[]
  /** Shows no more rows than this, and a link to all. */
  max?: number
}

/** Everything that waits for a person: what is for this one, the newest first, then what is stuck or in review. */
export const NeedsYou = ({ agents, max }: NeedsYouProps): ReactNode => {
  const { toasts } = useConsole()
  const { task: openTask } = useQuery()
  const setQuery = useSetQuery()
  const { moveBy } = useTaskActions()
  const inbox = useInbox()
  const isLoaded = useObservable(inbox.isLoaded)
  const failure = useObservable(inbox.failure)
  const isPart = max !== undefined
  const [shown, setShown] = useState(max ?? shownAtOnce)
  const mine = useInboxRows(inbox)
  const shownTasks = new Set(mine.flatMap(({ kind, taskId }) => (kind === 'question' || !taskId ? [] : [taskId])))
  const needs = useAttention(agents, shownTasks).map(
    (need): Row => ({ kind: 'need', id: need.id, taskId: need.taskId, need }),
  )
  const all = [...mine, ...needs]
  const rows = all.slice(0, shown)
  const { selected, select, move, leave } = useRowSelection(rows, isLoaded && !isPart)

  const markAllRead = (some: readonly Row[]): Promise<void> =>
    inbox
      .markRead(some.map(({ id }) => id))
      .catch((error) => toasts.error(`It was not marked as read. ${errorText(error)}`))
  const markRead = (row: Row): void => {
    if (row.kind !== 'entry') return
    const goOn = leave(row.id)
    void markAllRead([row])
    goOn()
  }
  const open = (row: Row): void => {
    if (row.taskId) setQuery({ task: row.taskId })
    // A row without a task has a link of its own.
    else document.querySelector<HTMLElement>(`[data-row="${CSS.escape(row.id)}"] a`)?.click()
    markRead(row)
  }
  const showMore = (): void => setShown(shown + shownAtOnce)
  const step = (by: 1 | -1): void => {
    const row = move(by)
    // The last row that is shown is not the last one there is.
    if (row === rows.at(-1) && !isPart && all.length > rows.length) showMore()
    if (openTask && row?.taskId) setQuery({ task: row.taskId, edit: undefined }, { replace: true })
  }
  useKeys({
    j: () => step(1),
    k: () => step(-1),
    ArrowDown: () => step(1),
    ArrowUp: () => step(-1),
    ...(selected && {
      ...(selected.taskId !== openTask && { Enter: () => open(selected) }),
      ...(!openTask && { e: () => markRead(selected) }),
      ...(selected.taskId && {
        '<': () => moveBy(selected.taskId!, -1),
        '>': () => moveBy(selected.taskId!, 1),
      }),
    }),
  })

  const listOf = (some: readonly Row[]): ReactNode => (
    <ul className="rows needs">
      {some.map((row) => (
        <li
          key={row.id}
          className="row need"
          data-row={row.id}
          data-selected={row === selected}
          aria-current={row === selected ? 'true' : undefined}
          onFocusCapture={() => select(row.id)}
        >
          <RowView
            row={row}
            inbox={inbox}
            isSelected={row === selected}
            hasKeys={row === selected && !openTask}
            leave={() => leave(row.id)}
            onRead={() => markRead(row)}
          />
        </li>
      ))}
    </ul>
  )
  const unread = mine.filter(({ kind }) => kind === 'entry')
  const [forMe, stuck] = [rows.slice(0, mine.length), rows.slice(mine.length)]
  return (
    <section className="needs-you" aria-labelledby="needs-you">
      <div className="section-head">
        <h2 id="needs-you">{isPart ? 'Needs you' : 'For you'}</h2>
        <span className="muted num">{numberText(mine.length)}</span>
        {unread.length > 1 && (
          <Button kind="quiet" small onClick={() => void markAllRead(unread)}>
            Mark all as read
          </Button>
        )}
      </div>
      {forMe.length > 0 && listOf(forMe)}
      {failure !== null && <Failure error={failure} what="all that waits for you" onRetry={inbox.reload} />}
      {all.length === 0 && isLoaded && failure === null && (
        <div className="all-well">
          <Icon name="check" />
          Nothing waits for you. Questions, checks to decide, mentions, assignments and whatever is stuck show up here.
        </div>
      )}
      {stuck.length > 0 && (
        <>
          {mine.length > 0 && (
            <div className="section-head">
              <h3>Stuck or in review</h3>
              <span className="muted num">{numberText(needs.length)}</span>
            </div>
          )}
          {listOf(stuck)}
        </>
      )}
      {all.length <= rows.length ? null : isPart ? (
        <Link to="/inbox" className="button quiet small">
          Show all {numberText(all.length)}
        </Link>
      ) : (
        <Button kind="quiet" small onClick={showMore}>
          Show more
        </Button>
      )}
    </section>
  )
}
