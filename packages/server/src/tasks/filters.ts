import { type Awaitable, andThen, forEachInTurn } from '../awaitable.js'
import type { Call } from '../call.js'
import { parseMoment } from '../dates.js'
import { type ErrorDetail, invalid } from '../errors.js'
import { projectIdNamed } from '../projects/service.js'
import type { TaskSearchFilters } from '../search/protocol.js'
import { priorities, statuses, type TaskListQuery } from './schema.js'

type FilterQuery = Pick<
  TaskListQuery,
  'projectId' | 'status' | 'assignee' | 'priority' | 'label' | 'dueBefore' | 'dueAfter' | 'updatedAfter'
>

/** The filters of a list or a search, checked and resolved. */
export type TaskFilters = TaskSearchFilters

const maxValues = 50

/** In one order, so that a cursor serves whoever names the same values in another. */
const valuesOf = (path: string, text: string, problems: ErrorDetail[]): string[] => {
  const values = [...new Set(text.split(',').map((value) => value.trim()))].sort()
  if (values.includes('')) problems.push({ path, message: 'has an empty value between its commas' })
  if (values.length > maxValues) problems.push({ path, message: `takes at most ${maxValues} values` })
  return values
}

const knownValues = (path: string, text: string, known: readonly string[], problems: ErrorDetail[]): string[] => {
  const values = valuesOf(path, text, problems)
  const unknown = values.filter((value) => value !== '' && !known.includes(value))
  if (unknown.length > 0) {
    problems.push({ path, message: `has an unknown value "${unknown[0]}"; known are ${known.join(', ')}` })
  }
  return values
}

const momentOf = (path: string, text: string, problems: ErrorDetail[]): number => {
  const moment = parseMoment(text)
  if (!moment) problems.push({ path, message: 'must be a real date (2026-01-31) or a timestamp with its zone' })
  return moment?.ms ?? 0
}

const resolveProjects = (
  call: Call,
  query: FilterQuery,
  problems: ErrorDetail[],
): Awaitable<readonly string[] | null> => {
  if (query.projectId === undefined) return call.actor.projectIds
  const refs = valuesOf('projectId', query.projectId, problems)
  if (problems.length > 0) throw invalid(...problems)
  return forEachInTurn(refs, (ref) => projectIdNamed(call, ref))
}

export const resolveFilters = (call: Call, query: FilterQuery): Awaitable<TaskFilters> => {
  const problems: ErrorDetail[] = []
  const filters: TaskFilters = { projectIds: null }
  if (query.status !== undefined) filters.statuses = knownValues('status', query.status, statuses, problems)
  if (query.priority !== undefined) {
    const names = knownValues('priority', query.priority, priorities, problems)
    filters.priorities = names.map((name) => (priorities as readonly string[]).indexOf(name))
  }
  if (query.assignee !== undefined) filters.assigneeIds = valuesOf('assignee', query.assignee, problems)
  if (query.label !== undefined) filters.labels = valuesOf('label', query.label, problems)
  if (query.dueBefore !== undefined) filters.dueBeforeMs = momentOf('dueBefore', query.dueBefore, problems)
  if (query.dueAfter !== undefined) filters.dueAfterMs = momentOf('dueAfter', query.dueAfter, problems)
  if (query.updatedAfter !== undefined) filters.updatedAfterMs = momentOf('updatedAfter', query.updatedAfter, problems)
  if (problems.length > 0) throw invalid(...problems)
  return andThen(resolveProjects(call, query, problems), (projectIds) => ({ ...filters, projectIds }))
}
