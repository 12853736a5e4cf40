import type { ReactNode } from 'react'
import type { Task } from 'worklore-client'
import { errorText } from '../../api/error-text'
import { Button } from '../../components/button'
import { Conflict } from '../../editor/conflict'
import { useDraft } from '../../editor/use-draft'
import { useConsole } from '../../store/console'
import { useWhoChanged } from './texts/use-who-changed'

const EditableTitle = ({ task, accept }: { task: Task; accept: (task: Task) => void }): ReactNode => {
  const { client, tasks, toasts } = useConsole()
  const draft = useDraft({
    name: `title.${task.id}`,
    undoneAs: `${task.id} renamed`,
    current: { version: task.version, text: task.title },
    write: async (text, options) => {
      const saved = await tasks.change(task.id, { title: text.trim() }, options)
      return { version: saved.version, text: saved.title }
    },
    read: async () => {
      const now = await client.tasks.get(task.id)
      accept(now)
      return { version: now.version, text: now.title }
    },
    onSaved: () => undefined,
    onError: (error) => toasts.error(`The title was not saved. ${errorText(error)}`),
  })
  const who = useWhoChanged(task.id, 'title', draft.theirs?.version)
  const save = (): void => {
    if (draft.text.trim() === '') draft.discard()
    else if (draft.isChanged && !draft.theirs) void draft.save()
  }
  return (
    <>
      <h2 className="drawer-title">
        <textarea
          aria-label="Title"
          rows={1}
          maxLength={500}
          value={draft.text}
          onChange={(event) => draft.setText(event.target.value.replaceAll('\n', ' '))}
          onBlur={save}
          onKeyDown={(event) => {
            if (event.key === 'Enter') event.currentTarget.blur()
            if (event.key === 'Escape') {
              event.stopPropagation()
              draft.discard()
              requestAnimationFrame(() => (event.target as HTMLElement).blur())
            }
          }}
        />
      </h2>
      {draft.isRestored && !draft.theirs && (
        <div className="notice blue">
          <span>This title is a draft that was not saved.</span>
          <Button small onClick={draft.discard}>
            Discard
          </Button>
          <Button small onClick={save}>
            Save
          </Button>
        </div>
      )}
      <Conflict draft={draft} who={who} isLine />
    </>
  )
}

interface TitleProps {
  task: Task
  canWrite: boolean
  accept: (task: Task) => void
}

export const Title = ({ task, canWrite, accept }: TitleProps): ReactNode =>
  canWrite ? (
    <EditableTitle key={task.id} task={task} accept={accept} />
  ) : (
    <h2 className="drawer-title">{task.title}</h2>
  )
