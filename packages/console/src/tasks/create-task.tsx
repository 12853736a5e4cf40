import { type FormEvent, type ReactNode, useState } from 'react'
import { LabelChip } from '../components/avatar'
import { Dialog } from '../components/dialog'
import { FormError, FormFoot } from '../components/form'
import { Icon } from '../components/icons'
import { Picker } from '../components/menu'
import { useSetQuery } from '../query'
import { useConsole } from '../store/console'
import { useObservable } from '../store/observable'
import { cardOf, type Priority, type Status, type TaskCard } from '../store/task-card'
import { DateField } from './date-field'
import { AssigneePicker, LabelsPicker, PriorityPicker, StatusPicker } from './pickers'

export interface NewTask {
  projectId?: string
  status?: Status
  parentId?: string
}

export const CreateTask = ({ preset, onClose }: { preset: NewTask; onClose: () => void }): ReactNode => {
  const { client, tasks, projects, toasts } = useConsole()
  const setQuery = useSetQuery()
  const list = useObservable(projects.list)
  const [projectId, setProjectId] = useState(preset.projectId ?? list[0]?.id)
  const [title, setTitle] = useState('')
  const [description, setDescription] = useState('')
  const [status, setStatus] = useState<Status>(preset.status ?? 'todo')
  const [priority, setPriority] = useState<Priority>('medium')
  const [assignee, setAssignee] = useState<TaskCard['assignee']>(null)
  const [labels, setLabels] = useState<string[]>([])
  const [dueDate, setDueDate] = useState('')
  const [error, setError] = useState<unknown>()
  const [isSaving, setIsSaving] = useState(false)
  const project = list.find(({ id }) => id === projectId)

  const submit = async (event?: FormEvent): Promise<void> => {
    event?.preventDefault()
    if (!projectId || title.trim() === '' || isSaving) return
    setIsSaving(true)
    try {
      const task = await client.tasks.create({
        projectId,
        title,
        description,
        status,
        priority,
        assigneeId: assignee?.id ?? null,
        labels,
        dueDate: dueDate || null,
        parentId: preset.parentId ?? null,
      })
      tasks.add([cardOf(task)])
      toasts.info(`${task.id} created`, { label: 'Open', run: () => setQuery({ task: task.id }) })
      onClose()
    } catch (cause) {
      setError(cause)
      setIsSaving(false)
    }
  }

  return (
    <Dialog
      title={preset.parentId ? `New subtask of ${preset.parentId}` : 'New task'}
      onClose={onClose}
      className="create-task"
    >
      <form
        onSubmit={submit}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) void submit()
        }}
      >
        <div className="dialog-body">
          <input
            className="title-input"
            aria-label="Title"
            placeholder="Title"
            value={title}
            maxLength={500}
            onChange={(event) => setTitle(event.target.value)}
          />
          <textarea
            className="description-input"
            aria-label="Description"
            placeholder="Description, in Markdown"
            value={description}
            onChange={(event) => setDescription(event.target.value)}
          />
          <div className="property-row">
            {!preset.parentId && (
              <Picker
                label="Project"
                choices={list.map(({ id, name, key }) => ({ value: id, label: name, hint: key }))}
                selected={[projectId ?? '']}
                onChoose={setProjectId}
                className="bordered"
              >
                <Icon name="project" size={14} />
                {project?.key ?? 'Project'}
              </Picker>
            )}
            <StatusPicker value={status} onChoose={setStatus} className="bordered" />
            <PriorityPicker value={priority} onChoose={setPriority} className="bordered" />
            <AssigneePicker value={assignee} onChoose={setAssignee} className="bordered" />
            <LabelsPicker value={labels} projectId={projectId} onChange={setLabels} className="bordered" />
            <DateField value={dueDate} onChange={setDueDate} />
            {labels.map((label) => (
              <LabelChip key={label} label={label} />
            ))}
          </div>
          <FormError error={error} />
        </div>
        <FormFoot submit="Create task" isDisabled={isSaving || title.trim() === '' || !projectId} onCancel={onClose} />
      </form>
    </Dialog>
  )
}
