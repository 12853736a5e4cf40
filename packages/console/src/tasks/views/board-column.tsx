import {
  memo,
  type ReactNode,
  type RefObject,
  useContext,
  useEffect,
  useEffectEvent,
  useMemo,
  useRef,
  useState,
} from 'react'
import type { Project } from 'worklore-client'
import { IconButton } from '../../components/button'
import { countOf, numberText } from '../../components/count'
import { StatusIcon } from '../../components/icons'
import { useWindow } from '../../components/virtual/use-window'
import { useShell } from '../../layout/shell-context'
import type { ProjectStatus } from '../../store/cards/statuses'
import type { TaskCard } from '../../store/cards/task-card'
import { Card } from './card'
import { DraggingContext } from './dragging'
import { type DropPlace, dropPlaceAt, isSameDrop } from './drop-place'

const estimatedCardPx = 92
/** As in board.css. */
const gapPx = 8
const overscan = 2
/** A card that was ranked by a key is shown at its new place within this time. */
const rankedMs = 2_000

interface BoardColumnProps {
  status: ProjectStatus
  project: Project | undefined
  cards: readonly TaskCard[]
  selected: string | null
  openTask: string | null
  canWrite: boolean
  maxAttemptsOf: (card: TaskCard) => number
  /** How many there are, loaded or not. */
  count: number
  /** When a card was last ranked by a key. */
  rankedAtMs: RefObject<number>
}

export const BoardColumn = memo((props: BoardColumnProps): ReactNode => {
  const { project, cards, selected, openTask, canWrite, maxAttemptsOf, count, rankedAtMs } = props
  const { status, name, category } = props.status
  const scroll = useRef<HTMLDivElement>(null)
  const column = useRef<HTMLElement>(null)
  const [isOver, setIsOver] = useState(false)
  const [drop, setDrop] = useState<DropPlace | null>(null)
  const dragging = useContext(DraggingContext)
  const { createTask } = useShell()

  const keys = useMemo(() => cards.map(({ id }) => id), [cards])
  const { indexes, startPx, totalPx, measure, show } = useWindow({
    scroll,
    keys,
    estimatedPx: estimatedCardPx,
    gapPx,
    overscan,
  })

  useEffect(() => {
    const element = column.current
    if (!element || !dragging) return
    const leave = (): void => {
      setIsOver(false)
      setDrop(null)
    }
    return dragging.dropTargetForElements({
      element,
      getData: ({ input, source }) => ({
        status,
        place: dropPlaceAt(element, input.clientY, source.data.taskId as string),
      }),
      canDrop: ({ source }) => typeof source.data.taskId === 'string',
      onDragEnter: () => setIsOver(true),
      onDrag: ({ self }) => {
        const place = self.data.place as DropPlace | null
        setDrop((value) => (isSameDrop(value, place) ? value : place))
      },
      onDragLeave: leave,
      onDrop: leave,
    })
  }, [status, dragging])

  const selectedIndex = selected ? cards.findIndex(({ id }) => id === selected) : -1
  const isSelectedHere = selectedIndex >= 0
  const followSelection = useEffectEvent((selected: string | null, isHere: boolean) => {
    if (!isHere || document.querySelector('dialog[open], :popover-open')) return
    show(selectedIndex)
    const frame = requestAnimationFrame(() => {
      const card = scroll.current?.querySelector<HTMLElement>(`[data-card="${CSS.escape(selected!)}"] .card-title`)
      const focused = document.activeElement
      const isElsewhere = focused && focused !== document.body && !focused.closest('.board')
      if (!isElsewhere) card?.focus({ preventScroll: true })
      // Its height was an estimate until now.
      card?.closest('li')?.scrollIntoView({ block: 'nearest' })
    })
    return () => cancelAnimationFrame(frame)
  })
  useEffect(() => followSelection(selected, isSelectedHere), [selected, isSelectedHere])
  const followPlace = useEffectEvent((index: number): void => {
    if (index >= 0 && Date.now() - rankedAtMs.current < rankedMs) show(index)
  })
  useEffect(() => followPlace(selectedIndex), [selectedIndex])

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
            onClick={() => createTask({ ...(project && { projectId: project.id }), status })}
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
        <div className="column-window" style={{ height: totalPx }}>
          <ul className="column-cards" style={{ transform: `translateY(${startPx}px)` }}>
            {indexes.map((index) => {
              const card = cards[index]!
              return (
                <li
                  key={card.id}
                  ref={measure}
                  data-index={index}
                  data-drop={drop?.id === card.id ? drop.side : undefined}
                  aria-setsize={cards.length}
                  aria-posinset={index + 1}
                >
                  <Card
                    card={card}
                    isSelected={card.id === selected}
                    isOpen={card.id === openTask}
                    canWrite={canWrite}
                    maxAttempts={maxAttemptsOf(card)}
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
