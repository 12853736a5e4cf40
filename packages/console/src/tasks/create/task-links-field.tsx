import { type ReactNode, useState } from 'react'
import { Button, IconButton } from '../../components/button'
import { TaskLink } from '../drawer/links'
import { TaskSearch } from '../drawer/task-search'
import { useCards } from '../use-cards'

interface TaskLinksFieldProps {
  /** As in “Parent” or “Blocked by”. */
  name: string
  addLabel: string
  ids: readonly string[]
  /** Offers tasks of this project alone. */
  projectId?: string
  isSingle?: boolean
  onChange: (ids: string[]) => void
}

/** Other tasks that a new one refers to, found by id or title. */
export const TaskLinksField = ({
  name,
  addLabel,
  ids,
  projectId,
  isSingle,
  onChange,
}: TaskLinksFieldProps): ReactNode => {
  const [isAdding, setIsAdding] = useState(false)
  const cards = useCards(ids)
  return (
    <div className="task-links-field" role="group" aria-label={name}>
      {ids.length > 0 && (
        <>
          <span className="field-hint">{name}</span>
          <ul className="linked-tasks">
            {ids.map((id, index) => (
              <TaskLink key={id} id={id} card={cards[index]} isPlain>
                <IconButton
                  icon="close"
                  label={`Remove ${id}`}
                  onClick={() => onChange(ids.filter((each) => each !== id))}
                />
              </TaskLink>
            ))}
          </ul>
        </>
      )}
      {isAdding ? (
        <TaskSearch
          label={`${name}: find a task by id or title`}
          {...(projectId && { projectId })}
          excluded={ids}
          onChoose={(id) => {
            setIsAdding(false)
            onChange([...ids, id])
          }}
          onClose={() => setIsAdding(false)}
        />
      ) : (
        !(isSingle && ids.length > 0) && (
          <Button kind="quiet" small icon={isSingle ? 'tree' : 'blocked'} onClick={() => setIsAdding(true)}>
            {addLabel}
          </Button>
        )
      )}
    </div>
  )
}
