import type { ReactNode } from 'react'
import type { Task } from 'worklore-client'
import { IconButton } from '../../components/button'
import { useCards } from '../use-cards'
import { TaskLink } from './links'
import { TaskSearch } from './task-search'

interface ParentTaskProps {
  task: Task
  canWrite: boolean
  isChoosing: boolean
  setIsChoosing: (isChoosing: boolean) => void
  onChange: (parentId: string | null) => void
}

export const ParentTask = ({ task, canWrite, isChoosing, setIsChoosing, onChange }: ParentTaskProps): ReactNode => {
  const { parentId } = task
  const [card] = useCards(parentId ? [parentId] : [])
  if (isChoosing) {
    return (
      <TaskSearch
        label="Find the parent by id or title"
        projectId={task.projectId}
        excluded={[task.id]}
        onChoose={(id) => {
          setIsChoosing(false)
          onChange(id)
        }}
        onClose={() => setIsChoosing(false)}
      />
    )
  }
  if (!parentId) return null
  return (
    <ul className="parent-link" aria-label="Parent">
      <TaskLink id={parentId} card={card}>
        {canWrite && (
          <>
            <IconButton icon="edit" label="Change the parent" onClick={() => setIsChoosing(true)} />
            <IconButton icon="close" label="Remove the parent" onClick={() => onChange(null)} />
          </>
        )}
      </TaskLink>
    </ul>
  )
}
