import { Link, useNavigate } from '@tanstack/react-router'
import {
  memo,
  type ReactNode,
  Suspense,
  useCallback,
  useDeferredValue,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { Kbd } from '../components/button'
import { numberText } from '../components/count'
import { Icon } from '../components/icons'
import { onDemand } from '../components/on-demand'
import { Failure, Skeletons } from '../components/states'
import { useNow } from '../components/time'
import { VirtualRows } from '../components/virtual/virtual-rows'
import { itemLink } from '../item-link'
import { useKeys } from '../keyboard/use-keys'
import { useSettled } from '../layout/use-settled'
import { Badges } from '../lifecycle/badges'
import { stateOf } from '../lifecycle/state'
import { type Query, useQuery } from '../query'
import { useObservable } from '../store/base/observable'
import { useConsole } from '../store/console'
import { useKnowledgeView, useProjects } from '../store/records'
import { rowsOf, type ScopeOf, type TreeRow, treesOf } from './tree'
import { matcherOf, treeFilterOf } from './tree-filter'

const TreeFilters = onDemand(() => import('./tree-filters').then(({ TreeFilters }) => ({ default: TreeFilters })))

const storageKey = 'worklore.tree'
const rowPx = 30
const filterTickMs = 1_000

const readCollapsed = (): Set<string> => {
  try {
    return new Set(JSON.parse(localStorage.getItem(storageKey) ?? '[]'))
  } catch {
    return new Set()
  }
}

/** Folders start closed, groups open; only what differs is remembered. */
const isOpenByDefault = (id: string): boolean => !id.includes(':')

/** The filter stays while items are read one after the other. */
const linkOf = (path: string, project: string | undefined, { state, tag }: Query) => {
  const link = itemLink(path, project) as { to: '/k/$'; search?: object }
  return { ...link, search: { ...link.search, state, tag } as never }
}

type TreeLineProps = TreeRow & { isCurrent: boolean; isSelected: boolean; toggle: (id: string) => void }

const TreeLine = memo((row: TreeLineProps): ReactNode => {
  const { id, kind, name, depth, path, projectId, entry, count, isExpanded, isCurrent, isSelected, toggle } = row
  const projects = useProjects()
  const query = useQuery()
  const nowMs = useNow()
  return (
    <div
      className={`tree-row ${kind}`}
      data-current={isCurrent}
      data-selected={isSelected}
      style={{ paddingLeft: 8 + depth * 15 }}
    >
      {count > 0 ? (
        <button
          type="button"
          className="tree-twist"
          aria-expanded={isExpanded}
          aria-label={`${isExpanded ? 'Collapse' : 'Expand'} ${name}`}
          onClick={() => toggle(id)}
        >
          <Icon name={isExpanded ? 'down' : 'chevron'} size={12} />
        </button>
      ) : (
        <span className="tree-twist" />
      )}
      {entry ? (
        <Link
          {...linkOf(path, projects.get(projectId ?? '')?.key, query)}
          className="tree-name truncate"
          aria-current={isCurrent ? 'page' : undefined}
          activeProps={{}}
          activeOptions={{ exact: true, explicitUndefined: true }}
        >
          {name}
        </Link>
      ) : (
        <button type="button" className="tree-name truncate" tabIndex={-1} onClick={() => toggle(id)}>
          {name}
        </button>
      )}
      {entry && <Badges state={stateOf(entry, nowMs)} trust={entry.trust} isStale={entry.stale.length > 0} />}
      {count > 0 && <span className="tree-count num">{numberText(count)}</span>}
    </div>
  )
})

interface KnowledgeTreeProps {
  current: { key: string; projectId: string | null } | null
}

export const KnowledgeTree = ({ current }: KnowledgeTreeProps): ReactNode => {
  const { knowledge } = useConsole()
  const projects = useProjects()
  const view = useKnowledgeView()
  const load = useObservable(knowledge.state)
  const projectList = projects.list
  const navigate = useNavigate()
  const [toggled, setToggled] = useState(readCollapsed)
  const [filter, setFilter] = useState('')
  const [selected, setSelected] = useState<string | null>(null)
  const input = useRef<HTMLInputElement>(null)

  useEffect(() => knowledge.load(), [knowledge])

  const scopes = useMemo(
    (): ScopeOf[] => [
      { projectId: null, name: 'Shared by all projects' },
      ...projectList.map(({ id, name }) => ({ projectId: id, name })),
    ],
    [projectList],
  )
  // The folders above the open item are always open.
  const above = useMemo(() => {
    const ids = new Set<string>()
    if (!current) return ids
    const scopeId = current.projectId ?? 'shared'
    ids.add(scopeId)
    const segments = current.key.split('/')
    for (let end = 1; end < segments.length; end++) ids.add(`${scopeId}:${segments.slice(0, end).join('/')}`)
    return ids
  }, [current])

  const wanted = useDeferredValue(filter)
  const { state, tag } = useQuery()
  const nowMs = useNow()
  const isSettled = useSettled()
  // Only a filter by state makes the tree depend on the time.
  const filterMs = state ? nowMs - (nowMs % filterTickMs) : 0
  const matches = useMemo(
    () => matcherOf(treeFilterOf({ state, tag }), wanted, filterMs),
    [state, tag, wanted, filterMs],
  )
  const isFiltered = wanted !== '' || Boolean(state || tag)
  const trees = useMemo(() => treesOf(view.entries(), matches), [view, matches])
  const rows = useMemo(() => {
    const isExpanded = (id: string): boolean => isFiltered || above.has(id) || isOpenByDefault(id) !== toggled.has(id)
    return rowsOf(trees, scopes, isExpanded)
  }, [trees, scopes, toggled, above, isFiltered])

  // The same function each time, so that lines are rendered again only where they changed.
  const toggle = useCallback(
    (id: string): void =>
      setToggled((value) => {
        const next = new Set(value)
        if (next.has(id)) next.delete(id)
        else next.add(id)
        localStorage.setItem(storageKey, JSON.stringify([...next].slice(-500)))
        return next
      }),
    [],
  )

  const at = rows.findIndex(({ id }) => id === selected)
  const move = (step: 1 | -1): void => {
    const next = rows[at < 0 ? 0 : Math.max(0, Math.min(rows.length - 1, at + step))]
    if (next) setSelected(next.id)
  }
  const row = rows[at]
  useKeys({
    '/': () => input.current?.focus(),
    j: () => move(1),
    k: () => move(-1),
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    ...(row && {
      Enter: () =>
        row.entry
          ? void navigate(linkOf(row.path, projects.get(row.projectId ?? '')?.key, { state, tag }) as never)
          : toggle(row.id),
      h: () => row.isExpanded && toggle(row.id),
      l: () => !row.isExpanded && row.count > 0 && toggle(row.id),
      ArrowLeft: () => row.isExpanded && toggle(row.id),
      ArrowRight: () => !row.isExpanded && row.count > 0 && toggle(row.id),
    }),
  })

  if (load.state === 'failed') return <Failure error={load.error} what="the knowledge" onRetry={knowledge.load} />
  return (
    <>
      <div className="tree-filter">
        <div className="search-input">
          <Icon name="search" size={14} />
          <input
            ref={input}
            type="search"
            aria-label="Filter by key or title"
            placeholder="Filter by key or title"
            value={filter}
            onChange={(event) => setFilter(event.target.value)}
            onKeyDown={(event) => {
              if (event.key === 'Escape') event.currentTarget.blur()
            }}
          />
          <Kbd>/</Kbd>
        </div>
        <div className="tree-filters">
          <Suspense>{isSettled && <TreeFilters />}</Suspense>
        </div>
      </div>
      {isFiltered && rows.length === 0 && load.isComplete && <p className="tree-more muted">Nothing matches.</p>}
      {load.state === 'loading' && rows.length === 0 ? (
        <div className="tree-loading">
          <Skeletons height={22} />
        </div>
      ) : (
        <VirtualRows
          label="Knowledge tree"
          rows={rows}
          keyOf={({ id }) => id}
          rowPx={rowPx}
          selected={selected}
          className="knowledge-tree"
        >
          {(each) => (
            <TreeLine
              {...each}
              isCurrent={
                current !== null &&
                each.entry !== undefined &&
                each.path === current.key &&
                each.projectId === current.projectId
              }
              isSelected={each.id === selected}
              toggle={toggle}
            />
          )}
        </VirtualRows>
      )}
      {!load.isComplete && load.state === 'ready' && <p className="tree-more muted">Loading more…</p>}
    </>
  )
}
