import { Link, useParams } from '@tanstack/react-router'
import { type ReactNode, type RefObject, useRef } from 'react'
import { NotFoundError, type Project } from 'worklore-client'
import { hasScope } from '../../api/permissions'
import { Button } from '../../components/button'
import { Icon, type IconName } from '../../components/icons'
import { Empty, Failure, MissingScope, Skeletons } from '../../components/states'
import { useKeys } from '../../keyboard/use-keys'
import { Page } from '../../layout/page'
import { useShell } from '../../layout/shell-context'
import { useQuery } from '../../query'
import { useConsole } from '../../store/console'
import { useObservable } from '../../store/observable'
import type { TaskCard } from '../../store/task-card'
import { Star } from './star'
import { TaskFilters } from './task-filters'
import { isFiltered, useFilteredCards, useSort } from './use-filtered'

type View = 'board' | 'list' | 'tree'

const views: [view: View, name: string, icon: IconName][] = [
  ['board', 'Board', 'board'],
  ['list', 'List', 'list'],
  ['tree', 'Tree', 'tree'],
]

interface ViewProps {
  project: Project
  cards: readonly TaskCard[]
  /** Not all cards of the project are here yet. */
  isPartial: boolean
}

const Tasks = ({
  project,
  view,
  component: View,
  filter,
}: {
  project: Project
  view: View
  component: (props: ViewProps) => ReactNode
  filter: RefObject<HTMLInputElement | null>
}): ReactNode => {
  const { tasks, me } = useConsole()
  const canWrite = hasScope(useObservable(me), 'tasks:write')
  const sort = useSort(view)
  const loading = tasks.load(project.id, sort)
  const load = useObservable(loading)
  const cards = useFilteredCards(project.id, sort)
  const query = useQuery()
  const { createTask } = useShell()
  useKeys({ '/': () => filter.current?.focus() })
  if (load.state === 'failed') {
    return <Failure error={load.error} what="the tasks" onRetry={() => tasks.retryLoad(project.id, sort)} />
  }
  if (load.state === 'loading' && cards.length === 0) {
    return (
      <div className="page-content">
        <Skeletons />
      </div>
    )
  }
  if (cards.length === 0 && !isFiltered(query) && load.isComplete) {
    return (
      <Empty
        icon="board"
        title="No tasks yet"
        command={`curl -X POST ${location.origin}/v1/tasks -H "authorization: Bearer $WORKLORE_KEY" -H "content-type: application/json" -d '{"projectId":"${project.key}","title":"First task"}'`}
      >
        {canWrite && (
          <Button kind="primary" icon="plus" onClick={() => createTask({ projectId: project.id })}>
            Create a task
          </Button>
        )}
        <p>{canWrite ? 'Or let an agent create the first one:' : 'An agent can create the first one:'}</p>
      </Empty>
    )
  }
  return <View project={project} cards={cards} isPartial={!load.isComplete} />
}

/** The frame that board, list and tree share. */
export const ProjectPage = ({
  view,
  component,
}: {
  view: View
  component: (props: ViewProps) => ReactNode
}): ReactNode => {
  const { projects, me: meNow } = useConsole()
  const list = useObservable(projects.list)
  const me = useObservable(meNow)
  const { project: key } = useParams({ strict: false }) as { project: string }
  const query = useQuery()
  const { createTask } = useShell()
  const filter = useRef<HTMLInputElement>(null)
  const project = list.find((each) => each.key === key)
  if (!hasScope(me, 'tasks:read')) {
    return (
      <Page title={project?.name ?? key}>
        <MissingScope scope="tasks:read" what="tasks" />
      </Page>
    )
  }
  if (!project) {
    const error = new NotFoundError(404, { code: 'NOT_FOUND', message: '' })
    return (
      <Page title={key}>
        <Failure error={error} what={key} />
      </Page>
    )
  }
  const { task: _, edit: __, ...filters } = query
  return (
    <Page
      title={`${project.name} ${view}`}
      heading={
        <>
          <span className="truncate">{project.name}</span>
          <span className="nav-key desktop-only">{project.key}</span>
        </>
      }
      actions={
        <>
          <Star project={project} view={view} query={filters} />
          <nav className="segmented" aria-label="View">
            {views.map(([each, name, icon]) => (
              <Link
                key={each}
                to={`/p/${project.key}/${each}`}
                search={filters as never}
                aria-current={each === view ? 'page' : undefined}
                aria-label={name}
                activeProps={{}}
              >
                <Icon name={icon} size={14} />
                <span className="desktop-only">{name}</span>
              </Link>
            ))}
          </nav>
          {hasScope(me, 'tasks:write') && (
            <Button
              kind="primary"
              icon="plus"
              onClick={() => createTask({ projectId: project.id })}
              aria-label="New task"
            >
              <span className="desktop-only">New task</span>
            </Button>
          )}
        </>
      }
      toolbar={<TaskFilters projectId={project.id} view={view} input={filter} />}
    >
      <Tasks key={project.id} project={project} view={view} component={component} filter={filter} />
    </Page>
  )
}
