import { memo, type ReactNode } from 'react'
import { LabelChip } from '../../components/avatar'
import { IconButton } from '../../components/button'
import { Time } from '../../components/time'
import type { TaskCard } from '../../store/task-card'
import { ClaimMark } from '../claim-mark'
import { AssigneePicker, PriorityPicker, StatusPicker } from '../pickers'
import { useTaskActions } from '../use-task-actions'
import { CardFacts } from './card-facts'
import { TaskAnchor } from './task-anchor'

const shownLabels = 2

interface TaskRowProps {
  card: TaskCard
  isSelected: boolean
  isOpen: boolean
  canWrite: boolean
  maxAttempts: number
  depth?: number
  /** Whether its subtasks are shown; undefined where it has none. */
  isExpanded?: boolean | undefined
  onToggle?: () => void
}

const indentPx = 22

export const TaskRow = memo(
  ({ card, isSelected, isOpen, canWrite, maxAttempts, depth = 0, isExpanded, onToggle }: TaskRowProps): ReactNode => {
    const { change } = useTaskActions()
    const { id } = card
    return (
      <div className="task-row" data-card={id} data-selected={isSelected} data-open={isOpen}>
        {onToggle && (
          <span className="tree-toggle" style={{ marginLeft: depth * indentPx }}>
            {isExpanded !== undefined && (
              <IconButton
                icon={isExpanded ? 'down' : 'chevron'}
                label={isExpanded ? `Hide the subtasks of ${id}` : `Show the subtasks of ${id}`}
                aria-expanded={isExpanded}
                onClick={onToggle}
              />
            )}
          </span>
        )}
        <PriorityPicker
          value={card.priority}
          onChoose={(priority) => void change(id, { priority })}
          isDisabled={!canWrite}
          className="mini"
          compact
        />
        <span className="card-id row-id">{id}</span>
        <StatusPicker
          value={card}
          projectId={card.projectId}
          onChoose={(status) => void change(id, { status })}
          isDisabled={!canWrite}
          className="mini"
          compact
        />
        <TaskAnchor id={id} className="task-row-title truncate" tabIndex={isSelected ? 0 : -1}>
          {card.title}
        </TaskAnchor>
        <span className="task-row-facts">
          {card.labels.slice(0, shownLabels).map((label) => (
            <LabelChip key={label} label={label} />
          ))}
          <CardFacts card={card} maxAttempts={maxAttempts} />
        </span>
        {card.claim && <ClaimMark claim={card.claim} />}
        <AssigneePicker
          value={card.assignee}
          onChoose={(assignee) => void change(id, { assigneeId: assignee?.id ?? null, assignee })}
          isDisabled={!canWrite}
          className="mini"
          compact
        />
        <span className="task-row-time muted">
          <Time at={card.updatedAt} short />
        </span>
      </div>
    )
  },
)
