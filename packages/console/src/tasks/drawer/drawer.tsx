import { CatchBoundary, Link } from '@tanstack/react-router'
import { type ReactNode, Suspense, useRef, useState } from 'react'
import { NotFoundError, type Project, type Task } from 'worklore-client'
import { actorOf } from '../../api/actor'
import { hasScope } from '../../api/permissions'
import { LabelChip } from '../../components/avatar'
import { Button, IconButton } from '../../components/button'
import { Confirm } from '../../components/confirm'
import { countOf, numberText } from '../../components/count'
import { Icon } from '../../components/icons'
import { ActionMenu, type Choice } from '../../components/menu'
import { onDemand } from '../../components/on-demand'
import { CopyButton, Failure, MissingScope, Skeletons } from '../../components/states'
import { exactTime, relativeTime, Time, useNow } from '../../components/time'
import { DateTimeField } from '../../fields/date-time-field'
import { holdKeys } from '../../keyboard/hold-keys'
import { useKeys } from '../../keyboard/use-keys'
import { useShell } from '../../layout/shell-context'
import { useQuery, useSetQuery, withTask } from '../../query'
import { useObservable } from '../../store/base/observable'
import { statusIn } from '../../store/cards/statuses'
import { isExhausted } from '../../store/cards/task-card'
import { useConsole } from '../../store/console'
import { useMe, useProjects, useUsers } from '../../store/records'
import { Checks } from '../checks/checks'
import { holderText, isLive } from '../claim-mark'
import { Comments } from '../comments/comments'
import { DateField } from '../date-field'
import { isBelow } from '../filters/matcher'
import { Holders, heldOf } from '../holders'
import { AssigneePicker, LabelsPicker, PriorityPicker, StatusPicker } from '../pickers'
import { ClosedQuestions } from '../questions/closed-questions'
import { OpenQuestions } from '../questions/open-questions'
import { type TaskQuestions, useQuestions } from '../questions/use-questions'
import { useRank } from '../use-rank'
import { useTaskActions } from '../use-task-actions'
import { Basis } from './basis'
import { Blocked } from './blocked'
import { Blockers, Subtasks } from './links'
import { Metadata } from './metadata'
import { ParentTask } from './parent-task'
import { Resources } from './resources'
import { StaleTask } from './stale-task'
import { TaskHistory } from './task-history'
import { Description } from './texts/description'
import { Result } from './texts/result'
import { textDraftName } from './texts/text-field'
import { Title } from './title'
import { useDrawerFocus } from './use-drawer-focus'
import { type OpenTask, useTask, useTaskUpdate } from './use-task'
import '../../styles/drawer.css'
import '../../styles/prose.css'

const AgentView = onDemand(() => import('./agent-view'))
const GoneTask = onDemand(() => import('./texts/gone-task'))

interface TaskDrawerProps {
  taskId: string
  onClose: () => void
}

const ClaimBanner = ({ task, canRelease }: { task: Task; canRelease: boolean }): ReactNode => {
  const users = useUsers()
  const { release } = useTaskActions()
  const nowMs = useNow()
  const { claim } = task
  if (!isLive(claim, nowMs)) return null
  return (
    <div className="claim-banner">
      <span className="claim-dot" aria-hidden="true" />
      <span className="claim-text">
        <b>{holderText(users, claim)}</b> holds this task · last sign of life{' '}
        <span title={exactTime(claim.renewedAt)}>{relativeTime(claim.renewedAt, nowMs)}</span> · lease ends{' '}
        <span title={exactTime(claim.expiresAt)}>{relativeTime(claim.expiresAt, nowMs)}</span>
        {claim.note && <small>{claim.note}</small>}
      </span>
      {canRelease && (
        <Button small onClick={() => void release(task.id)}>
          Release
        </Button>
      )}
    </div>
  )
}

const Properties = ({
  task,
  canWrite,
  onRefused,
  children,
}: {
  task: Task
  canWrite: boolean
  /** Called with whether the task could not be set to done. */
  onRefused: (isRefused: boolean) => void
  children: ReactNode
}): ReactNode => {
  const projects = useProjects()
  const { change, setLabel } = useTaskActions()
  return (
    <div className="property-row">
      <StatusPicker
        value={task}
        projectId={task.projectId}
        onChoose={(status) => {
          const isDone = statusIn(projects.get(task.projectId), status).category === 'done'
          void change(task.id, { status }).then((isSet) => onRefused(isDone && isSet === false))
        }}
        isDisabled={!canWrite}
        className="bordered"
      />
      <PriorityPicker
        value={task.priority}
        onChoose={(priority) => void change(task.id, { priority })}
        isDisabled={!canWrite}
        className="bordered"
      />
      <AssigneePicker
        value={task.assignee}
        onChoose={(assignee) => void change(task.id, { assigneeId: assignee?.id ?? null, assignee })}
        isDisabled={!canWrite}
        className="bordered"
      />
      <DateField
        value={task.dueDate?.slice(0, 10) ?? ''}
        isDisabled={!canWrite}
        onChange={(dueDate) => void change(task.id, { dueDate: dueDate || null })}
      />
      {task.labels.map((label) => (
        <LabelChip key={label} label={label} />
      ))}
      {canWrite && (
        <LabelsPicker
          value={task.labels}
          projectId={task.projectId}
          onSet={(label, isIn) => void setLabel(task.id, label, isIn)}
          className="quiet"
        />
      )}
      {children}
    </div>
  )
}

interface BodyProps {
  task: Task
  questions: TaskQuestions
  accept: OpenTask['accept']
}

const Body = ({ task, questions, accept }: BodyProps): ReactNode => {
  const projects = useProjects()
  const users = useUsers()
  const me = useMe()
  const { edit } = useQuery()
  const [tab, setTab] = useState<'comments' | 'history' | 'agent'>('comments')
  const { retry } = useTaskActions()
  const update = useTaskUpdate(task, accept)
  const [isChoosingParent, setIsChoosingParent] = useState(false)
  const [isRefused, setIsRefused] = useState(false)
  const canWrite = hasScope(me, 'tasks:write')
  const maxAttempts = projects.get(task.projectId)?.maxAttempts ?? Infinity
  return (
    <div className="drawer-body">
      <ParentTask
        task={task}
        canWrite={canWrite}
        isChoosing={isChoosingParent}
        setIsChoosing={setIsChoosingParent}
        onChange={(parentId) => void update({ parentId })}
      />
      <Title task={task} canWrite={canWrite} accept={accept} />
      <Properties task={task} canWrite={canWrite} onRefused={setIsRefused}>
        {canWrite && !task.parentId && (
          <Button kind="quiet" icon="tree" onClick={() => setIsChoosingParent(true)}>
            Set a parent
          </Button>
        )}
      </Properties>
      {task.notBefore && (
        <DateTimeField
          label="Not before"
          removeLabel="Remove the start"
          value={task.notBefore}
          isDisabled={!canWrite}
          onChange={(notBefore) => void update({ notBefore })}
        />
      )}
      <ClaimBanner task={task} canRelease={hasScope(me, 'admin') || task.claim?.keyId === me.key.id} />
      {isExhausted(task, maxAttempts) && (
        <div className="notice red">
          <Icon name="alert" />
          <span>All {maxAttempts} attempts are used up. Agents no longer get this task.</span>
          {canWrite && (
            <Button small onClick={() => void retry(task.id)}>
              Allow more attempts
            </Button>
          )}
        </div>
      )}
      <StaleTask task={task} canWrite={canWrite} accept={accept} />
      <OpenQuestions {...questions} />
      <Description key={task.id} task={task} canWrite={canWrite} startEditing={edit === '1'} accept={accept} />
      <Result key={`result-${task.id}`} task={task} canWrite={canWrite} accept={accept} />
      <Checks task={task} accept={accept} isRefused={isRefused} />
      <Subtasks task={task} canWrite={canWrite} />
      <Blockers task={task} canWrite={canWrite} accept={accept} />
      <Blocked taskId={task.id} />
      <Resources task={task} canWrite={canWrite} accept={accept} />
      {task.attempts > 0 && hasScope(me, 'knowledge:read') && <Basis task={task} />}
      <ClosedQuestions {...questions} task={task} />
      <Metadata value={task.metadata} />
      <section className="activity" aria-label="Activity">
        <div className="segmented" role="tablist" aria-label="Activity">
          <button type="button" role="tab" aria-selected={tab === 'comments'} onClick={() => setTab('comments')}>
            Comments{task.commentCount > 0 ? ` · ${numberText(task.commentCount)}` : ''}
          </button>
          <button type="button" role="tab" aria-selected={tab === 'history'} onClick={() => setTab('history')}>
            History
          </button>
          <button type="button" role="tab" aria-selected={tab === 'agent'} onClick={() => setTab('agent')}>
            What the agent sees
          </button>
        </div>
        {tab === 'comments' && <Comments taskId={task.id} />}
        {tab === 'history' && <TaskHistory task={task} canWrite={canWrite} />}
        {tab === 'agent' && (
          <Suspense fallback={<Skeletons count={3} />}>
            <AgentView task={task} />
          </Suspense>
        )}
      </section>
      <footer className="drawer-foot muted">
        Created <Time at={task.createdAt} /> by {actorOf(users, task.createdBy).name} · updated{' '}
        <Time at={task.updatedAt} /> · v{task.version} · {countOf(task.attempts, 'attempt')}
        {task.externalId && ` · ${task.externalId}`}
      </footer>
    </div>
  )
}

const DrawerFrame = ({
  taskId,
  project,
  actions,
  onClose,
  children,
}: TaskDrawerProps & { project?: Project | undefined; actions?: ReactNode; children: ReactNode }): ReactNode => {
  const drawer = useRef<HTMLElement>(null)
  useDrawerFocus(taskId, drawer)
  return (
    <aside ref={drawer} className="drawer" aria-label={`Task ${taskId}`} tabIndex={-1}>
      <header className="drawer-head">
        {/* An id is for life: it does not tell the project. */}
        {project && (
          <>
            <Link
              to="/p/$project/board"
              params={{ project: project.key }}
              search={withTask(taskId)}
              className="drawer-project truncate"
              activeProps={{}}
            >
              {project.name}
            </Link>
            <Icon name="chevron" size={12} />
          </>
        )}
        <span className="drawer-id mono">{taskId}</span>
        <CopyButton text={`${location.origin}/console/?task=${taskId}`} label="Copy the link" />
        <span className="spacer" />
        {actions}
        <IconButton icon="close" label="Close" onClick={onClose} />
      </header>
      {children}
    </aside>
  )
}

const ReadableTask = ({ taskId, onClose }: TaskDrawerProps): ReactNode => {
  const { tasks, drafts } = useConsole()
  const projects = useProjects()
  const me = useMe()
  const list = projects.list
  const { moveTask } = useShell()
  const { task, error, deletion, reload, accept } = useTask(taskId)
  const questions = useQuestions(taskId)
  const { remove, change } = useTaskActions()
  const rank = useRank()
  const [isDeleting, setIsDeleting] = useState(false)
  const setQuery = useSetQuery()
  const canWrite = hasScope(me, 'tasks:write')
  const isLoading = !task && !error && !deletion
  // The text opens for editing once it is there.
  const editLater = (): void => {
    holdKeys()
    setQuery({ edit: '1' }, { replace: true })
  }
  useKeys({ e: editLater }, canWrite && isLoading)
  const isDrafted = (['description', 'result'] as const).some(
    (field) => drafts.read(textDraftName(field, taskId)) !== null,
  )

  const actions: Choice<() => void>[] = canWrite
    ? [
        {
          value: () => void change(taskId, { status: 'cancelled' }),
          label: 'Cancel the task',
          icon: <Icon name="blocked" size={14} />,
        },
        ...(['top', 'bottom'] as const).map((to) => ({
          value: () => void rank(taskId, { to }),
          label: `Move to the ${to}`,
          icon: <Icon name={to === 'top' ? 'up' : 'down'} size={14} />,
        })),
        ...(list.length > 1
          ? [
              {
                value: () => moveTask(taskId),
                label: 'Move to project…',
                icon: <Icon name="project" size={14} />,
              },
            ]
          : []),
        { value: () => setIsDeleting(true), label: 'Delete', icon: <Icon name="trash" size={14} />, isDangerous: true },
      ]
    : []

  return (
    <DrawerFrame
      taskId={taskId}
      project={task && !deletion ? list.find(({ id }) => id === task.projectId) : undefined}
      actions={task && !deletion && <ActionMenu label={`Actions on ${taskId}`} actions={actions} />}
      onClose={onClose}
    >
      {deletion || (error instanceof NotFoundError && isDrafted) ? (
        <Suspense>
          <GoneTask taskId={taskId} deletion={deletion} onRestored={reload} />
        </Suspense>
      ) : error ? (
        <Failure error={error} what={taskId} onRetry={reload} />
      ) : task ? (
        <CatchBoundary
          getResetKey={() => taskId}
          errorComponent={({ error, reset }) => <Failure error={error} what={taskId} onRetry={reset} />}
        >
          <Body task={task} questions={questions} accept={accept} />
        </CatchBoundary>
      ) : (
        <div className="drawer-body">
          <Skeletons count={5} />
        </div>
      )}
      {isDeleting && task && (
        <Confirm
          title={`Delete ${taskId}?`}
          action="Delete"
          isDangerous
          run={async () => {
            await remove(taskId, task.children.total > 0)
            onClose()
          }}
          onClose={() => setIsDeleting(false)}
        >
          <Holders
            held={heldOf([...tasks.cards()].filter((card) => card.id === taskId || isBelow(tasks, card, taskId)))}
            of={1 + task.children.total}
          />
          <p>
            {task.children.total > 0
              ? `Its ${countOf(task.children.total, 'subtask')} will also be deleted. All of it can be restored from the trash.`
              : 'It can be restored from the trash.'}
          </p>
        </Confirm>
      )}
    </DrawerFrame>
  )
}

export const TaskDrawer = (props: TaskDrawerProps): ReactNode => {
  const { me } = useConsole()
  if (hasScope(useObservable(me), 'tasks:read')) return <ReadableTask {...props} />
  return (
    <DrawerFrame {...props}>
      <MissingScope scope="tasks:read" what={props.taskId} />
    </DrawerFrame>
  )
}
