import { Link, useParams } from '@tanstack/react-router'
import { type ReactNode, type RefObject, useMemo, useRef } from 'react'
import { NotFoundError, type Project } from 'worklore-client'
import { readErrorText } from '../../api/error-text'
import { hasScope } from '../../api/permissions'
import { Button, IconButton } from '../../components/button'
import { Icon, type IconName } from '../../components/icons'
import { Empty, Failure, MissingScope, Skeletons } from '../../components/states'
import { narrow, useMedia } from '../../components/use-media'
import { useKeys } from '../../keyboard/use-keys'
import { Page } from '../../layout/page'
import { type NewTask, useShell } from '../../layout/shell-context'
import { usePause } from '../../pauses/use-pause'
import { useQuery, useSetQuery } from '../../query'
import { useObservable } from '../../store/base/observable'
import { allProjects } from '../../store/cards/card-cache'
import type { TaskCard } from '../../store/cards/task-card'
import { useConsole } from '../../store/console'
import { useMe, useProjects } from '../../store/records'
import { isFiltered, noFilter } from '../filters/matcher'
import { useFilteredCards, useSort } from '../filters/use-filtered'
import { useKnownQuery } from '../filters/use-known-query'
import { createSelection, SelectionContext, useMatching } from '../selection/selection'
import { SelectionArea } from '../selection/selection-area'
import { Star } from './star'
import { TaskFilters } from './task-filters'
import { viewPath } from './view-path'

type View = 'board' | 'list' | 'tree' | 'graph'

const views: [view: View, name: string, icon: IconName][] = [
  ['board', 'Board', 'board'],
  ['list', 'List', 'list'],
  ['tree', 'Tree', 'tree'],
  ['graph', 'Graph', 'graph'],
]
/** Tasks of all projects have neither a tree nor a graph of their own. */
const viewsOfAll = views.slice(0, 2)

export interface ViewProps {
  /** Undefined for the tasks of all projects. */
  project: Project | undefined
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
  project: Project | undefined
  view: View
  component: (props: ViewProps) => ReactNode
  filter: RefObject<HTMLInputElement | null>
}): ReactNode => {
  const { tasks, me } = useConsole()
  const canWrite = hasScope(useObservable(me), 'tasks:write')
  const projectId = project?.id ?? allProjects
  const sort = useSort(view, project !== undefined)
  const loading = tasks.load(projectId, sort)
  const load = useObservable(loading)
  const cards = useFilteredCards(projectId, view)
  const isLoading = !load.isComplete && !load.isCut
  const query = useKnownQuery()
  const setQuery = useSetQuery()
  const { createTask } = useShell()
  useKeys({ '/': () => filter.current?.focus() })
  useMatching(cards, isLoading)
  if (load.state === 'failed' && cards.length === 0) {
    return <Failure error={load.error} what="the tasks" onRetry={() => tasks.retryLoad(projectId, sort)} />
  }
  if (cards.length === 0 && isLoading) {
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
        command={`curl -X POST ${location.origin}/v1/tasks -H "authorization: Bearer $WORKLORE_KEY" -H "content-type: application/json" -d '{"projectId":"${project?.key ?? 'ACME'}","title":"First task"}'`}
      >
        {canWrite && (
          <Button kind="primary" icon="plus" onClick={() => createTask(presetOf(project))}>
            Create a task
          </Button>
        )}
        <p>{canWrite ? 'Or let an agent create the first one:' : 'An agent can create the first one:'}</p>
      </Empty>
    )
  }
  if (cards.length === 0 && isFiltered(query)) {
    return (
      <Empty icon="filter" title="No tasks match the filters">
        {load.isCut && <p>There are more tasks than could be loaded. Search finds them all.</p>}
        <Button onClick={() => setQuery(noFilter)}>Clear filters</Button>
      </Empty>
    )
  }
  return (
    <SelectionArea>
      {load.error !== undefined && (
        <div className="notice red" role="alert">
          <span>Not all tasks are shown. {readErrorText(load.error)}</span>
          <Button small onClick={() => tasks.retryLoad(projectId, sort)}>
            Try again
          </Button>
        </div>
      )}
      <View project={project} cards={cards} isPartial={!load.isComplete} />
    </SelectionArea>
  )
}

const presetOf = (project: Project | undefined): NewTask => (project ? { projectId: project.id } : {})

/** The frame that board, list, tree and graph share, for one project or for all. */
export const ProjectPage = ({
  view,
  component,
}: {
  view: View
  component: (props: ViewProps) => ReactNode
}): ReactNode => {
  const projects = useProjects()
  const list = projects.list
  const me = useMe()
  const { project: key } = useParams({ strict: false }) as { project?: string }
  const query = useQuery()
  const { createTask } = useShell()
  const { toggle, dialog } = usePause()
  const filter = useRef<HTMLInputElement>(null)
  const isNarrow = useMedia(narrow)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each project has its own
  const selection = useMemo(() => createSelection(), [key])
  const project = list.find((each) => each.key === key)
  if (!hasScope(me, 'tasks:read')) {
    return (
      <Page title={project?.name ?? key ?? 'All tasks'}>
        <MissingScope scope="tasks:read" what="tasks" />
      </Page>
    )
  }
  if (key && !project) {
    const error = new NotFoundError(404, { code: 'NOT_FOUND', message: '' })
    return (
      <Page title={key}>
        <Failure error={error} what={key} />
      </Page>
    )
  }
  const { task: _, edit: __, ...filters } = query
  const name = project?.name ?? 'All tasks'
  const star = <Star project={project} view={view} query={filters} />
  return (
    <SelectionContext value={selection}>
      <Page
        title={`${name} ${view}`}
        heading={
          <>
            <span className="truncate">{name}</span>
            {project && <span className="nav-key desktop-only">{project.key}</span>}
          </>
        }
        actions={
          <>
            {!isNarrow && star}
            {project && !project.paused && hasScope(me, 'admin') && (
              <IconButton
                icon="pause"
                label="Pause the project"
                className="desktop-only"
                onClick={() => toggle({ ...project, what: 'project' })}
              />
            )}
            <nav className="segmented" aria-label="View">
              {(project ? views : viewsOfAll).map(([each, name, icon]) => (
                <Link
                  key={each}
                  to={viewPath(project?.key, each)}
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
              <Button kind="primary" icon="plus" onClick={() => createTask(presetOf(project))} aria-label="New task">
                <span className="desktop-only">New task</span>
              </Button>
            )}
          </>
        }
        toolbar={
          <>
            {/* Beside the title, a phone has no room for it. */}
            {isNarrow && star}
            <TaskFilters project={project} view={view} input={filter} />
          </>
        }
      >
        <Tasks key={project?.id} project={project} view={view} component={component} filter={filter} />
        {dialog}
      </Page>
    </SelectionContext>
  )
}
