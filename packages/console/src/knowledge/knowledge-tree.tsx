import { Link, useNavigate } from '@tanstack/react-router'
import { type ReactNode, Suspense, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react'
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
import { useQuery } from '../query'
import { useConsole } from '../store/console'
import { useObservable } from '../store/observable'
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

interface KnowledgeTreeProps {
  current: { key: string; projectId: string | null } | null
}

export const KnowledgeTree = ({ current }: KnowledgeTreeProps): ReactNode => {
  const { knowledge, projects } = useConsole()
  const revision = useObservable(knowledge.revision)
  const load = useObservable(knowledge.state)
  const projectList = useObservable(projects.list)
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
  // biome-ignore lint/correctness/useExhaustiveDependencies: the revision stands for the entries
  const trees = useMemo(() => treesOf(knowledge.entries(), matches), [knowledge, revision, matches])
  const rows = useMemo(() => {
    const isExpanded = (id: string): boolean => isFiltered || above.has(id) || isOpenByDefault(id) !== toggled.has(id)
    return rowsOf(trees, scopes, isExpanded)
  }, [trees, scopes, toggled, above, isFiltered])

  const toggle = (id: string): void =>
    setToggled((value) => {
      const next = new Set(value)
      if (next.has(id)) next.delete(id)
      else next.add(id)
      localStorage.setItem(storageKey, JSON.stringify([...next].slice(-500)))
      return next
    })

  const rowLink = ({ path, projectId }: TreeRow) => {
    const link = itemLink(path, projects.get(projectId ?? '')?.key) as { to: '/k/$'; search?: object }
    // The filter stays while items are read one after the other.
    return { ...link, search: { ...link.search, state, tag } as never }
  }
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
      Enter: () => (row.entry ? void navigate(rowLink(row) as never) : toggle(row.id)),
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
          {(each) => {
            const isCurrent =
              current !== null &&
              each.entry !== undefined &&
              each.path === current.key &&
              each.projectId === current.projectId
            return (
              <div
                className={`tree-row ${each.kind}`}
                data-current={isCurrent}
                data-selected={each.id === selected}
                style={{ paddingLeft: 8 + each.depth * 15 }}
              >
                {each.count > 0 ? (
                  <button
                    type="button"
                    className="tree-twist"
                    aria-expanded={each.isExpanded}
                    aria-label={`${each.isExpanded ? 'Collapse' : 'Expand'} ${each.name}`}
                    onClick={() => toggle(each.id)}
                  >
                    <Icon name={each.isExpanded ? 'down' : 'chevron'} size={12} />
                  </button>
                ) : (
                  <span className="tree-twist" />
                )}
                {each.entry ? (
                  <Link
                    {...rowLink(each)}
                    className="tree-name truncate"
                    aria-current={isCurrent ? 'page' : undefined}
                    activeProps={{}}
                    activeOptions={{ exact: true, explicitUndefined: true }}
                  >
                    {each.name}
                  </Link>
                ) : (
                  <button type="button" className="tree-name truncate" tabIndex={-1} onClick={() => toggle(each.id)}>
                    {each.name}
                  </button>
                )}
                {each.entry && (
                  <Badges
                    state={stateOf(each.entry, nowMs)}
                    trust={each.entry.trust}
                    isStale={each.entry.stale.length > 0}
                  />
                )}
                {each.count > 0 && <span className="tree-count num">{numberText(each.count)}</span>}
              </div>
            )
          }}
        </VirtualRows>
      )}
      {!load.isComplete && load.state === 'ready' && <p className="tree-more muted">Loading more…</p>}
    </>
  )
}
