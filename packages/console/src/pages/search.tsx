import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { hasScope } from '../api/permissions'
import { Icon } from '../components/icons'
import { Picker } from '../components/menu'
import { Empty, Failure, Skeletons } from '../components/states'
import { useKeys } from '../keyboard/use-keys'
import { Page } from '../layout/page'
import { ProjectFilter, useFilterProject } from '../projects/project-filter'
import { listOf, useQuery, useSetQuery } from '../query'
import { HitGroup } from '../search/hit-group'
import { ItemHit, TaskHit } from '../search/hits'
import { useConsole } from '../store/console'
import { useMe, useProjects } from '../store/records'
import { useLoaded } from '../store/use-loaded'
import { priorityChoices, statusChoices } from '../tasks/pickers'
import '../styles/search.css'

const typingDelayMs = 250
const taskLimit = 50
const itemLimit = 30

type Kind = 'all' | 'tasks' | 'knowledge'
const kinds: [kind: Kind, name: string][] = [
  ['all', 'Everything'],
  ['tasks', 'Tasks'],
  ['knowledge', 'Knowledge'],
]

/** Moves the focus with the arrow keys along the elements of a container that match, in the order of the document. */
const moveFocusByArrows = (event: KeyboardEvent<HTMLElement>, selector: string): void => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  if (!step || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return
  const stops = [...event.currentTarget.querySelectorAll<HTMLElement>(selector)]
  const at = stops.indexOf(document.activeElement as HTMLElement)
  const next = at < 0 ? undefined : stops[at + step]
  if (!next) return
  event.preventDefault()
  next.focus()
}

export const SearchPage = (): ReactNode => {
  const { client, tasks } = useConsole()
  const projects = useProjects()
  const me = useMe()
  const query = useQuery()
  const setQuery = useSetQuery()
  const [text, setText] = useState(query.q ?? '')
  const input = useRef<HTMLInputElement>(null)
  const kind = kinds.find(([each]) => each === query.kind)?.[0] ?? 'all'
  const q = query.q?.trim() ?? ''
  const project = useFilterProject()
  const seesTasks = hasScope(me, 'tasks:read') && kind !== 'knowledge'
  const seesKnowledge = hasScope(me, 'knowledge:read') && kind !== 'tasks'

  useEffect(() => setText(query.q ?? ''), [query.q])
  useEffect(() => {
    if (text === (query.q ?? '')) return
    const timer = setTimeout(() => setQuery({ q: text || undefined }, { replace: true }), typingDelayMs)
    return () => clearTimeout(timer)
  }, [text, query.q, setQuery])
  useEffect(() => input.current?.focus(), [])
  useKeys({ '/': () => input.current?.focus() })

  const { data, error, isLoading, reload } = useLoaded(
    async (signal) => {
      if (q === '') return null
      const filters = { ...(project && { projectId: project.id }) }
      const [foundTasks, foundItems] = await Promise.all([
        seesTasks
          ? client.tasks.search(
              q,
              {
                ...filters,
                limit: taskLimit,
                ...(query.status && { status: query.status }),
                ...(query.priority && { priority: query.priority as never }),
              },
              { signal },
            )
          : null,
        seesKnowledge
          ? client.knowledge.search(
              q,
              { ...filters, ...(project && { includeTenant: true }), limit: itemLimit },
              { signal },
            )
          : null,
      ])
      if (foundTasks) tasks.add(foundTasks.data)
      return { tasks: foundTasks?.data ?? [], items: foundItems?.data ?? [] }
    },
    [q, project?.id, query.status, query.priority, seesTasks, seesKnowledge],
  )

  const toggle = (name: 'status' | 'priority') => {
    const selected = listOf(query[name])
    return {
      selected,
      isMultiple: true,
      isSet: selected.length > 0,
      className: 'bordered',
      onChoose: (value: string): void => {
        const next = selected.includes(value) ? selected.filter((each) => each !== value) : [...selected, value]
        setQuery({ [name]: next.join(',') || undefined }, { replace: true })
      },
    }
  }

  return (
    <Page
      title="Search"
      toolbar={
        <>
          <div className="segmented" role="group" aria-label="Search in">
            {kinds.map(([each, name]) => (
              <button
                key={each}
                type="button"
                aria-pressed={kind === each}
                onClick={() => setQuery({ kind: each === 'all' ? undefined : each }, { replace: true })}
              >
                {name}
              </button>
            ))}
          </div>
          <ProjectFilter />
          {kind !== 'knowledge' && (
            <>
              <Picker label="Status" choices={statusChoices(project)} {...toggle('status')}>
                Status{listOf(query.status).length > 0 ? ` · ${listOf(query.status).length}` : ''}
              </Picker>
              <Picker label="Priority" choices={priorityChoices} {...toggle('priority')}>
                Priority{listOf(query.priority).length > 0 ? ` · ${listOf(query.priority).length}` : ''}
              </Picker>
            </>
          )}
        </>
      }
    >
      <div className="page-body">
        {/* biome-ignore lint/a11y/noStaticElementInteractions: hears the arrow keys of the field and the results in it */}
        <div className="page-content narrow" onKeyDown={(event) => moveFocusByArrows(event, '.big-search input, .hit')}>
          <div className="big-search">
            <Icon name="search" size={18} />
            <input
              ref={input}
              type="search"
              aria-label="Search tasks and knowledge"
              placeholder="Search tasks and knowledge, by words or by meaning"
              value={text}
              onChange={(event) => setText(event.target.value)}
            />
          </div>
          {error && !isLoading ? (
            <Failure error={error} what="the results" onRetry={reload} />
          ) : q === '' ? (
            <Empty icon="search" title="Search everything">
              <p>
                Titles, descriptions, comments and knowledge. Ids such as ACME-12 and keys such as guides/setup work
                too.
              </p>
            </Empty>
          ) : !data ? (
            <Skeletons />
          ) : data.tasks.length + data.items.length === 0 ? (
            <Empty icon="search" title={`Nothing matches “${q}”`}>
              <p>Try other words, or remove a filter.</p>
            </Empty>
          ) : (
            <div className="results" key={q} data-loading={isLoading}>
              <HitGroup title="Tasks" hits={data.tasks} isAlone={data.items.length === 0}>
                {(task) => <TaskHit key={task.id} task={task} projectName={projects.get(task.projectId)?.name} />}
              </HitGroup>
              <HitGroup title="Knowledge" hits={data.items} isAlone={data.tasks.length === 0}>
                {(hit) => (
                  <ItemHit
                    key={`${hit.projectId}:${hit.key}`}
                    hit={hit}
                    projectKey={projects.get(hit.projectId ?? '')?.key}
                  />
                )}
              </HitGroup>
            </div>
          )}
        </div>
      </div>
    </Page>
  )
}
