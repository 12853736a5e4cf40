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
  const isWholeId = taskId.test(typedId)
  return (
    <RecordSearch
      label={label}
      placeholder="Id or words of the title"
      text={text}
      onText={setText}
      // Whoever types an id means that task, whatever else a search finds.
      options={isWholeId ? cards.filter(({ id }) => id === typedId) : cards}
      keyOf={({ id }) => id}
      emptyText={text.trim() === '' ? null : isLoading ? 'Searching…' : 'No task matches.'}
      onChoose={({ id }) => onChoose(id)}
      onEnter={() => isWholeId && onChoose(typedId)}
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
