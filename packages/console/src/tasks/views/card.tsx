import { memo, type ReactNode, useContext, useEffect, useRef, useState } from 'react'
import { LabelChip } from '../../components/avatar'
import type { TaskCard } from '../../store/cards/task-card'
import { ClaimMark } from '../claim-mark'
import { SelectBox } from '../selection/selection-area'
import { CardFacts } from './card-facts'
import { CardTime } from './card-time'
import { DraggingContext } from './dragging'
import { AssigneeMark, PriorityMark, StatusField, useIsActive } from './field-marks'
import { TaskAnchor } from './task-anchor'

const shownLabels = 3

interface CardProps {
  card: TaskCard
  isSelected: boolean
  isOpen: boolean
  canWrite: boolean
  maxAttempts: number
}

export const Card = memo(({ card, isSelected, isOpen, canWrite, maxAttempts }: CardProps): ReactNode => {
  const ref = useRef<HTMLDivElement>(null)
  const [isDragged, setIsDragged] = useState(false)
  const { isActive, onPointerEnter } = useIsActive(isSelected)
  const { id } = card
  const dragging = useContext(DraggingContext)
  useEffect(() => {
    const element = ref.current
    if (!element || !canWrite || !dragging) return
    return dragging.draggable({
      element,
      getInitialData: () => ({ taskId: id }),
      onDragStart: () => setIsDragged(true),
      onDrop: () => setIsDragged(false),
    })
  }, [id, canWrite, dragging])
  return (
    <div
      ref={ref}
      className="card"
      data-card={id}
      data-selected={isSelected}
      data-open={isOpen}
      data-dragged={isDragged}
      onPointerEnter={onPointerEnter}
    >
      <div className="card-head">
        <SelectBox id={id} />
        <PriorityMark card={card} canWrite={canWrite} isActive={isActive} />
        <span className="card-id">{id}</span>
        <span className="card-end">
          <CardTime card={card} />
          {isActive && <StatusField card={card} canWrite={canWrite} className="known-status" />}
          <AssigneeMark card={card} canWrite={canWrite} isActive={isActive} />
        </span>
      </div>
      <TaskAnchor id={id} className="card-title" tabIndex={isSelected ? 0 : -1}>
        {card.title}
      </TaskAnchor>
      {card.claim && <ClaimMark claim={card.claim} />}
      <div className="card-foot">
        {card.labels.slice(0, shownLabels).map((label) => (
          <LabelChip key={label} label={label} />
        ))}
        {card.labels.length > shownLabels && <span className="fact">+{card.labels.length - shownLabels}</span>}
        <CardFacts card={card} maxAttempts={maxAttempts} />
      </div>
    </div>
  )
})
