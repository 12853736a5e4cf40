import type { ReactNode } from 'react'
import { Icon } from '../components/icons'
import { isOpen, type TaskCard } from '../store/task-card'
import { DueDate } from './due-date'

/** What hinders the task, or what belongs to it, in small print. */
export const CardFacts = ({ card, maxAttempts }: { card: TaskCard; maxAttempts: number }): ReactNode => (
  <>
    {card.openBlockers > 0 && (
      <span className="fact red" title={`Blocked by ${card.openBlockers} open task${card.openBlockers > 1 ? 's' : ''}`}>
        <Icon name="blocked" size={12} />
        {card.openBlockers}
      </span>
    )}
    {isOpen(card.status) && card.attempts >= maxAttempts && (
      <span className="fact red" title={`All ${maxAttempts} attempts are used up`}>
        <Icon name="alert" size={12} />
        exhausted
      </span>
    )}
    {card.children.total > 0 && (
      <span
        className="fact"
        title={`${card.children.total - card.children.open} of ${card.children.total} subtasks closed`}
      >
        <Icon name="subtasks" size={12} />
        {card.children.total - card.children.open}/{card.children.total}
      </span>
    )}
    {card.commentCount > 0 && (
      <span className="fact" title={`${card.commentCount} comment${card.commentCount > 1 ? 's' : ''}`}>
        <Icon name="comment" size={12} />
        {card.commentCount}
      </span>
    )}
    {card.dueDate && <DueDate at={card.dueDate} isOpen={isOpen(card.status)} />}
  </>
)
