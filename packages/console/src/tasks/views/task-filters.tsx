import { type ReactNode, type RefObject, Suspense, useEffect, useState } from 'react'
import type { Project } from 'worklore-client'
import { Avatar, labelChoice } from '../../components/avatar'
import { Kbd } from '../../components/button'
import { Icon } from '../../components/icons'
import { Picker, PickerText } from '../../components/menu'
import { onDemand } from '../../components/on-demand'
import { useSettled } from '../../layout/use-settled'
import { useQuery, useSetQuery } from '../../query'
import { useObservable } from '../../store/base/observable'
import { allProjects } from '../../store/cards/card-cache'
import { useConsole } from '../../store/console'
import { useFilterPicker } from '../filters/use-filter-picker'
import { labelsIn, priorityChoices, statusChoices, useAssigneeChoices } from '../pickers'

const typingDelayMs = 120

const MoreFilters = onDemand(() => import('./more-filters'))

/** The filters of a view of tasks; they live in the address. */
export const TaskFilters = ({
  project,
  view,
  input,
}: {
  project: Project | undefined
  view: string
  input: RefObject<HTMLInputElement | null>
}): ReactNode => {
  const query = useQuery()
  const setQuery = useSetQuery()
  const [text, setText] = useState(query.q ?? '')
  const { tasks, me } = useConsole()
  const people = useAssigneeChoices().map((choice) => ({ ...choice, value: choice.value || 'none' }))
  const user = useObservable(me).user
  const assignees = user
    ? [{ value: 'me', label: 'Me', icon: <Avatar name={user.name} isAgent={user.kind === 'agent'} /> }, ...people]
    : people
  const isSettled = useSettled()

  useEffect(() => setText(query.q ?? ''), [query.q])
  useEffect(() => {
    if (text === (query.q ?? '')) return
    const timer = setTimeout(() => setQuery({ q: text || undefined }, { replace: true }), typingDelayMs)
    return () => clearTimeout(timer)
  }, [text, query.q, setQuery])

  const { filterOf, countText } = useFilterPicker()

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
      <Picker label="Status" choices={() => statusChoices(project)} {...filterOf('status')}>
        <Icon name="check" size={14} />
        <PickerText>Status</PickerText>
        {countText('status')}
      </Picker>
      <Picker label="Assignee" choices={assignees} {...filterOf('assignee')}>
        <Icon name="user" size={14} />
        <PickerText>Assignee</PickerText>
        {countText('assignee')}
      </Picker>
      <Picker
        label="Label"
        choices={() => labelsIn(tasks.cardsOf(project?.id ?? allProjects)).map(labelChoice)}
        {...filterOf('label')}
      >
        <Icon name="tag" size={14} />
        <PickerText>Label</PickerText>
        {countText('label')}
      </Picker>
      <Picker label="Priority" choices={priorityChoices} {...filterOf('priority')}>
        <Icon name="filter" size={14} />
        <PickerText>Priority</PickerText>
        {countText('priority')}
      </Picker>
      <Suspense>{isSettled && <MoreFilters project={project} view={view} />}</Suspense>
    </>
  )
}
