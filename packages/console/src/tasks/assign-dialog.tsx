import type { ReactNode } from 'react'
import { ChoiceList } from '../components/choice-list'
import { Dialog } from '../components/dialog'
import { useConsole } from '../store/console'
import { useUsers } from '../store/records'
import { useAssigneeChoices } from './pickers'
import { useTaskActions } from './use-task-actions'

export const AssignDialog = ({ taskId, onClose }: { taskId: string; onClose: () => void }): ReactNode => {
  const { tasks } = useConsole()
  const users = useUsers()
  const { change } = useTaskActions()
  const choices = useAssigneeChoices()
  return (
    <Dialog title={`Assign ${taskId}`} onClose={onClose} className="chooser">
      <div className="dialog-body">
        <ChoiceList
          label={`Assign ${taskId} to`}
          choices={choices}
          selected={[tasks.card(taskId)?.assignee?.id ?? '']}
          onChoose={(id) => {
            const user = users.get(id)
            void change(taskId, { assigneeId: user?.id ?? null, assignee: user ? { id, name: user.name } : null })
            onClose()
          }}
        />
      </div>
    </Dialog>
  )
}
