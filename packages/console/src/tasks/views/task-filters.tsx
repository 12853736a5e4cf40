import { type ReactNode, type RefObject, Suspense, useEffect, useState } from 'react'
import type { Project } from 'worklore-client'
import { hasScope } from '../../api/permissions'
import { Avatar } from '../../components/avatar'
import { Button, Kbd } from '../../components/button'
import { Icon } from '../../components/icons'
import { labelChoice } from '../../components/label-choice'
import { Picker } from '../../components/menu'
import { onDemand } from '../../components/on-demand'
import { useSettled } from '../../layout/use-settled'
import { useQuery, useSetQuery } from '../../query'
import { useConsole } from '../../store/console'
import { useObservable } from '../../store/observable'
import { allProjects } from '../../store/tasks'
import { isFiltered, noFilter } from '../filters/matcher'
import { useFilterPicker } from '../filters/use-filter-picker'
import { labelsIn, priorityChoices, statusChoices, useAssigneeChoices } from '../pickers'

const typingDelayMs = 120

const MoreFilters = onDemand(() => import('./more-filters'))

/** Keys that may have created tasks: an admin can list all, others know their own. */
const useCreators = (): { value: string; label: string }[] => {
  const { me: meNow, keys } = useConsole()
  const me = useObservable(meNow)
  const list = useObservable(keys.list)
  const isSettled = useSettled()
  const isAdmin = hasScope(me, 'admin')
  useEffect(() => {
    if (isAdmin && isSettled && !keys.isLoaded.get()) keys.load().catch(() => undefined)
  }, [isAdmin, isSettled, keys])
  return [
    { value: 'me', label: 'Me' },
    ...list.filter(({ id }) => id !== me.key.id).map(({ id, name }) => ({ value: id, label: name })),
  ]
}

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
  const creators = useCreators()
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
        Status{countText('status')}
      </Picker>
      <Picker label="Assignee" choices={assignees} {...filterOf('assignee')}>
        <Icon name="user" size={14} />
        Assignee{countText('assignee')}
      </Picker>
      <Picker
        label="Label"
        choices={() => labelsIn(tasks.cardsOf(project?.id ?? allProjects)).map(labelChoice)}
        {...filterOf('label')}
      >
        <Icon name="tag" size={14} />
        Label{countText('label')}
      </Picker>
      <Picker label="Priority" choices={priorityChoices} {...filterOf('priority')}>
        <Icon name="filter" size={14} />
        Priority{countText('priority')}
      </Picker>
      <Picker label="Created by" choices={creators} {...filterOf('createdBy')}>
        <Icon name="edit" size={14} />
        Created by{countText('createdBy')}
      </Picker>
      <Suspense>{isSettled && <MoreFilters project={project} view={view} />}</Suspense>
      {isFiltered(query) && (
        <Button kind="quiet" small onClick={() => setQuery(noFilter)}>
          Clear
        </Button>
      )}
    </>
  )
}
