import type { Value } from '../db/port.js'
import { placeholders } from '../paging.js'
import type { TaskFilters } from './filters.js'
import type { Sort } from './schema.js'

/** What a list goes through, in which order, and what must hold for an entry of it. */
export interface Walk {
  /** The table that is walked; enough to count. */
  entries: string
  /** The same with the task `t` of each entry. */
  tasks: string
  where: Condition
  sortValue: string
  projectId: string
  number: string
  direction: 'asc' | 'desc'
}

interface Condition {
  text: string
  params: Value[]
}

/** Beyond every time, so that tasks without a due date come last in either direction. */
const never = 9007199254740991
const dueOrNever = `coalesce(t.due_at, ${never})`
const dueOrPast = `coalesce(t.due_at, -${never})`

const columnOfSort: Record<Sort, string> = {
  createdAt: 't.created_at',
  '-createdAt': 't.created_at',
  updatedAt: 't.updated_at',
  '-updatedAt': 't.updated_at',
  priority: 't.priority',
  '-priority': 't.priority',
  dueDate: dueOrNever,
  '-dueDate': dueOrPast,
}

const anyOf = (column: string, values: readonly (string | number)[]): Condition =>
  values.length === 1
    ? { text: `${column} = ?`, params: [values[0]!] }
    : { text: `${column} in (${placeholders(values)})`, params: [...values] }

const assignedTo = (column: string, ids: readonly string[]): Condition => {
  const users = ids.filter((id) => id !== 'none')
  if (users.length === ids.length) return anyOf(column, users)
  if (users.length === 0) return { text: `${column} is null`, params: [] }
  const named = anyOf(column, users)
  return { text: `(${column} is null or ${named.text})`, params: named.params }
}

/**
 * Of a task: an entry of the label is found by its whole key. Without the limit this SQLite makes a join of it and then
 * counts a task that holds two of the labels twice towards an offset.
 */
const labelled = (labels: readonly string[]): Condition => {
  const named = anyOf('l.label', labels)
  return {
    text: `exists (select 1 from task_labels l where l.tenant_id = t.tenant_id and ${named.text}
      and l.created_at = t.created_at and l.project_id = t.project_id and l.number = t.number limit 1)`,
    params: named.params,
  }
}

/** What only the task itself can tell. */
const ofTaskAlone = (filters: TaskFilters, order: string): Condition[] => {
  const conditions: Condition[] = []
  const add = (text: string, value: number): void => void conditions.push({ text, params: [value] })
  if (filters.statuses) conditions.push(anyOf('t.status', filters.statuses))
  // The sign keeps an index by priority from being taken for a list in another order: a quarter of all tasks would be
  // sorted to show fifty.
  const sign = order === 't.priority' ? '' : '+'
  if (filters.priorities) conditions.push(anyOf(`${sign}t.priority`, filters.priorities))
  if (filters.dueBeforeMs !== undefined) add(`${dueOrNever} < ?`, filters.dueBeforeMs)
  if (filters.dueAfterMs !== undefined) add(`${dueOrPast} > ?`, filters.dueAfterMs)
  if (filters.updatedAfterMs !== undefined) add('t.updated_at > ?', filters.updatedAfterMs)
  return conditions
}

const allOf = (conditions: readonly Condition[]): Condition => ({
  text: conditions.map(({ text }) => text).join(' and '),
  params: conditions.flatMap(({ params }) => params),
})

/**
 * The entries of a label stand in the order of creation and carry their task's assignee, so a list by one label goes
 * through them; every other list goes through the tasks.
 */
export const walkOver = (tenantId: string, filters: TaskFilters, sort: Sort): Walk => {
  const isByLabel = filters.labels?.length === 1 && columnOfSort[sort] === 't.created_at'
  const w = isByLabel ? 'l' : 't'
  const taskConditions = ofTaskAlone(filters, columnOfSort[sort])
  const conditions: Condition[] = [{ text: `${w}.tenant_id = ?`, params: [tenantId] }]
  if (isByLabel) conditions.push(anyOf('l.label', filters.labels!))
  if (filters.projectIds) conditions.push(anyOf(`${w}.project_id`, filters.projectIds))
  if (filters.assigneeIds) conditions.push(assignedTo(`${w}.assignee_id`, filters.assigneeIds))
  conditions.push(...taskConditions)
  if (filters.labels && !isByLabel) conditions.push(labelled(filters.labels))

  const tasksOfLabel = 'task_labels l join tasks t on t.tenant_id = l.tenant_id and t.id = l.task_id'
  const tasks = isByLabel ? tasksOfLabel : 'tasks t'
  return {
    entries: isByLabel && taskConditions.length === 0 ? 'task_labels l' : tasks,
    tasks,
    where: allOf(conditions),
    sortValue: isByLabel ? 'l.created_at' : columnOfSort[sort],
    projectId: `${w}.project_id`,
    number: `${w}.number`,
    direction: sort.startsWith('-') ? 'desc' : 'asc',
  }
}
