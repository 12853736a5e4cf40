import { type ReactNode, Suspense, useCallback, useEffect, useEffectEvent, useMemo, useRef, useState } from 'react'
import type { Project, TaskCounts } from 'worklore-client'
import { hasScope } from '../api/permissions'
import { loadPart, onDemand } from '../components/on-demand'
import { holdKeys } from '../keyboard/hold-keys'
import { useKeys } from '../keyboard/use-keys'
import { useShell } from '../layout/shell-context'
import { useQuery, useSetQuery } from '../query'
import { type ProjectStatus, statusesOf, statusIn } from '../store/cards/statuses'
import type { TaskCard } from '../store/cards/task-card'
import type { CardPatch } from '../store/cards/tasks'
import { useConsole } from '../store/console'
import { useMe, useProjects, useUsers } from '../store/records'
import { useLoaded } from '../store/use-loaded'
import type { Columns, Lane, Lanes } from '../tasks/filters/lanes'
import { isFiltered } from '../tasks/filters/matcher'
import { useKnownQuery } from '../tasks/filters/use-known-query'
import { useShown } from '../tasks/selection/selection'
import { useSelectionKeys } from '../tasks/selection/selection-area'
import { useRank } from '../tasks/use-rank'
import { useTaskActions } from '../tasks/use-task-actions'
import { BoardColumn } from '../tasks/views/board-column'
import { DraggingContext, useDragging } from '../tasks/views/dragging'
import { type DropPlace, isAt, rankOf } from '../tasks/views/drop-place'
import { ProjectPage, type ViewProps } from '../tasks/views/project-page'
import { useCurrentTask } from '../tasks/views/use-current-task'
import { useRanking } from '../tasks/views/use-ranking'
import '../styles/board.css'

const SwimLanes = onDemand(() => import('../tasks/views/swim-lanes'))

const isSame = (some: readonly TaskCard[], others: readonly TaskCard[]): boolean =>
  some.length === others.length && some.every((card, index) => card === others[index])

const statusOf = (project: Project | undefined, { status, statusCategory }: TaskCard): string =>
  statusIn(project, status, statusCategory).status

/** Columns in which nothing has changed stay the same arrays, so that they are not rendered again. */
const createColumns = () => {
  let last: Columns = new Map()
  return (project: Project | undefined, cards: readonly TaskCard[]): Columns => {
    const columns = new Map<string, TaskCard[]>(statusesOf(project).map(({ status }) => [status, []]))
    for (const card of cards) columns.get(statusOf(project, card))?.push(card)
    last = new Map(
      [...columns].map(([status, column]) => {
        const before = last.get(status)
        return [status, before && isSame(before, column) ? before : column]
      }),
    )
    return last
  }
}

const useColumns = (project: Project | undefined, cards: readonly TaskCard[]): Columns => {
  const [columnsOf] = useState(createColumns)
  return useMemo(() => columnsOf(project, cards), [columnsOf, project, cards])
}

/** The columns one by one as they change: all at once, a screen full of new cards would hold up the page. */
const useInTurn = (columns: Columns): Columns => {
  const [shown, setShown] = useState<Columns>(new Map())
  const behind = [...columns.keys()].find((status) => shown.get(status) !== columns.get(status))
  // A timer, because a hidden page gets no frames.
  useEffect(() => {
    if (!behind) return
    const timer = setTimeout(() => setShown(new Map(shown).set(behind, columns.get(behind)!)))
    return () => clearTimeout(timer)
  }, [behind, columns, shown])
  return shown
}

const noCards: readonly TaskCard[] = []

/** While cards are still being loaded, the service says how many there are; a filter counts what is here. */
const useCounts = (project: Project | undefined, isPartial: boolean): TaskCounts | null | undefined => {
  const { client } = useConsole()
  const query = useKnownQuery()
  const asks = isPartial && !isFiltered(query)
  const { data } = useLoaded(
    async (signal) => (asks ? client.tasks.counts(project ? { projectId: project.id } : {}, { signal }) : null),
    ['counts', project?.id, asks],
  )
  return asks ? data : null
}

interface DropTarget {
  status: string
  place: DropPlace | null
  /** Of the lane. */
  patch?: CardPatch
}

/** The value of a field by its name in a change. */
const valueIn = (card: TaskCard, name: string): unknown =>
  name === 'assigneeId' ? (card.assignee?.id ?? null) : card[name as keyof TaskCard]

interface Place {
  status: string
  index: number
}

/** The columns, in lanes if the address says so. */
const useLanes = (all: Columns): { by: Lanes; lanes: Lane[]; columns: Columns } | null => {
  const { tasks } = useConsole()
  const users = useUsers()
  const { lanes: wanted } = useQuery()
  const [loaded, setLoaded] = useState<typeof import('../tasks/filters/lanes') | null>(null)
  const isWanted = wanted !== undefined
  useEffect(() => {
    if (isWanted) loadPart(() => import('../tasks/filters/lanes')).then(setLoaded, () => undefined)
  }, [isWanted])
  return useMemo(() => {
    const by = loaded?.lanesIn({ lanes: wanted })
    if (!loaded || !by) return null
    const lanes = loaded.lanesOf(by, all, { tasks, users })
    return { by, lanes, columns: loaded.columnsOf(lanes, all.keys()) }
  }, [loaded, wanted, all, tasks, users])
}

const Board = ({ project, cards, isPartial }: ViewProps): ReactNode => {
  const { tasks } = useConsole()
  const projects = useProjects()
  const canWrite = hasScope(useMe(), 'tasks:write')
  const { task: openTask } = useQuery()
  const setQuery = useSetQuery()
  const { assign } = useShell()
  const { change, moveBy } = useTaskActions()
  const rank = useRank()
  const allColumns = useColumns(project, cards)
  const inLanes = useLanes(allColumns)
  const columns = inLanes?.columns ?? allColumns
  const shownColumns = useInTurn(allColumns)
  const statuses = statusesOf(project)
  const shown = statuses.filter(({ status, category }) => category !== 'cancelled' || columns.get(status)!.length > 0)
  const [selected, setSelected] = useCurrentTask()
  const last = useRef<Place>({ status: 'todo', index: 0 })
  useShown(useMemo(() => [...columns.values()].flatMap((column) => column.map(({ id }) => id)), [columns]))
  useSelectionKeys(selected)
  const maxAttemptsOf = useCallback(
    ({ projectId }: TaskCard): number => projects.get(projectId)?.maxAttempts ?? Infinity,
    [projects],
  )

  const placeOf = (id: string | null): Place | null => {
    const card = id ? tasks.card(id) : undefined
    const status = card && statusOf(project, card)
    const index = status ? columns.get(status)!.findIndex((each) => each.id === id) : -1
    return status && index >= 0 ? { status, index } : null
  }

  const select = (id: string | undefined): void => {
    if (!id) return
    setSelected(id)
    if (openTask) setQuery({ task: id, edit: undefined }, { replace: true })
  }

  const moveTo = (steps: number): void => {
    const place = placeOf(selected)
    if (!place) {
      const first =
        columns.get(last.current.status)?.[last.current.index] ??
        shown.map(({ status }) => columns.get(status)![0]).find((card) => card !== undefined)
      select(first?.id)
      return
    }
    const column = columns.get(place.status)!
    select(column[Math.max(0, Math.min(column.length - 1, place.index + steps))]?.id)
  }

  const moveAcross = (step: 1 | -1): void => {
    const place = placeOf(selected)
    if (!place) {
      moveTo(0)
      return
    }
    const from = shown.findIndex(({ status }) => status === place.status)
    for (let at = from + step; at >= 0 && at < shown.length; at += step) {
      const column = columns.get(shown[at]!.status)!
      if (column.length === 0) continue
      select(column[Math.min(column.length - 1, place.index)]?.id)
      return
    }
  }

  const edit = (id: string): void => {
    holdKeys()
    setQuery({ task: id, edit: '1' })
  }

  const place = placeOf(selected)
  useEffect(() => {
    if (place) last.current = place
  })

  const counts = useCounts(project, isPartial)
  /** The service counts by category. */
  const totalOf = ({ category }: ProjectStatus): number =>
    statuses.filter((other) => other.category === category).length > 1 ? 0 : (counts?.[category] ?? 0)
  const rankedAtMs = useRef(0)
  const idsIn = (status: string): string[] => (columns.get(status) ?? noCards).map(({ id }) => id)
  const ranking = useRanking(
    selected,
    () => (place ? idsIn(place.status) : []),
    () => {
      rankedAtMs.current = Date.now()
    },
  )
  const drop = useEffectEvent((id: string, { status, place: beside, patch }: DropTarget): void => {
    const from = placeOf(id)?.status
    const other = from === status ? undefined : status
    if (patch) {
      const card = tasks.card(id)
      const isThere =
        card && Object.entries(patch).every(([name, value]) => name === 'assignee' || valueIn(card, name) === value)
      if (!isThere || other) void change(id, { ...(!isThere && patch), ...(other && { status: other }) })
    } else if (!beside || !project) {
      if (other) void change(id, { status: other })
    } else if (other || !isAt(idsIn(status), id, beside)) void rank(id, rankOf(beside), other)
  })
  const dragging = useDragging()
  useEffect(
    () =>
      dragging?.monitorForElements({
        onDrop: ({ source, location }) => {
          const target = location.current.dropTargets[0]?.data as unknown as DropTarget | undefined
          const id = source.data.taskId as string | undefined
          if (target && id) drop(id, target)
        },
      }),
    [dragging],
  )

  useKeys({
    j: () => moveTo(1),
    k: () => moveTo(-1),
    ArrowDown: () => moveTo(1),
    ArrowUp: () => moveTo(-1),
    h: () => moveAcross(-1),
    l: () => moveAcross(1),
    ArrowLeft: () => moveAcross(-1),
    ArrowRight: () => moveAcross(1),
    ...(selected && selected !== openTask && { Enter: () => setQuery({ task: selected }) }),
    // An open task edits itself.
    ...(selected && canWrite && !openTask && { e: () => edit(selected) }),
    ...(selected && canWrite && !openTask && { a: () => assign(selected) }),
    ...(selected && canWrite && { '<': () => moveBy(selected, -1), '>': () => moveBy(selected, 1) }),
    ...(selected && canWrite && project && !inLanes && ranking),
  })

  if (inLanes) {
    return (
      <DraggingContext value={dragging}>
        <Suspense>
          <SwimLanes
            by={inLanes.by}
            lanes={inLanes.lanes}
            statuses={shown}
            columns={allColumns}
            selected={selected}
            openTask={openTask ?? null}
            canWrite={canWrite}
            maxAttemptsOf={maxAttemptsOf}
          />
        </Suspense>
      </DraggingContext>
    )
  }
  return (
    <DraggingContext value={dragging}>
      <div className="board" data-partial={isPartial} style={{ '--columns': shown.length } as React.CSSProperties}>
        {shown.map((each) => (
          <BoardColumn
            key={each.status}
            status={each}
            project={project}
            cards={shownColumns.get(each.status) ?? noCards}
            selected={selected}
            openTask={openTask ?? null}
            canWrite={canWrite}
            maxAttemptsOf={maxAttemptsOf}
            rankedAtMs={rankedAtMs}
            count={Math.max(columns.get(each.status)!.length, totalOf(each))}
          />
        ))}
      </div>
    </DraggingContext>
  )
}

export const BoardPage = (): ReactNode => <ProjectPage view="board" component={Board} />
