import { type ReactNode, useState } from 'react'
import { StatusIcon } from '../../components/icons'
import { RecordSearch } from '../../suggestions/record-search'
import { useTaskMatches } from './use-task-matches'

const taskId = /^[A-Z][A-Z0-9]{1,9}-\d+$/

interface TaskSearchProps {
  label: string
  /** Offers tasks of this project alone. */
  projectId?: string
  excluded: readonly string[]
  onChoose: (id: string) => void
  onClose: () => void
}

/** Finds a task by its id or words of its title. */
export const TaskSearch = ({ label, projectId, excluded, onChoose, onClose }: TaskSearchProps): ReactNode => {
  const [text, setText] = useState('')
  const { cards, isLoading } = useTaskMatches(text, projectId, excluded)
  const typedId = text.trim().toUpperCase()
  return (
    <RecordSearch
      label={label}
      placeholder="Id or words of the title"
      text={text}
      onText={setText}
      options={cards}
      keyOf={({ id }) => id}
      emptyText={text.trim() === '' ? null : isLoading ? 'Searching…' : 'No task matches.'}
      onChoose={({ id }) => onChoose(id)}
      // A whole id needs no list.
      onEnter={() => taskId.test(typedId) && onChoose(typedId)}
      onClose={onClose}
    >
      {(card) => (
        <>
          <StatusIcon status={card.statusCategory} />
          <span className="card-id">{card.id}</span>
          <span className="truncate">{card.title}</span>
        </>
      )}
    </RecordSearch>
  )
}
