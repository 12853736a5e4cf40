import { type ReactNode, type RefObject, useEffect, useState } from 'react'
import { Button, Kbd } from '../../components/button'
import { Icon } from '../../components/icons'
import { labelChoice } from '../../components/label-choice'
import { Picker } from '../../components/menu'
import { listOf, useQuery, useSetQuery } from '../../query'
import { useConsole } from '../../store/console'
import { labelsIn, priorityChoices, statusChoices, useAssigneeChoices } from '../pickers'

const typingDelayMs = 120

/** The filters of a board, list or tree; they live in the address. */
export const TaskFilters = ({
  projectId,
  input,
}: {
  projectId: string
  input: RefObject<HTMLInputElement | null>
}): ReactNode => {
  const query = useQuery()
  const setQuery = useSetQuery()
  const [text, setText] = useState(query.q ?? '')
  const { tasks, projects } = useConsole()
  const assignees = useAssigneeChoices().map((choice) => ({ ...choice, value: choice.value || 'none' }))

  useEffect(() => setText(query.q ?? ''), [query.q])
  useEffect(() => {
    if (text === (query.q ?? '')) return
    const timer = setTimeout(() => setQuery({ q: text || undefined }, { replace: true }), typingDelayMs)
    return () => clearTimeout(timer)
  }, [text, query.q, setQuery])

  const filterOf = (name: 'status' | 'assignee' | 'label' | 'priority') => {
    const selected = listOf(query[name])
    return {
      selected,
      isSet: selected.length > 0,
      isMultiple: true,
      className: 'bordered',
      onChoose: (value: string): void => {
        const next = selected.includes(value) ? selected.filter((each) => each !== value) : [...selected, value]
        setQuery({ [name]: next.join(',') || undefined }, { replace: true })
      },
    }
  }
  const countText = (name: string): string => {
    const count = listOf(query[name]).length
    return count > 0 ? ` · ${count}` : ''
  }
  const isFiltered = query.q || query.status || query.assignee || query.label || query.priority

  return (
    <>
      <div className="search-input">
        <Icon name="search" size={14} />
        <input
          ref={input}
          type="search"
          aria-label="Filter by title or id"
          placeholder="Filter"
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Escape') event.currentTarget.blur()
          }}
        />
        <Kbd>/</Kbd>
      </div>
      <Picker label="Status" choices={() => statusChoices(projects.get(projectId))} {...filterOf('status')}>
        <Icon name="check" size={14} />
        Status{countText('status')}
      </Picker>
      <Picker label="Assignee" choices={assignees} {...filterOf('assignee')}>
        <Icon name="user" size={14} />
        Assignee{countText('assignee')}
      </Picker>
      <Picker label="Label" choices={() => labelsIn(tasks.cardsOf(projectId)).map(labelChoice)} {...filterOf('label')}>
        <Icon name="tag" size={14} />
        Label{countText('label')}
      </Picker>
      <Picker label="Priority" choices={priorityChoices} {...filterOf('priority')}>
        <Icon name="filter" size={14} />
        Priority{countText('priority')}
      </Picker>
      {isFiltered && (
        <Button
          kind="quiet"
          small
          onClick={() =>
            setQuery({ q: undefined, status: undefined, assignee: undefined, label: undefined, priority: undefined })
          }
        >
          Clear
        </Button>
      )}
    </>
  )
}
