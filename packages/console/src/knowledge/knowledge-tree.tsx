import { Link } from '@tanstack/react-router'
import { type ReactNode, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react'
import { Kbd } from '../components/button'
import { numberText } from '../components/count'
import { Icon } from '../components/icons'
import { Failure, Skeletons } from '../components/states'
import { VirtualRows } from '../components/virtual-rows'
import { useKeys } from '../keyboard/use-keys'
import { useConsole } from '../store/console'
import { useObservable } from '../store/observable'
import { itemLink } from './item-link'
import { rowsOf, type ScopeOf, type TreeRow, treesOf } from './tree'

const storageKey = 'worklore.tree'
const rowPx = 30

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
  onOpen: (row: TreeRow) => void
}

export const KnowledgeTree = ({ current, onOpen }: KnowledgeTreeProps): ReactNode => {
  const { knowledge, projects } = useConsole()
  const revision = useObservable(knowledge.revision)
  const load = useObservable(knowledge.state)
  const projectList = useObservable(projects.list)
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
  // biome-ignore lint/correctness/useExhaustiveDependencies: the revision stands for the entries
  const trees = useMemo(() => treesOf(knowledge.entries(), wanted), [knowledge, revision, wanted])
  const rows = useMemo(() => {
    const isExpanded = (id: string): boolean =>
      wanted !== '' || above.has(id) || isOpenByDefault(id) !== toggled.has(id)
    return rowsOf(trees, scopes, isExpanded)
  }, [trees, scopes, toggled, above, wanted])

  const toggle = (id: string): void =>
    setToggled((value) => {
      const next = new Set(value)
      if (next.has(id)) next.delete(id)
      else next.add(id)
      localStorage.setItem(storageKey, JSON.stringify([...next].slice(-500)))
      return next
    })

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
      Enter: () => (row.entry ? onOpen(row) : toggle(row.id)),
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
            aria-label="Filter by key"
            placeholder="Filter by key"
            value={filter}
            onChange={(event) => setFilter(event.target.value)}
            onKeyDown={(event) => {
              if (event.key === 'Escape') event.currentTarget.blur()
            }}
          />
          <Kbd>/</Kbd>
        </div>
      </div>
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
                    {...itemLink(each.path, projects.get(each.projectId ?? '')?.key)}
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
