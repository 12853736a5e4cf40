import { type ReactNode, useState } from 'react'
import type { Task } from 'worklore-client'
import { IconButton } from '../../components/button'
import { useNow } from '../../components/time'
import { isLive } from '../claim-mark'
import { useTaskList } from './use-task'

interface ResourcesProps {
  task: Task
  canWrite: boolean
  accept: (task: Task) => void
}

const maxLength = 200

/** What the task needs for itself. */
export const Resources = ({ task, canWrite, accept }: ResourcesProps): ReactNode => {
  const [isAdding, setIsAdding] = useState(false)
  const isReserved = isLive(task.claim, useNow())
  const { resources } = task

  const setResource = useTaskList(task, 'resources', accept)

  if (resources.length === 0 && !canWrite) return null
  return (
    <section className="links" aria-label="Resources">
      <div className="links-head">
        <h3>Resources</h3>
        {resources.length > 0 && isReserved && <span className="badge">reserved</span>}
        {canWrite && <IconButton icon="plus" label="Add a resource" onClick={() => setIsAdding(true)} />}
      </div>
      {resources.length > 0 && (
        <ul className="linked-tasks">
          {resources.map((resource) => (
            <li key={resource} className="linked-task">
              <span className="mono truncate linked-task-link">{resource}</span>
              {canWrite && (
                <IconButton
                  icon="close"
                  label={`Remove ${resource}`}
                  onClick={() => void setResource(resource, false)}
                />
              )}
            </li>
          ))}
        </ul>
      )}
      {isAdding && (
        <input
          className="input"
          aria-label="A resource, such as env:staging or web/src/auth/"
          placeholder="env:staging or web/src/auth/"
          maxLength={maxLength}
          // biome-ignore lint/a11y/noAutofocus: it was just asked for
          autoFocus
          onBlur={() => setIsAdding(false)}
          onKeyDown={(event) => {
            if (event.key === 'Escape') {
              event.stopPropagation()
              setIsAdding(false)
            }
            if (event.key !== 'Enter' || event.currentTarget.value === '') return
            void setResource(event.currentTarget.value, true)
            setIsAdding(false)
          }}
        />
      )}
    </section>
  )
}
