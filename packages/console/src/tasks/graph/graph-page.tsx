import { type CSSProperties, type ReactNode, useEffectEvent, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { Button, IconButton } from '../../components/button'
import { countOf, numberText } from '../../components/count'
import { Icon, StatusIcon } from '../../components/icons'
import { Empty, Skeletons } from '../../components/states'
import { useNow } from '../../components/time'
import { useKeys } from '../../keyboard/use-keys'
import { useQuery, useSetQuery } from '../../query'
import { allProjects } from '../../store/cards/card-cache'
import { statusIn } from '../../store/cards/statuses'
import { isExhausted, isOpen, type TaskCard } from '../../store/cards/task-card'
import { useProjects } from '../../store/records'
import { isLive } from '../claim-mark'
import { useReadiness } from '../filters/use-readiness'
import { ProjectPage, type ViewProps } from '../views/project-page'
import { TaskAnchor } from '../views/task-anchor'
import { type Edge, nodeHeightPx, nodeWidthPx, type Placed, place } from './layout'
import { maxNodes, type TaskGraph, useGraph } from './use-graph'
import { useZoom } from './use-zoom'
import '../../styles/graph.css'

/** Below it, texts are too small to read, and colors tell the states. */
const readableZoom = 0.5

type State = 'ready' | 'working' | 'blocked' | 'waiting' | 'closed'

const stateNames: Record<State, string> = {
  ready: 'Ready',
  working: 'Being worked on',
  blocked: 'Blocked',
  waiting: 'Waiting',
  closed: 'Closed',
}

/** Why nobody is handed a task that nothing blocks. */
const reasonToWait = (card: TaskCard, maxAttempts: number): string => {
  if (card.openQuestions > 0) return 'Needs an answer'
  if (card.statusCategory === 'in_review') return 'In review'
  if (isExhausted(card, maxAttempts)) return 'Exhausted'
  return card.statusCategory === 'todo' && card.assignee ? 'Assigned' : stateNames.waiting
}

const useStateOf = (): ((card: TaskCard) => State) => {
  const nowMs = useNow()
  return (card) => {
    if (!isOpen(card.statusCategory)) return 'closed'
    if (isLive(card.claim, nowMs)) return 'working'
    if (card.openBlockers > 0) return 'blocked'
    return card.ready ? 'ready' : 'waiting'
  }
}

/** The task at the middle of the first layer. */
const firstOf = ({ nodes }: Pick<Placed, 'nodes'>): string | undefined => {
  const first = nodes.filter(({ layer }) => layer === 0).sort((a, b) => a.y - b.y)
  return first[Math.floor(first.length / 2)]?.id
}

/**
 * The neighbours of a task: what it waits for and what waits for it, else the nearest one on that side, and what is above
 * and below it.
 */
const neighboursOf = ({ nodes }: Placed, edges: readonly Edge[], id: string): Record<string, string | undefined> => {
  const byHeight = nodes.toSorted((a, b) => a.y - b.y)
  const here = nodes.find((node) => node.id === id)
  const column = byHeight.filter(({ layer }) => layer === here?.layer)
  const at = column.findIndex((node) => node.id === id)
  const nearest = (some: readonly Placed['nodes'][number][]): string | undefined =>
    some.toSorted((a, b) => Math.abs(a.y - (here?.y ?? 0)) - Math.abs(b.y - (here?.y ?? 0)))[0]?.id
  const beside = (linked: readonly string[], side: 1 | -1): string | undefined =>
    nearest(byHeight.filter((node) => linked.includes(node.id))) ??
    nearest(byHeight.filter(({ layer }) => layer === (here?.layer ?? 0) + side))
  return {
    ArrowLeft: beside(
      edges.filter(({ to }) => to === id).map(({ from }) => from),
      -1,
    ),
    ArrowRight: beside(
      edges.filter(({ from }) => from === id).map(({ to }) => to),
      1,
    ),
    ArrowUp: column[at - 1]?.id,
    ArrowDown: column[at + 1]?.id,
    Home: firstOf({ nodes }),
  }
}

const Picture = ({ graph: { cards, edges } }: { graph: TaskGraph }): ReactNode => {
  const projects = useProjects()
  const { task: openTask } = useQuery()
  const setQuery = useSetQuery()
  const stateOf = useStateOf()
  const scroll = useRef<HTMLDivElement>(null)
  // The picture changes with its structure, not with every card.
  const structure = JSON.stringify([cards.map(({ id }) => id), edges])
  const placed = useMemo(() => {
    const [ids, lines] = JSON.parse(structure) as [string[], Edge[]]
    return place(ids, lines)
  }, [structure])
  const [current, setCurrent] = useState<string | null>(openTask ?? null)
  const focusable = placed.nodes.some(({ id }) => id === current) ? current : firstOf(placed)
  const nodeOf = (id: string | null | undefined): HTMLElement | null | undefined =>
    id ? scroll.current?.querySelector<HTMLElement>(`[data-node="${CSS.escape(id)}"] a`) : null
  const { zoom, zoomIn, zoomOut, fit } = useZoom(scroll, placed, () => nodeOf(focusable))
  /** Begins where the work begins. */
  const scrollToStart = useEffectEvent((): void => {
    const node = placed.nodes.find(({ id }) => id === focusable)
    const element = scroll.current
    if (!node || !element) return
    element.scrollLeft = node.x * zoom - nodeWidthPx / 4
    element.scrollTop = node.y * zoom - element.clientHeight / 2
  })
  useLayoutEffect(() => scrollToStart(), [])
  const focus = (id: string): void => {
    setCurrent(id)
    const link = nodeOf(id)
    link?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
    if (openTask) setQuery({ task: id, edit: undefined }, { replace: true })
    else link?.focus({ preventScroll: true })
  }
  const move = (event: { key: string }): void => {
    const isInside = openTask || scroll.current?.contains(document.activeElement)
    const next = focusable && isInside ? neighboursOf(placed, edges, focusable)[event.key] : focusable
    if (next) focus(next)
  }
  useKeys({
    ArrowLeft: move,
    ArrowRight: move,
    ArrowUp: move,
    ArrowDown: move,
    Home: move,
    '+': () => zoomIn?.(),
    '-': () => zoomOut?.(),
    0: fit,
  })

  const cardOf = new Map(cards.map((card) => [card.id, card]))
  const links = (id: string, end: 'from' | 'to', other: 'from' | 'to', verb: string): string => {
    const ids = edges.filter((edge) => edge[end] === id).map((edge) => edge[other])
    return ids.length > 0 ? `, ${verb} ${ids.join(', ')}` : ''
  }
  return (
    <>
      <div className="graph" ref={scroll} tabIndex={-1}>
        <div style={{ width: placed.width * zoom, height: placed.height * zoom }}>
          <div
            className="graph-picture"
            data-far={zoom < readableZoom}
            style={
              {
                '--zoom': zoom,
                transform: `scale(${zoom})`,
                width: placed.width,
                height: placed.height,
              } as CSSProperties
            }
          >
            <svg width={placed.width} height={placed.height} aria-hidden="true">
              <defs>
                <marker
                  id="graph-arrow"
                  viewBox="0 0 8 8"
                  refX="7"
                  refY="4"
                  markerWidth="7"
                  markerHeight="7"
                  orient="auto"
                >
                  <path d="M0 0L8 4L0 8z" fill="context-stroke" />
                </marker>
              </defs>
              {placed.edges.map(({ from, to, path }) => (
                <path
                  key={`${from} ${to}`}
                  d={path}
                  markerEnd="url(#graph-arrow)"
                  data-current={from === current || to === current}
                />
              ))}
            </svg>
            <ul aria-label="Tasks in the order of work. Arrow keys follow what blocks what.">
              {placed.nodes.map(({ id, x, y }) => {
                const card = cardOf.get(id)
                if (!card) return null
                const state = stateOf(card)
                const project = projects.get(card.projectId)
                const { name } = statusIn(project, card.status, card.statusCategory)
                const text =
                  state === 'waiting' ? reasonToWait(card, project?.maxAttempts ?? Infinity) : stateNames[state]
                return (
                  <li
                    key={id}
                    className="graph-node"
                    data-node={id}
                    data-state={state}
                    data-open={id === openTask}
                    style={{ left: x, top: y, width: nodeWidthPx, height: nodeHeightPx }}
                    onFocus={() => setCurrent(id)}
                  >
                    <TaskAnchor id={id} className="graph-link" tabIndex={id === focusable ? 0 : -1}>
                      <span className="graph-node-head">
                        <StatusIcon status={card.statusCategory} size={12} />
                        <span className="card-id">{id}</span>
                        <span className="graph-state">{text}</span>
                      </span>
                      <span className="truncate">{card.title}</span>
                      <span className="visually-hidden">
                        {`, ${name}${links(id, 'to', 'from', 'blocked by')}${links(id, 'from', 'to', 'blocks')}`}
                      </span>
                    </TaskAnchor>
                  </li>
                )
              })}
            </ul>
          </div>
        </div>
      </div>
      <div className="graph-tools" role="toolbar" aria-label="Zoom">
        <button
          type="button"
          className="icon-button"
          aria-label="Zoom out"
          title="Zoom out"
          disabled={!zoomOut}
          onClick={zoomOut}
        >
          −
        </button>
        <span className="num">{Math.round(zoom * 100)}%</span>
        <IconButton icon="plus" label="Zoom in" disabled={!zoomIn} onClick={zoomIn} />
        <Button small onClick={fit}>
          Fit
        </Button>
      </div>
    </>
  )
}

/** How many there are of each state, in its color. */
const Legend = ({ cards }: { cards: readonly TaskCard[] }): ReactNode => {
  const stateOf = useStateOf()
  const states = cards.map(stateOf)
  return (
    <ul className="graph-legend" aria-label="States">
      {(Object.keys(stateNames) as State[])
        .map((state) => [state, states.filter((each) => each === state).length] as const)
        .filter(([, count]) => count > 0)
        .map(([state, count]) => (
          <li key={state} data-state={state}>
            {stateNames[state]} <span className="num">{numberText(count)}</span>
          </li>
        ))}
    </ul>
  )
}

const Dependencies = ({ cards, project }: ViewProps): ReactNode => {
  useReadiness(project?.id ?? allProjects, true)
  const { closed } = useQuery()
  const setQuery = useSetQuery()
  const withClosed = closed === '1'
  const graph = useGraph(cards, withClosed)
  const toggle = (
    <label className="check">
      <input
        type="checkbox"
        checked={withClosed}
        onChange={() => setQuery({ closed: withClosed ? undefined : '1' }, { replace: true })}
      />
      <span>Show closed tasks</span>
    </label>
  )
  if (graph === null) {
    return (
      <div className="page-content">
        <Skeletons />
      </div>
    )
  }
  if (typeof graph === 'number') {
    return (
      <Empty icon="graph" title={`${numberText(graph)} tasks are too many to draw`}>
        <p>Filter them to {numberText(maxNodes)} or fewer, such as by parent, label or state.</p>
        {withClosed && toggle}
      </Empty>
    )
  }
  if (graph.cards.length === 0) {
    return (
      <Empty icon="graph" title="Nothing is blocked">
        <p>Open a task and add what it is blocked by. The graph shows what comes first.</p>
        {toggle}
      </Empty>
    )
  }
  return (
    <div className="graph-view">
      <div className="graph-note">
        <Icon name="graph" size={14} />
        <span role="status">
          {countOf(graph.cards.length, 'task')}, {countOf(graph.edges.length, 'link')}.
          {graph.unlinked > 0 &&
            ` ${countOf(graph.unlinked, withClosed ? 'other task' : 'other open task')} without a link to these ${graph.unlinked === 1 ? 'is' : 'are'} not shown.`}
        </span>
        <Legend cards={graph.cards} />
        {toggle}
      </div>
      <Picture graph={graph} />
    </div>
  )
}

export const GraphPage = (): ReactNode => <ProjectPage view="graph" component={Dependencies} />
