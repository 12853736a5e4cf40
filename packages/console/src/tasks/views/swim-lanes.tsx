import {
  type CSSProperties,
  type ReactNode,
  useContext,
  useEffect,
  useEffectEvent,
  useMemo,
  useRef,
  useState,
} from 'react'
import { Button } from '../../components/button'
import { numberText } from '../../components/count'
import { StatusIcon } from '../../components/icons'
import { useWindow } from '../../components/virtual/use-window'
import { useSetQuery } from '../../query'
import type { ProjectStatus } from '../../store/cards/statuses'
import type { TaskCard } from '../../store/cards/task-card'
import { useConsole } from '../../store/console'
import { type Columns, type Lane, type Lanes, maxInCell } from '../filters/lanes'
import { Card } from './card'
import { DraggingContext } from './dragging'
import '../../styles/lanes.css'

const estimatedLanePx = 260

interface SwimLanesProps {
  by: Lanes
  lanes: readonly Lane[]
  statuses: readonly ProjectStatus[]
  columns: Columns
  selected: string | null
  openTask: string | null
  canWrite: boolean
  maxAttemptsOf: (card: TaskCard) => number
}

interface CellProps extends Omit<SwimLanesProps, 'lanes' | 'statuses' | 'columns'> {
  lane: Lane
  status: ProjectStatus
}

const Cell = ({ by, lane, status: { status, name }, selected, openTask, ...rest }: CellProps): ReactNode => {
  const element = useRef<HTMLUListElement>(null)
  const dragging = useContext(DraggingContext)
  const [isOver, setIsOver] = useState(false)
  const setQuery = useSetQuery()
  const { patch, value } = lane
  useEffect(() => {
    if (!element.current || !dragging) return
    return dragging.dropTargetForElements({
      element: element.current,
      getData: () => ({ status, place: null, patch }),
      canDrop: ({ source }) => typeof source.data.taskId === 'string',
      onDragEnter: () => setIsOver(true),
      onDragLeave: () => setIsOver(false),
      onDrop: () => setIsOver(false),
    })
  }, [dragging, status, patch])
  const cards = lane.columns.get(status) ?? []
  return (
    <ul ref={element} className="lane-cell" data-over={isOver} aria-label={`${lane.name}, ${name}`}>
      {cards.slice(0, maxInCell).map((card) => (
        <li key={card.id}>
          <Card
            card={card}
            isSelected={card.id === selected}
            isOpen={card.id === openTask}
            canWrite={rest.canWrite}
            maxAttempts={rest.maxAttemptsOf(card)}
          />
        </li>
      ))}
      {cards.length > maxInCell && (
        <li>
          <Button kind="quiet" small onClick={() => setQuery({ lanes: undefined, [by]: value, status })}>
            Show all {numberText(cards.length)}
          </Button>
        </li>
      )}
    </ul>
  )
}

/** A board in lanes across its columns, of which only what is visible is in the document. */
const SwimLanes = ({ lanes, statuses, columns, ...rest }: SwimLanesProps): ReactNode => {
  const scroll = useRef<HTMLDivElement>(null)
  const { tasks } = useConsole()
  const { selected } = rest
  const keys = useMemo(() => lanes.map(({ value }) => value), [lanes])
  const { indexes, startPx, totalPx, measure, show } = useWindow({
    scroll,
    keys,
    estimatedPx: estimatedLanePx,
    overscan: 1,
  })
  const followSelection = useEffectEvent((selected: string | null) => {
    if (!selected || !tasks.card(selected) || document.querySelector('dialog[open], :popover-open')) return
    const at = lanes.findIndex((lane) =>
      [...lane.columns.values()].some((cell) => cell.some(({ id }) => id === selected)),
    )
    if (at < 0) return
    const find = () => scroll.current?.querySelector<HTMLElement>(`[data-card="${CSS.escape(selected)}"] .card-title`)
    if (!find()) show(at)
    const frame = requestAnimationFrame(() => {
      const focused = document.activeElement
      const isElsewhere = focused && focused !== document.body && !focused.closest('.lanes')
      if (!isElsewhere) find()?.focus({ preventScroll: true })
      find()?.closest('li')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
    })
    return () => cancelAnimationFrame(frame)
  })
  useEffect(() => followSelection(selected), [selected])
  return (
    <div
      ref={scroll}
      className="lanes"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the lanes scroll, and the keyboard must reach them
      tabIndex={0}
      role="group"
      aria-label="Swimlanes"
      style={{ '--columns': statuses.length } as CSSProperties}
    >
      <div className="lanes-head">
        {statuses.map(({ status, name, category }) => (
          <div key={status} className="column-head">
            <StatusIcon status={category} />
            <h2>{name}</h2>
            <span className="count num">{numberText(columns.get(status)?.length ?? 0)}</span>
          </div>
        ))}
      </div>
      <div className="lanes-body" style={{ height: totalPx }}>
        <div style={{ transform: `translateY(${startPx}px)` }}>
          {indexes.map((index) => {
            const lane = lanes[index]!
            return (
              <section key={lane.value} ref={measure} data-index={index} className="lane" aria-label={lane.name}>
                <h3 className="lane-head">
                  <span className="truncate">{lane.name}</span>
                  <span className="muted num">{numberText(lane.count)}</span>
                </h3>
                <div className="lane-cells">
                  {statuses.map((status) => (
                    <Cell key={status.status} lane={lane} status={status} {...rest} />
                  ))}
                </div>
              </section>
            )
          })}
        </div>
      </div>
    </div>
  )
}

export default SwimLanes
