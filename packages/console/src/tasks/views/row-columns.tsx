import type { ReactNode } from 'react'
import type { Claim } from 'worklore-client'
import { LabelChip } from '../../components/avatar'
import { MiddleCut } from '../../components/middle-cut'
import { durationText, relativeTime, useNow } from '../../components/time'
import type { TaskCard } from '../../store/cards/task-card'
import { useProjects } from '../../store/records'
import { ClaimMark, isLive } from '../claim-mark'
import type { Column } from '../filters/columns'
import { CardFacts } from './card-facts'
import { AssigneeMark } from './field-marks'

const shownLabels = 2

interface ColumnProps {
  card: TaskCard
  canWrite: boolean
  maxAttempts: number
  isActive: boolean
}

const Age = ({ card }: ColumnProps): ReactNode => durationText(useNow() - Date.parse(card.createdAt))

const ProjectKey = ({ card }: ColumnProps): ReactNode => useProjects().get(card.projectId)?.key

/** Without the exact time, which costs more than the rest: the link to the task lies over it. */
const Updated = ({ card }: ColumnProps): ReactNode => relativeTime(card.updatedAt, useNow()).replace(' ago', '')

/** Who holds it and for how long. */
const Holder = ({ claim }: { claim: Claim }): ReactNode => {
  const nowMs = useNow()
  return (
    <>
      <ClaimMark claim={claim} />
      {isLive(claim, nowMs) && <span className="lease">{durationText(Date.parse(claim.expiresAt) - nowMs)} left</span>}
    </>
  )
}

const cells: Record<Column, (props: ColumnProps) => ReactNode> = {
  labels: ({ card }) => card.labels.slice(0, shownLabels).map((label) => <LabelChip key={label} label={label} />),
  facts: ({ card, maxAttempts }) => <CardFacts card={card} maxAttempts={maxAttempts} />,
  project: (props) => <ProjectKey {...props} />,
  parent: ({ card }) => card.parentId,
  holder: ({ card }) => card.claim && <Holder claim={card.claim} />,
  worker: ({ card }) => isLive(card.claim, Date.now()) && card.claim.worker && <MiddleCut text={card.claim.worker} />,
  attempts: ({ card }) => card.attempts,
  due: ({ card }) => card.dueDate?.slice(0, 10),
  age: (props) => <Age {...props} />,
  assignee: (props) => <AssigneeMark {...props} />,
  updated: (props) => <Updated {...props} />,
}

/** The columns of a row beside its title. */
export const RowColumns = ({ columns, ...props }: ColumnProps & { columns: readonly Column[] }): ReactNode =>
  columns.map((column) => (
    <span key={column} className={`row-column ${column}`}>
      {cells[column](props)}
    </span>
  ))
