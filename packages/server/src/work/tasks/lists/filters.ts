import { type Static, type TOptional, type TSchema, Type } from 'typebox'
import type { IndexFilter } from 'worklore-search'
import { type Awaitable, andThen, forEachInTurn, isPromise } from '../../../base/awaitable.js'
import { AppError, invalid } from '../../../base/errors.js'
import type { ProjectSet } from '../../../base/project-set.js'
import { writableProjects } from '../../../operations/actor.js'
import type { Call } from '../../../operations/call.js'
import type { Asker } from '../queue/readiness-store.js'
import { areResourcesReserved } from '../resources/store.js'
import type { SearchedTask } from '../search/search-store.js'
import { type TaskFilter, taskFilters } from './filter-store.js'

type Table = typeof taskFilters
export type FilterName = keyof Table

export const filterTable: Readonly<Record<FilterName, TaskFilter<TSchema, unknown>>> = taskFilters
const names = Object.keys(filterTable) as FilterName[]

/** The query parameters of all filters. */
export const filterSchemas = Object.fromEntries(
  names.map((name) => [name, Type.Optional(filterTable[name].schema)]),
) as {
  [Name in FilterName]: TOptional<Table[Name]['schema']>
}

const TaskFilterInput = Type.Object(filterSchemas)
export type TaskFilterInput = Static<typeof TaskFilterInput>

/** The resolved values of filters, which conditions compare with. A list matches any of its values. */
export type FilterValues = {
  [Name in FilterName]?: Exclude<Awaited<ReturnType<Table[Name]['read']>>, undefined>
}

/** The filters of a list or a search, resolved for one caller at one time. */
export type TaskFilters = FilterValues & { asker: Asker }

/** Whether the tasks that an input selects change only with commits of their tenant. */
export const isTimeIndependent = (input: TaskFilterInput): boolean =>
  names.every((name) => input[name] === undefined || !filterTable[name].changesWithoutCommit)

/** Whether the hits of a search must be checked in the store. */
export const needsStore = (filters: FilterValues): boolean =>
  names.some((name) => filters[name] !== undefined && filterTable[name].search === 'store')

/** Returns the facets under which a search index finds a task. */
export const facetsOf = (task: SearchedTask, labels: readonly string[]): string[] =>
  names.flatMap((name) => {
    const { search } = filterTable[name]
    return search === 'store' ? [] : (search.facets?.(task, labels) ?? [])
  })

/** Returns the filters that a search index applies. */
export const indexFilter = (filters: FilterValues): IndexFilter => {
  const wanted = names.flatMap((name) => {
    const { search } = filterTable[name]
    return filters[name] === undefined || search === 'store' ? [] : [search.wanted(filters[name])]
  })
  return Object.assign({}, ...wanted, { facets: wanted.flatMap(({ facets = [] }) => facets) })
}

/** Reads all parameters, even if some are invalid, so that all problems are reported together. */
const readAll = (call: Call, input: TaskFilterInput): Awaitable<{ values: FilterValues; errors: unknown[] }> => {
  const values: Partial<Record<FilterName, unknown>> = {}
  const errors: unknown[] = []
  const readOne = (name: FilterName): Awaitable<void> => {
    const keep = (value: unknown): void => {
      values[name] = value
    }
    const note = (error: unknown): void => void errors.push(error)
    try {
      const value = filterTable[name].read(input[name], call)
      return isPromise(value) ? value.then(keep, note) : keep(value)
    } catch (error) {
      return note(error)
    }
  }
  const given = names.filter((name) => input[name] !== undefined)
  return andThen(forEachInTurn(given, readOne), () => ({ values: values as FilterValues, errors }))
}

/** Combines several errors into one. Validation errors come first and are reported together. */
const combined = (errors: readonly unknown[]): unknown => {
  const isInvalid = (error: unknown): error is AppError =>
    error instanceof AppError && error.code === 'VALIDATION_ERROR'
  const problems = errors.filter(isInvalid)
  return problems.length > 1
    ? invalid(...problems.flatMap(({ params }) => params.details ?? []))
    : (problems[0] ?? errors[0])
}

/** Viewers of a project can neither claim its tasks nor decide their checks. */
const projectsOf = (
  { actor }: Call,
  { ready, canVerify }: TaskFilterInput,
  named: ProjectSet | undefined,
): ProjectSet => {
  const projectIds = named ?? actor.projectIds
  return ready || canVerify ? writableProjects({ ...actor, projectIds }) : projectIds
}

const askerOf = ({ db, actor, clock }: Call, needsReservations: boolean): Awaitable<Asker> => {
  const { userId, viewedProjectIds = [] } = actor
  const asker = { userId, viewedProjectIds, atMs: clock(), areResourcesReserved: false }
  if (!needsReservations) return asker
  return andThen(areResourcesReserved(db, actor.tenantId), (areResourcesReserved) => ({
    ...asker,
    areResourcesReserved,
  }))
}

export const resolveFilters = (call: Call, input: TaskFilterInput, showsReadiness = false): Awaitable<TaskFilters> =>
  andThen(readAll(call, input), ({ values, errors }) => {
    if (errors.length > 0) throw combined(errors)
    const projectId = projectsOf(call, input, values.projectId)
    return andThen(askerOf(call, showsReadiness || input.ready !== undefined), (asker) => ({
      ...values,
      ...(projectId !== null && { projectId }),
      asker,
    }))
  })
