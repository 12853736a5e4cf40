import type { ReactNode } from 'react'
import { countOf, numberText } from '../../components/count'
import { Icon } from '../../components/icons'
import { exactTime } from '../../components/time'
import { dueMsOf, isDate, isExhausted, isOpen, type TaskCard } from '../../store/cards/task-card'

const dayMs = 86_400_000
const dayFormat = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' })

const DueDate = ({ at, isOpen }: { at: string; isOpen: boolean }): ReactNode => {
  const dueMs = dueMsOf(at)
  const leftMs = dueMs - Date.now()
  const tone = !isOpen ? '' : leftMs < 0 ? 'red' : leftMs < 2 * dayMs ? 'amber' : ''
  const text = dayFormat.format(dueMs)
  return (
    <span className={`fact due ${tone}`} title={`Due ${isDate(at) ? at : exactTime(at)}`}>
      {leftMs < 0 && isOpen ? `overdue ${text}` : text}
    </span>
  )
}

const CheckFact = ({ checks: { total, open, failed } }: Pick<TaskCard, 'checks'>): ReactNode => {
  const met = total - open - failed
  return (
    <span
      className={failed > 0 ? 'fact red' : 'fact'}
      title={`${met} of ${countOf(total, 'check')} passed or waived${failed > 0 ? `, ${failed} failed` : ''}`}
    >
      <Icon name="check" size={12} />
      {met}/{countOf(total, 'check')}
    </span>
  )
}

/** Questions, blockers, attempts, stale knowledge, checks, subtasks, comments and due date of a task. */
export const CardFacts = ({ card, maxAttempts }: { card: TaskCard; maxAttempts: number }): ReactNode => (
  <>
    {card.openQuestions > 0 && (
      <span className="fact amber" title={countOf(card.openQuestions, 'open question')}>
        <Icon name="help" size={12} />
        {countOf(card.openQuestions, 'question')}
      </span>
    )}
    {card.openBlockers > 0 && (
      <span className="fact red" title={`Blocked by ${countOf(card.openBlockers, 'open task')}`}>
        <Icon name="blocked" size={12} />
        {numberText(card.openBlockers)}
      </span>
    )}
    {isExhausted(card, maxAttempts) && (
      <span className="fact red" title={`All ${maxAttempts} attempts are used up`}>
        <Icon name="alert" size={12} />
        exhausted
      </span>
    )}
    {card.stale.length > 0 && (
      <span className="fact amber" title="It relied on knowledge that no longer holds">
        <Icon name="alert" size={12} />
        stale
      </span>
    )}
    {card.checks.total > 0 && <CheckFact checks={card.checks} />}
    {card.children.total > 0 && (
      <span
        className="fact"
        title={`${numberText(card.children.total - card.children.open)} of ${countOf(card.children.total, 'subtask')} closed`}
      >
        <Icon name="subtasks" size={12} />
        {numberText(card.children.total - card.children.open)}/{numberText(card.children.total)}
      </span>
    )}
    {card.commentCount > 0 && (
      <span className="fact" title={countOf(card.commentCount, 'comment')}>
        <Icon name="comment" size={12} />
        {numberText(card.commentCount)}
      </span>
    )}
    {card.dueDate && <DueDate at={card.dueDate} isOpen={isOpen(card.statusCategory)} />}
  </>
)
