import { memo, type ReactNode, useContext, useEffect, useRef, useState } from 'react'
import { LabelChip } from '../../components/avatar'
import type { TaskCard } from '../../store/task-card'
import { ClaimMark } from '../claim-mark'
import { AssigneePicker, PriorityPicker, StatusPicker } from '../pickers'
import { useTaskActions } from '../use-task-actions'
import { CardFacts } from './card-facts'
import { DraggingContext } from './dragging'
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
  const { change } = useTaskActions()
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
    >
      <div className="card-head">
        <PriorityPicker
          value={card.priority}
          onChoose={(priority) => void change(id, { priority })}
          isDisabled={!canWrite}
          className="mini"
          compact
        />
        <span className="card-id">{id}</span>
        {card.claim ? <ClaimMark claim={card.claim} /> : null}
        <span className="card-end">
          <AssigneePicker
            value={card.assignee}
            onChoose={(assignee) => void change(id, { assigneeId: assignee?.id ?? null, assignee })}
            isDisabled={!canWrite}
            className="mini"
            compact
          />
        </span>
      </div>
      <div className="card-title-row">
        <StatusPicker
          value={card}
          projectId={card.projectId}
          onChoose={(status) => void change(id, { status })}
          isDisabled={!canWrite}
          className="mini"
          compact
        />
        <TaskAnchor id={id} className="card-title" tabIndex={isSelected ? 0 : -1}>
          {card.title}
        </TaskAnchor>
      </div>
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
