import { type KeyboardEvent, type ReactNode, useId, useState } from 'react'
import { StatusIcon } from '../../components/icons'
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
  const [active, setActive] = useState(0)
  const { cards, isLoading } = useTaskMatches(text, projectId, excluded)
  const id = useId()
  const typedId = text.trim().toUpperCase()

  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step) setActive((index) => (index + step + cards.length) % Math.max(1, cards.length))
    else if (event.key === 'Enter') {
      // A whole id needs no list.
      const chosen = cards[active]?.id ?? (taskId.test(typedId) ? typedId : undefined)
      if (chosen) onChoose(chosen)
    } else if (event.key === 'Escape') onClose()
    else return
    event.preventDefault()
    event.stopPropagation()
  }

  return (
    <div className="task-search">
      <input
        className="input"
        role="combobox"
        aria-label={label}
        aria-expanded={cards.length > 0}
        aria-controls={`${id}-list`}
        aria-activedescendant={cards.length > 0 ? `${id}-${active}` : undefined}
        placeholder="Id or words of the title"
        value={text}
        // biome-ignore lint/a11y/noAutofocus: it was opened to type here
        autoFocus
        onChange={(event) => {
          setText(event.target.value)
          setActive(0)
        }}
        onKeyDown={onKeyDown}
      />
      <div id={`${id}-list`} className="task-search-list" role="listbox" aria-label="Matching tasks">
        {cards.map((card, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the input has the keyboard's focus
          // biome-ignore lint/a11y/useFocusableInteractive: the input has the keyboard's focus
          <div
            key={card.id}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === active}
            data-active={index === active}
            className="option"
            onMouseMove={() => setActive(index)}
            onClick={() => onChoose(card.id)}
          >
            <StatusIcon status={card.status} />
            <span className="card-id">{card.id}</span>
            <span className="truncate">{card.title}</span>
          </div>
        ))}
      </div>
      {text.trim() !== '' && cards.length === 0 && (
        <p className="muted" role="status">
          {isLoading ? 'Searching…' : 'No task matches.'}
        </p>
      )}
    </div>
  )
}
