import { type ReactNode, Suspense, useState } from 'react'
import type { Task } from 'worklore-client'
import { Button } from '../../../components/button'
import { holdKeys } from '../../../keyboard/hold-keys'
import { useKeys } from '../../../keyboard/use-keys'
import { Markdown } from '../../../markdown/markdown'
import { useConsole } from '../../../store/console'
import { TextEditor, textDraftName } from './text-field'

interface DescriptionProps {
  task: Task
  canWrite: boolean
  startEditing: boolean
  accept: (task: Task) => void
}

export const Description = ({ task, canWrite, startEditing, accept }: DescriptionProps): ReactNode => {
  const { drafts } = useConsole()
  const [isEditing, setIsEditing] = useState(
    canWrite && (startEditing || drafts.read(textDraftName('description', task.id)) !== null),
  )
  const edit = (): void => {
    holdKeys()
    setIsEditing(true)
  }
  useKeys({ ...(canWrite && { e: edit }) }, !isEditing)
  if (isEditing) {
    return (
      <Suspense>
        <TextEditor task={task} field="description" accept={accept} onClose={() => setIsEditing(false)} />
      </Suspense>
    )
  }
  return (
    <section className="description" aria-label="Description">
      {task.description === '' ? (
        <p className="muted">{canWrite ? '' : 'No description.'}</p>
      ) : (
        <Markdown text={task.description} />
      )}
      {canWrite && (
        <Button kind="quiet" small icon="edit" onClick={edit}>
          {task.description === '' ? 'Add a description' : 'Edit'}
        </Button>
      )}
    </section>
  )
}
