import { memo, type ReactNode } from 'react'
import { IconButton } from '../../components/button'
import type { TaskCard } from '../../store/cards/task-card'
import { type Column, defaultColumns } from '../filters/columns'
import { SelectBox } from '../selection/selection-area'
import { PriorityMark, StatusField, StatusMark, useIsActive } from './field-marks'
import { RowColumns } from './row-columns'
import { TaskAnchor } from './task-anchor'

interface TaskRowProps {
  card: TaskCard
  isSelected: boolean
  isOpen: boolean
  canWrite: boolean
  maxAttempts: number
  columns?: readonly Column[]
  /** Under the name of its status. */
  isGrouped?: boolean
  depth?: number
  /** Whether its subtasks are shown; undefined where it has none. */
  isExpanded?: boolean | undefined
  onToggle?: (id: string, isExpanded: boolean) => void
}

const indentPx = 22

export const TaskRow = memo(
  ({ card, isSelected, isOpen, canWrite, maxAttempts, columns = defaultColumns, ...rest }: TaskRowProps): ReactNode => {
    const { isGrouped = false, depth = 0, isExpanded, onToggle } = rest
    const { isActive, onPointerEnter } = useIsActive(isSelected)
    const { id } = card
    return (
      <div
        className="task-row"
        data-card={id}
        data-selected={isSelected}
        data-open={isOpen}
        onPointerEnter={onPointerEnter}
      >
        <SelectBox id={id} />
        {onToggle && (
          <span className="tree-toggle" style={{ marginLeft: depth * indentPx }}>
            {isExpanded !== undefined && (
              <IconButton
                icon={isExpanded ? 'down' : 'chevron'}
                label={isExpanded ? `Hide the subtasks of ${id}` : `Show the subtasks of ${id}`}
                aria-expanded={isExpanded}
                onClick={() => onToggle(id, !isExpanded)}
              />
            )}
          </span>
        )}
        <PriorityMark card={card} canWrite={canWrite} isActive={isActive} />
        {!isGrouped && <StatusMark card={card} canWrite={canWrite} isActive={isActive} />}
        <span className="row-lines">
          <span className="card-id row-id">{id}</span>
          <TaskAnchor id={id} className="task-row-title truncate" tabIndex={isSelected ? 0 : -1}>
            {card.title}
          </TaskAnchor>
          <span className="row-columns">
            <RowColumns
              columns={columns}
              card={card}
              canWrite={canWrite}
              maxAttempts={maxAttempts}
              isActive={isActive}
            />
          </span>
        </span>
        {isGrouped && (
          <span className="row-status">
            {isActive && <StatusField card={card} canWrite={canWrite} className="known-status" />}
          </span>
        )}
      </div>
    )
  },
)
