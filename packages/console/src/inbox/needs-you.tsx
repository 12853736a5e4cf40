import { Link } from '@tanstack/react-router'
import { type ReactNode, Suspense, useState } from 'react'
import { errorText } from '../api/error-text'
import { Button } from '../components/button'
import { numberText } from '../components/count'
import { Icon } from '../components/icons'
import { onDemand } from '../components/on-demand'
import { Failure } from '../components/states'
import { useKeys } from '../keyboard/use-keys'
import { useQuery, useSetQuery } from '../query'
import { useObservable } from '../store/base/observable'
import { useConsole } from '../store/console'
import { useTaskActions } from '../tasks/use-task-actions'
import { useAttention } from './attention'
import { type Group, type GroupKind, groupTitles, isGroupKind } from './groups'
import { RowView } from './row-view'
import { type Row, useInbox, useInboxGroups } from './rows'
import { useRowSelection } from './use-row-selection'
import '../styles/inbox.css'

const GroupActions = onDemand(() => import('./group-actions').then(({ GroupActions }) => ({ default: GroupActions })))

const shownAtOnce = 50
/** Of each of several groups. */
const shownOfEach = 10
const shownOfEachInPart = 3

interface NeedsYouProps {
  /** Shows no more rows than this, and a link to all. */
  max?: number
}

const countText = ({ count, isCapped }: Group): string => `${numberText(count)}${isCapped ? '+' : ''}`

interface KindsProps {
  groups: readonly Group[]
  chosen: GroupKind | undefined
  total: number | null
}

const Kinds = ({ groups, chosen, total }: KindsProps): ReactNode => {
  const setQuery = useSetQuery()
  return (
    <div className="need-kinds" role="group" aria-label="Kinds">
      {[undefined, ...groups].map((group) => (
        <Button
          key={group?.kind ?? 'all'}
          small
          aria-pressed={group?.kind === chosen}
          onClick={() => setQuery({ kind: group?.kind })}
        >
          {group ? groupTitles[group.kind] : 'All'}
          <span className="muted num">{group ? countText(group) : total !== null && numberText(total)}</span>
        </Button>
      ))}
    </div>
  )
}

/** Everything that waits for a person, by kind, the longest-waiting first. */
export const NeedsYou = ({ max }: NeedsYouProps): ReactNode => {
  const { toasts, waiting } = useConsole()
  const { task: openTask, kind } = useQuery()
  const setQuery = useSetQuery()
  const { moveBy } = useTaskActions()
  const inbox = useInbox()
  const isLoaded = useObservable(inbox.isLoaded)
  const failure = useObservable(inbox.failure)
  const isPart = max !== undefined
  const [expanded, setExpanded] = useState<Partial<Record<GroupKind, number>>>({})
  const mine = useInboxGroups(inbox)
  const found = [...mine, ...useAttention(inbox)]
  const all = (Object.keys(groupTitles) as GroupKind[])
    .map((each) => found.find((group) => group.kind === each)!)
    .filter(({ rows }) => rows.length > 0)
  const chosen = !isPart && isGroupKind(kind) ? kind : undefined
  const groups = chosen ? all.filter((group) => group.kind === chosen) : all
  const shownOf = (group: Group): number => {
    if (isPart) return shownOfEachInPart
    return expanded[group.kind] ?? (groups.length === 1 ? shownAtOnce : shownOfEach)
  }
  let left = max ?? Infinity
  const shown = groups.map((group) => {
    const rows = group.rows.slice(0, Math.min(left, groups.length === 1 && isPart ? left : shownOf(group)))
    left -= rows.length
    return { group, rows }
  })
  const rows = shown.flatMap((each) => each.rows)
  const total = useObservable(waiting)
  const { selected, select, move, leave } = useRowSelection(rows, isLoaded && !isPart)

  const markAllRead = (some: readonly Row[]): Promise<void> =>
    inbox
      .markRead(some.map(({ id }) => id))
      .catch((error) => void toasts.error(`It was not marked as read. ${errorText(error)}`))
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
  const showMore = (group: Group): void =>
    setExpanded((value) => ({ ...value, [group.kind]: shownOf(group) + shownAtOnce }))
  const step = (by: 1 | -1): void => {
    const row = move(by)
    // The last row that is shown of a group is not the last one there is.
    const end = shown.find((each) => each.rows.at(-1) === row)
    if (end && row && !isPart && end.group.rows.length > end.rows.length) showMore(end.group)
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
  return (
    <section className="needs-you" aria-labelledby="needs-you">
      <div className={isPart ? 'section-head' : 'visually-hidden'}>
        <h2 id="needs-you">Needs you</h2>
        <span className="muted num">{total !== null && numberText(total)}</span>
      </div>
      {!isPart && (all.length > 0 || chosen) && <Kinds groups={all} chosen={chosen} total={total} />}
      {failure !== null && <Failure error={failure} what="all that waits for you" onRetry={inbox.reload} />}
      {groups.length === 0 && isLoaded && failure === null && (
        <div className="all-well">
          <Icon name="check" />
          {chosen
            ? 'Nothing of this kind waits for you.'
            : 'Nothing waits for you. Questions, checks to decide, mentions, assignments and whatever is stuck show up here.'}
        </div>
      )}
      {shown.map(
        ({ group, rows }) =>
          rows.length > 0 && (
            <section key={group.kind} className="need-group" aria-labelledby={`needs-${group.kind}`}>
              <div className="section-head">
                <h3 id={`needs-${group.kind}`}>{groupTitles[group.kind]}</h3>
                <span className="muted num">{countText(group)}</span>
                {!isPart && (
                  <Suspense>
                    <GroupActions group={group} onMarkAllRead={() => void markAllRead(group.rows)} />
                  </Suspense>
                )}
              </div>
              {listOf(rows)}
              {!isPart &&
                (group.rows.length > rows.length ? (
                  <Button kind="quiet" small onClick={() => showMore(group)}>
                    Show more
                    <span className="visually-hidden"> of {groupTitles[group.kind]}</span>
                  </Button>
                ) : (
                  group.count > group.rows.length && (
                    <p className="muted">The {numberText(group.rows.length)} that wait longest are listed.</p>
                  )
                ))}
            </section>
          ),
      )}
      {isPart && total !== null && total > rows.length && (
        <Link to="/inbox" className="button quiet small">
          Show all {numberText(total)}
        </Link>
      )}
    </section>
  )
}
