import { useVirtualizer } from '@tanstack/react-virtual'
import { memo, type ReactNode, useCallback, useContext, useEffect, useRef, useState } from 'react'
import type { Project } from 'worklore-client'
import { IconButton } from '../../components/button'
import { countOf, numberText } from '../../components/count'
import { StatusIcon } from '../../components/icons'
import { useShell } from '../../layout/shell-context'
import type { ProjectStatus } from '../../store/statuses'
import type { TaskCard } from '../../store/task-card'
import { Card } from './card'
import { DraggingContext } from './dragging'

const estimatedCardPx = 92
/** As in board.css. */
const gapPx = 8
const overscan = 2

interface BoardColumnProps {
  status: ProjectStatus
  project: Project
  cards: readonly TaskCard[]
  selected: string | null
  openTask: string | null
  canWrite: boolean
  /** How many there are, loaded or not. */
  count: number
}

export const BoardColumn = memo((props: BoardColumnProps): ReactNode => {
  const { project, cards, selected, openTask, canWrite, count } = props
  const { status, name, category } = props.status
  const scroll = useRef<HTMLDivElement>(null)
  const column = useRef<HTMLElement>(null)
  const [isOver, setIsOver] = useState(false)
  const dragging = useContext(DraggingContext)
  const { createTask } = useShell()

  // A new function would make the virtualizer recalculate all positions.
  const getItemKey = useCallback((index: number) => cards[index]!.id, [cards])
  const virtual = useVirtualizer({
    count: cards.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => estimatedCardPx,
    getItemKey,
    overscan,
    useFlushSync: false,
    gap: gapPx,
    paddingStart: 2,
    paddingEnd: 16,
  })

  const items = virtual.getVirtualItems()

  useEffect(() => {
    const element = column.current
    if (!element || !dragging) return
    return dragging.dropTargetForElements({
      element,
      getData: () => ({ status }),
      canDrop: ({ source }) => typeof source.data.taskId === 'string',
      onDragEnter: () => setIsOver(true),
      onDragLeave: () => setIsOver(false),
      onDrop: () => setIsOver(false),
    })
  }, [status, dragging])

  const selectedIndex = selected ? cards.findIndex(({ id }) => id === selected) : -1
  // biome-ignore lint/correctness/useExhaustiveDependencies: follows the selection, not every change of the cards
  useEffect(() => {
    if (selectedIndex < 0 || document.querySelector('dialog[open], :popover-open')) return
    virtual.scrollToIndex(selectedIndex, { align: 'auto' })
    const frame = requestAnimationFrame(() => {
      const card = scroll.current?.querySelector<HTMLElement>(`[data-card="${CSS.escape(selected!)}"] .card-title`)
      const focused = document.activeElement
      const isElsewhere = focused && focused !== document.body && !focused.closest('.board')
      if (!isElsewhere) card?.focus({ preventScroll: true })
      // Its height was an estimate until now.
      card?.closest('li')?.scrollIntoView({ block: 'nearest' })
    })
    return () => cancelAnimationFrame(frame)
  }, [selected, selectedIndex >= 0])

  return (
    <section ref={column} className="column" data-over={isOver} aria-label={name}>
      <header className="column-head">
        <StatusIcon status={category} />
        <h2>{name}</h2>
        <span className="count num">{numberText(count)}</span>
        {canWrite && (
          <IconButton
            icon="plus"
            label={`New task in ${name}`}
            onClick={() => createTask({ projectId: project.id, status })}
          />
        )}
      </header>
      <div
        ref={scroll}
        className="column-scroll"
        tabIndex={cards.length > 0 ? 0 : undefined}
        role="group"
        aria-label={`${name}, ${countOf(count, 'task')}`}
      >
        <div style={{ height: virtual.getTotalSize() }}>
          <ul className="column-cards" style={{ transform: `translateY(${items[0]?.start ?? 0}px)` }}>
            {items.map(({ index, key }) => {
              const card = cards[index]!
              return (
                <li
                  key={key}
                  ref={virtual.measureElement}
                  data-index={index}
                  aria-setsize={cards.length}
                  aria-posinset={index + 1}
                >
                  <Card
                    card={card}
                    isSelected={card.id === selected}
                    isOpen={card.id === openTask}
                    canWrite={canWrite}
                    maxAttempts={project.maxAttempts}
                  />
                </li>
              )
            })}
          </ul>
        </div>
        {count === 0 && <p className="column-empty">No tasks</p>}
      </div>
    </section>
  )
})
