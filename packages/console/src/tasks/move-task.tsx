import { type ReactNode, useState } from 'react'
import { ConflictError } from 'worklore-client'
import { ChoiceList } from '../components/choice-list'
import { countOf } from '../components/count'
import { Dialog } from '../components/dialog'
import { FormError } from '../components/form'
import { Icon } from '../components/icons'
import { useConsole } from '../store/console'
import { useProjects } from '../store/records'
import { newRequestId, undoOf } from '../undo/undo-request'
import { useCards } from './use-cards'

/** Moves a task and its subtasks to another project. */
export const MoveTask = ({ taskId, onClose }: { taskId: string; onClose: () => void }): ReactNode => {
  const app = useConsole()
  const { client, tasks, projects, toasts, undo } = app
  const { list } = useProjects()
  const [card] = useCards([taskId])
  const [error, setError] = useState<unknown>()
  const [isMoving, setIsMoving] = useState(false)
  if (!card) return null

  const { parentId, projectId: from, children } = card
  const move = async (to: string): Promise<void> => {
    if (isMoving) return
    setIsMoving(true)
    try {
      const requestId = newRequestId()
      tasks.add([await client.tasks.move(taskId, to, { requestId })])
      const what = `${taskId} moved to ${projects.get(to)?.name ?? to}`
      undo.push(undoOf(app, what, requestId))
      toasts.info(what)
      onClose()
    } catch (cause) {
      const existing = cause instanceof ConflictError && cause.existing
      setError(existing ? new Error(`${existing} in that project has the same external id.`) : cause)
      setIsMoving(false)
    }
  }
  return (
    <Dialog title={`Move ${taskId} to project`} onClose={onClose} className="chooser">
      <div className="dialog-body form">
        <p className="muted">
          {children.total > 0 && `Its ${countOf(children.total, 'subtask')} and all below go along. `}
          {parentId && `It is no longer a subtask of ${parentId}. `}
          The id stays {taskId}, so links to it keep working.
        </p>
        <ChoiceList
          label={`Move ${taskId} to`}
          choices={list
            .filter(({ id }) => id !== from)
            .map(({ id, name, key }) => ({
              value: id,
              label: name,
              hint: key,
              icon: <Icon name="project" size={14} />,
            }))}
          selected={[]}
          onChoose={(to) => void move(to)}
        />
        <FormError error={error} />
      </div>
    </Dialog>
  )
}
