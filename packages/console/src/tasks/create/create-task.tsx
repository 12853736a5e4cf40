import { type FormEvent, type ReactNode, useRef, useState } from 'react'
import { LabelChip } from '../../components/avatar'
import { Button } from '../../components/button'
import { Dialog } from '../../components/dialog'
import { FormError, FormFoot } from '../../components/form'
import { Icon } from '../../components/icons'
import { Picker } from '../../components/menu'
import type { NewTask } from '../../layout/shell-context'
import { useSetQuery } from '../../query'
import { withValue } from '../../store/cards/edit-list'
import { statusIn } from '../../store/cards/statuses'
import type { Priority, TaskCard } from '../../store/cards/task-card'
import { useConsole } from '../../store/console'
import { useProjects } from '../../store/records'
import { useKept } from '../../store/use-kept'
import { DateField } from '../date-field'
import { AssigneePicker, LabelsPicker, PriorityPicker, StatusPicker } from '../pickers'
import { TaskLinksField } from './task-links-field'

interface Fields {
  projectId?: string | undefined
  title: string
  description: string
  status: string
  priority: Priority
  assignee: TaskCard['assignee']
  labels: string[]
  dueDate: string
  /** Undefined in drafts of before they could be chosen. */
  parentId?: string | undefined
  blockedBy?: string[] | undefined
}

const noFields: Fields = {
  title: '',
  description: '',
  status: 'todo',
  priority: 'medium',
  assignee: null,
  labels: [],
  dueDate: '',
}

const isWritten = ({ title, description }: Fields): boolean => title.trim() !== '' || description.trim() !== ''

export const CreateTask = ({ preset, onClose }: { preset: NewTask; onClose: () => void }): ReactNode => {
  const { client, tasks, toasts } = useConsole()
  const projects = useProjects()
  const setQuery = useSetQuery()
  const list = projects.list
  const kept = useKept<Fields>(preset.parentId ? `new-task.${preset.parentId}` : 'new-task', noFields, isWritten)
  /** The place where the dialog was opened overrides the restored draft. */
  const [place, setPlace] = useState({ projectId: preset.projectId, status: preset.status })
  const fields = kept.value
  const { title, description, priority, assignee, labels, dueDate, blockedBy = [] } = fields
  const parentId = preset.parentId ?? fields.parentId
  const projectId = place.projectId ?? list.find(({ id }) => id === fields.projectId)?.id ?? list[0]?.id
  const status = place.status ?? fields.status
  const set = (changes: Partial<Fields>): void => {
    if (changes.projectId) setPlace((now) => ({ ...now, projectId: changes.projectId }))
    if (changes.status) setPlace((now) => ({ ...now, status: changes.status }))
    kept.set({ ...fields, projectId, status, ...changes })
  }
  const titleField = useRef<HTMLInputElement>(null)
  const [error, setError] = useState<unknown>()
  const [isSaving, setIsSaving] = useState(false)
  const project = list.find(({ id }) => id === projectId)

  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    if (!projectId || title.trim() === '' || isSaving) return
    setIsSaving(true)
    try {
      const task = await client.tasks.create({
        projectId,
        title,
        description,
        status: statusIn(project, status).status,
        priority,
        assigneeId: assignee?.id ?? null,
        labels,
        dueDate: dueDate || null,
        parentId: parentId ?? null,
        blockedBy,
      })
      tasks.add([task])
      kept.clear()
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
          if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey)) return
          event.preventDefault()
          const form = event.currentTarget
          // Fields that commit their value on this key go first.
          setTimeout(() => form.requestSubmit())
        }}
      >
        <div className="dialog-body">
          {kept.isRestored && (
            <div className="notice blue">
              <span>This is what you wrote before.</span>
              <Button
                small
                onClick={() => {
                  kept.clear()
                  titleField.current?.focus()
                }}
              >
                Clear
              </Button>
            </div>
          )}
          <input
            ref={titleField}
            className="title-input"
            aria-label="Title"
            placeholder="Title"
            value={title}
            maxLength={500}
            onChange={(event) => set({ title: event.target.value })}
          />
          <textarea
            className="description-input"
            aria-label="Description"
            placeholder="Description, in Markdown"
            value={description}
            onChange={(event) => set({ description: event.target.value })}
          />
          <div className="property-row">
            {!preset.parentId && (
              <Picker
                label="Project"
                choices={list.map(({ id, name, key }) => ({ value: id, label: name, hint: key }))}
                selected={[projectId ?? '']}
                // A parent is of the same project.
                onChoose={(id) => set({ projectId: id, parentId: undefined })}
                className="bordered"
              >
                <Icon name="project" size={14} />
                {project?.key ?? 'Project'}
              </Picker>
            )}
            <StatusPicker
              value={{ status }}
              projectId={projectId}
              onChoose={(next) => set({ status: next })}
              className="bordered"
            />
            <PriorityPicker value={priority} onChoose={(next) => set({ priority: next })} className="bordered" />
            <AssigneePicker value={assignee} onChoose={(next) => set({ assignee: next })} className="bordered" />
            <LabelsPicker
              value={labels}
              projectId={projectId}
              onSet={(label, isIn) => set({ labels: withValue(labels, label, isIn) })}
              className="bordered"
            />
            <DateField value={dueDate} onChange={(next) => set({ dueDate: next })} />
            {labels.map((label) => (
              <LabelChip key={label} label={label} />
            ))}
          </div>
          <div className="task-links-fields">
            {!preset.parentId && projectId && (
              <TaskLinksField
                name="Parent"
                addLabel="Set a parent"
                ids={parentId ? [parentId] : []}
                projectId={projectId}
                isSingle
                onChange={([id]) => set({ parentId: id })}
              />
            )}
            <TaskLinksField
              name="Blocked by"
              addLabel="Add a blocker"
              ids={blockedBy}
              onChange={(ids) => set({ blockedBy: ids })}
            />
          </div>
          <FormError error={error} />
        </div>
        <FormFoot submit="Create task" isDisabled={isSaving || title.trim() === '' || !projectId} onCancel={onClose} />
      </form>
    </Dialog>
  )
}
