import { Link } from '@tanstack/react-router'
import { type ReactNode, Suspense, useState } from 'react'
import type { InboxEntry, Question } from 'worklore-client'
import { actorOf } from '../api/actor'
import { hasScope } from '../api/permissions'
import { Button, Kbd } from '../components/button'
import { Icon, StatusIcon } from '../components/icons'
import { onDemand } from '../components/on-demand'
import { Skeletons } from '../components/states'
import { Time } from '../components/time'
import { itemLink } from '../item-link'
import { plainExcerpt } from '../markdown/plain-text'
import { useObservable } from '../store/base/observable'
import { useConsole } from '../store/console'
import { useMe, useProjects, useUsers } from '../store/records'
import { AnswerForm } from '../tasks/questions/answer-form'
import { mayAnswer } from '../tasks/questions/rights'
import { useAnswer } from '../tasks/questions/use-answer'
import { useCards } from '../tasks/use-cards'
import { useTaskActions } from '../tasks/use-task-actions'
import { EntryText, entryIcons } from './entry-text'
import { RowText } from './row-text'
import type { Row } from './rows'
import type { Inbox } from './store'
import { TaskTitle } from './task-title'

const ApproveForm = onDemand(() => import('./approve-form'))
const ReviewChecks = onDemand(() => import('./review-checks').then(({ ReviewChecks }) => ({ default: ReviewChecks })))

interface RowProps {
  isSelected: boolean
  /** The keys act on this row. */
  hasKeys: boolean
  /** Call before the row goes; the function that it returns goes on to the next one. */
  leave: () => () => void
}

interface LineProps {
  tone?: string
  icon: ReactNode
  title: ReactNode
  why: ReactNode
  action?: ReactNode
  children?: ReactNode
}

/** What it is about and why it is here, and below it what can be decided. */
const Line = ({ tone = '', icon, title, why, action, children }: LineProps): ReactNode => (
  <>
    <span className={`need-icon ${tone}`}>{icon}</span>
    <span className="need-title">{title}</span>
    <span className="need-why muted">{why}</span>
    {action}
    {children && <div className="need-body">{children}</div>}
  </>
)

const QuestionRow = ({ question, inbox, ...row }: RowProps & { question: Question; inbox: Inbox }): ReactNode => {
  const users = useUsers()
  const me = useMe()
  const { answer } = useAnswer(inbox.put)
  const [isOpened, setIsOpened] = useState(false)
  const { taskId, createdBy, createdAt, options } = question
  const [card] = useCards([taskId])
  const asker = actorOf(users, createdBy).name
  const hasForm = options !== null || row.isSelected || isOpened
  return (
    <Line
      tone="amber"
      icon={<Icon name="help" size={14} />}
      title={<TaskTitle card={{ id: taskId, title: card?.title ?? '' }} />}
      why={
        <>
          {asker} asks {question.to === null ? 'anyone' : 'you'} · <Time at={createdAt} />
        </>
      }
    >
      <RowText text={question.body} isWhole={row.isSelected} />
      {mayAnswer(me, question) &&
        (hasForm ? (
          <AnswerForm
            question={question}
            hasKeys={row.hasKeys}
            onAnswer={async (given) => {
              const goOn = row.leave()
              const isAnswered = await answer(question, given)
              if (isAnswered) goOn()
              return isAnswered
            }}
          />
        ) : (
          <Button small onClick={() => setIsOpened(true)}>
            Answer
          </Button>
        ))}
    </Line>
  )
}

const CheckRow = ({ taskId, ...row }: RowProps & { taskId: string }): ReactNode => {
  const { tasks } = useConsole()
  const [isOpened, setIsOpened] = useState(false)
  const card = tasks.card(taskId)
  if (!card) return null
  const { open, total } = card.checks
  const isShown = row.isSelected || isOpened
  return (
    <Line
      tone="blue"
      icon={<StatusIcon status="in_review" />}
      title={<TaskTitle card={card} />}
      why={
        <>
          {open} of {total} checks open · <Time at={card.updatedAt} />
        </>
      }
      action={
        !isShown && (
          <Button small onClick={() => setIsOpened(true)} aria-label={`Decide the checks of ${taskId}`}>
            Decide
          </Button>
        )
      }
    >
      {isShown && (
        <Suspense fallback={<Skeletons count={1} />}>
          <ReviewChecks taskId={taskId} hasKeys={row.hasKeys} leave={row.leave} />
        </Suspense>
      )}
    </Line>
  )
}

const ReviewRow = ({ taskId, ...row }: RowProps & { taskId: string }): ReactNode => {
  const { tasks, me } = useConsole()
  const canWrite = hasScope(useObservable(me), 'tasks:write')
  const [isOpened, setIsOpened] = useState(false)
  const card = tasks.card(taskId)
  if (!card) return null
  const isShown = canWrite && (row.isSelected || isOpened)
  return (
    <Line
      icon={<StatusIcon status="in_review" />}
      title={<TaskTitle card={card} />}
      why={
        <>
          in review <Time at={card.updatedAt} />
        </>
      }
      action={
        canWrite &&
        !isShown && (
          <Button small onClick={() => setIsOpened(true)} aria-label={`Review ${taskId}`}>
            Review
          </Button>
        )
      }
    >
      {isShown && (
        <Suspense fallback={<Skeletons count={1} />}>
          <ApproveForm taskId={taskId} hasKeys={row.hasKeys} leave={row.leave} />
        </Suspense>
      )}
    </Line>
  )
}

interface EntryProps extends Partial<RowProps> {
  entry: InboxEntry
  onRead?: () => void
}

export const EntryRow = ({ entry, hasKeys, onRead }: EntryProps): ReactNode => {
  const projects = useProjects()
  const { retry } = useTaskActions()
  const { taskId, key, title, kind } = entry
  return (
    <Line
      tone={kind === 'exhausted' ? 'red' : ''}
      icon={<Icon name={entryIcons[kind]} size={14} />}
      title={
        taskId !== null || key === null ? (
          <TaskTitle card={{ id: taskId ?? '', title }} {...(onRead && { onOpen: onRead })} />
        ) : (
          <Link {...itemLink(key, projects.get(entry.projectId)?.key)} className="need-task" onClick={onRead}>
            <span className="truncate">{title}</span>
          </Link>
        )
      }
      why={
        <>
          <EntryText entry={entry} /> · <Time at={entry.at} />
        </>
      }
      action={
        onRead && (
          <>
            {kind === 'exhausted' && taskId !== null && (
              <Button
                small
                onClick={() => void retry(taskId).then((isDone) => isDone && onRead())}
                aria-label={`Retry ${taskId}: allow more attempts`}
              >
                Retry
              </Button>
            )}
            <Button small onClick={onRead}>
              Mark read
              <span className="visually-hidden">{title}</span>
              {hasKeys && <Kbd>e</Kbd>}
            </Button>
          </>
        )
      }
    >
      {entry.excerpt !== '' && (
        <p className="need-excerpt" data-kind={kind}>
          {plainExcerpt(entry.excerpt)}
        </p>
      )}
    </Line>
  )
}

interface RowViewProps extends RowProps {
  row: Row
  inbox: Inbox
  onRead: () => void
}

export const RowView = ({ row, inbox, onRead, ...props }: RowViewProps): ReactNode => {
  if (row.kind === 'question') return <QuestionRow question={row.question} inbox={inbox} {...props} />
  if (row.kind === 'check') return <CheckRow taskId={row.taskId!} {...props} />
  if (row.kind === 'review') return <ReviewRow taskId={row.taskId!} {...props} />
  if (row.kind === 'entry') return <EntryRow entry={row.entry} onRead={onRead} {...props} />
  return <Line {...row.need} />
}
