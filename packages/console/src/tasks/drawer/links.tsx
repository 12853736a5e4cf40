import { Link } from '@tanstack/react-router'
import { type ReactNode, useEffect, useMemo, useState } from 'react'
import type { Task } from 'worklore-client'
import { IconButton } from '../../components/button'
import { numberText } from '../../components/count'
import { StatusIcon } from '../../components/icons'
import { useShell } from '../../layout/shell-context'
import { withTask } from '../../query'
import { isOpen, movedTo, numberOf, type TaskCard } from '../../store/cards/task-card'
import { useConsole } from '../../store/console'
import { useCardView, useProjects } from '../../store/records'
import { useCards } from '../use-cards'
import { TaskSearch } from './task-search'
import { useTaskList } from './use-task'
import '../../styles/linked-tasks.css'

export const TaskLink = ({
  id,
  card,
  isPlain,
  children,
}: {
  id: string
  card: TaskCard | undefined
  /** Without a link, where following it would leave what is being written. */
  isPlain?: boolean
  /** Buttons at its end. */
  children?: ReactNode
}): ReactNode => {
  const moved = movedTo(useProjects().get(card?.projectId ?? ''), id)
  const text = (
    <>
      <span className="card-id">{id}</span>
      <span className="truncate">{card?.title ?? ''}</span>
      {moved && <span className="nav-key">{moved}</span>}
    </>
  )
  return (
    <li className="linked-task">
      <StatusIcon status={card?.statusCategory ?? 'todo'} />
      {isPlain ? (
        <span className="linked-task-link">{text}</span>
      ) : (
        <Link to="." search={withTask(id)} className="linked-task-link" activeProps={{}}>
          {text}
        </Link>
      )}
      {children}
    </li>
  )
}

export const Blockers = ({
  task,
  canWrite,
  accept,
}: {
  task: Task
  canWrite: boolean
  accept: (task: Task) => void
}): ReactNode => {
  const [isAdding, setIsAdding] = useState(false)
  const { blockedBy } = task
  const cards = useCards(blockedBy)

  const setBlocker = useTaskList(task, 'blockedBy', accept)

  if (blockedBy.length === 0 && !canWrite) return null
  return (
    <section className="links" aria-label="Blocked by">
      <div className="links-head">
        <h3>Blocked by</h3>
        {task.openBlockers > 0 && <span className="badge red">{numberText(task.openBlockers)} open</span>}
        {canWrite && <IconButton icon="plus" label="Add a blocker" onClick={() => setIsAdding(true)} />}
      </div>
      {blockedBy.length > 0 && (
        <ul className="linked-tasks">
          {blockedBy.map((id, index) => (
            <TaskLink key={id} id={id} card={cards[index]}>
              {canWrite && (
                <IconButton icon="close" label={`Remove ${id}`} onClick={() => void setBlocker(id, false)} />
              )}
            </TaskLink>
          ))}
        </ul>
      )}
      {isAdding && (
        <TaskSearch
          label="Find the blocking task by id or title"
          excluded={[task.id, ...blockedBy]}
          onChoose={(id) => {
            setIsAdding(false)
            void setBlocker(id, true)
          }}
          onClose={() => setIsAdding(false)}
        />
      )}
    </section>
  )
}

export const Subtasks = ({ task, canWrite }: { task: Task; canWrite: boolean }): ReactNode => {
  const { client, tasks } = useConsole()
  const known = useCardView()
  const { createTask } = useShell()
  const { total } = task.children
  useEffect(() => {
    if (total === 0) return
    client.tasks.cards({ parentId: task.id, limit: 1_000 }).then(
      (page) => tasks.add(page.data),
      () => undefined,
    )
  }, [client, tasks, task.id, total])
  const children = useMemo(() => {
    const list: TaskCard[] = []
    for (const card of known.cards()) if (card.parentId === task.id) list.push(card)
    return list.sort(
      (a, b) =>
        Number(!isOpen(a.statusCategory)) - Number(!isOpen(b.statusCategory)) || numberOf(a.id) - numberOf(b.id),
    )
  }, [known, task.id])

  if (children.length === 0 && !canWrite) return null
  const closed = children.filter(({ statusCategory }) => !isOpen(statusCategory)).length
  return (
    <section className="links" aria-label="Subtasks">
      <div className="links-head">
        <h3>Subtasks</h3>
        {children.length > 0 && (
          <span className="muted num">
            {numberText(closed)} of {numberText(children.length)} closed
          </span>
        )}
        {canWrite && (
          <IconButton
            icon="plus"
            label="Add a subtask"
            onClick={() => createTask({ projectId: task.projectId, parentId: task.id })}
          />
        )}
      </div>
      {children.length > 0 && (
        <ul className="linked-tasks">
          {children.map((card) => (
            <TaskLink key={card.id} id={card.id} card={card} />
          ))}
        </ul>
      )}
    </section>
  )
}
