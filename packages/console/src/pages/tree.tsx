import { type ReactNode, useCallback, useMemo, useState } from 'react'
import { hasScope } from '../api/permissions'
import { VirtualRows } from '../components/virtual/virtual-rows'
import { useQuery } from '../query'
import { useObservable } from '../store/base/observable'
import type { TaskCard } from '../store/cards/task-card'
import { useConsole } from '../store/console'
import { ProjectPage, type ViewProps } from '../tasks/views/project-page'
import { TaskRow } from '../tasks/views/task-row'
import { useRowKeys } from '../tasks/views/use-row-keys'
import '../styles/list.css'

interface Row {
  card: TaskCard
  depth: number
  isExpanded: boolean | undefined
}

/** Tasks under their parents; one whose parent is filtered out stands at the top. */
const rowsOf = (cards: readonly TaskCard[], collapsed: ReadonlySet<string>): Row[] => {
  const ids = new Set(cards.map(({ id }) => id))
  const children = new Map<string | null, TaskCard[]>()
  for (const card of cards) {
    const parent = card.parentId !== null && ids.has(card.parentId) ? card.parentId : null
    const siblings = children.get(parent)
    if (siblings) siblings.push(card)
    else children.set(parent, [card])
  }
  const rows: Row[] = []
  const add = (parent: string | null, depth: number): void => {
    for (const card of children.get(parent) ?? []) {
      const isParent = children.has(card.id)
      const isExpanded = isParent ? !collapsed.has(card.id) : undefined
      rows.push({ card, depth, isExpanded })
      if (isExpanded) add(card.id, depth + 1)
    }
  }
  add(null, 0)
  return rows
}

const Tree = ({ project, cards }: ViewProps): ReactNode => {
  const { me } = useConsole()
  const canWrite = hasScope(useObservable(me), 'tasks:write')
  const { task: openTask } = useQuery()
  const [collapsed, setCollapsed] = useState<ReadonlySet<string>>(new Set())
  const rows = useMemo(() => rowsOf(cards, collapsed), [cards, collapsed])
  const ids = useMemo(() => rows.map(({ card }) => card.id), [rows])
  // The same function each time, so that rows that scroll by are not rendered again.
  const setExpanded = useCallback((id: string, isExpanded: boolean): void => {
    setCollapsed((value) => {
      const next = new Set(value)
      if (isExpanded) next.delete(id)
      else next.add(id)
      return next
    })
  }, [])
  const selected = useRowKeys(ids, canWrite, {
    h: (id) => setExpanded(id, false),
    l: (id) => setExpanded(id, true),
    ArrowLeft: (id) => setExpanded(id, false),
    ArrowRight: (id) => setExpanded(id, true),
  })
  return (
    <VirtualRows label="Tasks" rows={rows} keyOf={({ card }) => card.id} rowPx={38} selected={selected}>
      {({ card, depth, isExpanded }) => (
        <TaskRow
          card={card}
          depth={depth}
          isExpanded={isExpanded}
          onToggle={setExpanded}
          isSelected={card.id === selected}
          isOpen={card.id === openTask}
          canWrite={canWrite}
          maxAttempts={project?.maxAttempts ?? Infinity}
        />
      )}
    </VirtualRows>
  )
}

export const TreePage = (): ReactNode => <ProjectPage view="tree" component={Tree} />
