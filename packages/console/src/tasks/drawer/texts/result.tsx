import { type ReactNode, Suspense, useState } from 'react'
import type { Task } from 'worklore-client'
import { IconButton } from '../../../components/button'
import { holdKeys } from '../../../keyboard/hold-keys'
import { Markdown } from '../../../markdown/markdown'
import { useConsole } from '../../../store/console'
import { TextEditor, textDraftName } from './text-field'

interface ResultProps {
  task: Task
  canWrite: boolean
  accept: (task: Task) => void
}

/** What came out of the work. */
export const Result = ({ task, canWrite, accept }: ResultProps): ReactNode => {
  const { drafts } = useConsole()
  const [isEditing, setIsEditing] = useState(canWrite && drafts.read(textDraftName('result', task.id)) !== null)
  if (task.result === null && !canWrite) return null
  return (
    <section className="links" aria-label="Result">
      <div className="links-head">
        <h3>Result</h3>
        {canWrite && !isEditing && (
          <IconButton
            icon={task.result === null ? 'plus' : 'edit'}
            label={task.result === null ? 'Add the result' : 'Edit the result'}
            onClick={() => {
              holdKeys()
              setIsEditing(true)
            }}
          />
        )}
      </div>
      {isEditing ? (
        <Suspense>
          <TextEditor task={task} field="result" accept={accept} onClose={() => setIsEditing(false)} />
        </Suspense>
      ) : (
        task.result !== null && <Markdown text={task.result} />
      )}
    </section>
  )
}
