import type { Users } from '../../api/actor'
import type { Query } from '../../query'
import type { CardView } from '../../store/cards/card-cache'
import { priorities, priorityNames, type TaskCard } from '../../store/cards/task-card'
import type { CardPatch } from '../../store/cards/tasks'

export const laneNames = { assignee: 'Assignee', priority: 'Priority', parent: 'Parent' }

export type Lanes = keyof typeof laneNames

export const lanesIn = ({ lanes = '' }: Query): Lanes | null =>
  Object.hasOwn(laneNames, lanes) ? (lanes as Lanes) : null

/** Cards by status. */
export type Columns = ReadonlyMap<string, readonly TaskCard[]>

export interface Lane {
  /** As in the filter of the same name; `none` for tasks without one. */
  value: string
  name: string
  columns: Columns
  count: number
  /** What makes a task belong here. */
  patch: CardPatch
}

const none = 'none'

const laneOf: Record<Lanes, (card: TaskCard) => string> = {
  assignee: ({ assignee }) => assignee?.id ?? none,
  priority: ({ priority }) => priority,
  parent: ({ parentId }) => parentId ?? none,
}

/** Groups the columns of a board into lanes: priorities as they rank, others by name, and last what belongs to none. */
export const lanesOf = (
  by: Lanes,
  columns: Columns,
  { tasks, users }: { tasks: Pick<CardView, 'card'>; users: Users },
): Lane[] => {
  const found = new Map<string, Map<string, TaskCard[]>>()
  for (const [status, cards] of columns) {
    for (const card of cards) {
      const value = laneOf[by](card)
      const lane = found.get(value) ?? new Map<string, TaskCard[]>()
      found.set(value, lane)
      const cell = lane.get(status)
      if (cell) cell.push(card)
      else lane.set(status, [card])
    }
  }
  const described: Record<Lanes, (value: string) => Pick<Lane, 'name' | 'patch'>> = {
    assignee: (value) => {
      const name = users.get(value)?.name
      const assignee = name === undefined ? null : { id: value, name }
      return { name: name ?? 'Nobody', patch: { assigneeId: assignee?.id ?? null, assignee } }
    },
    priority: (value) => {
      const priority = value as TaskCard['priority']
      return { name: priorityNames[priority], patch: { priority } }
    },
    parent: (value) =>
      value === none
        ? { name: 'No parent', patch: { parentId: null } }
        : { name: `${value} ${tasks.card(value)?.title ?? ''}`.trim(), patch: { parentId: value } },
  }
  const placeOf = ({ value }: Lane): number =>
    by === 'priority' ? priorities.indexOf(value as TaskCard['priority']) : Number(value === none)
  return [...found]
    .map(([value, columns]) => ({
      value,
      columns,
      count: [...columns.values()].reduce((sum, cell) => sum + cell.length, 0),
      ...described[by](value),
    }))
    .sort((a, b) => placeOf(a) - placeOf(b) || a.name.localeCompare(b.name, 'en', { numeric: true }))
}

/** Cards that a lane shows of each status. */
export const maxInCell = 10

/** The columns as they are shown, lane after lane. */
export const columnsOf = (lanes: readonly Lane[], statuses: Iterable<string>): Columns =>
  new Map(
    [...statuses].map((status) => [
      status,
      lanes.flatMap(({ columns }) => columns.get(status)?.slice(0, maxInCell) ?? []),
    ]),
  )
