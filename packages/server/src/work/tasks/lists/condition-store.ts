import type { Dialect } from '../../../db/dialect.js'
import type { Value } from '../../../db/port.js'

/** A parameter; a list is one parameter. */
export type Param = Value | readonly (string | number)[]

/** A condition on a task `t`, or on an entry `l` of its labels. */
export interface Condition {
  /** Conditions with the same name have the same text. */
  name: string
  text(dialect: Dialect): string
  params: readonly Param[]
}

const isList = (param: Param): param is readonly (string | number)[] => Array.isArray(param)

/** Returns the parameters of conditions as values for the database. */
export const valuesOf = ({ listOf }: Dialect, conditions: readonly Pick<Condition, 'params'>[]): Value[] =>
  conditions.flatMap(({ params }) => params.map((param) => (isList(param) ? listOf(param) : param)))

export const allOf = (dialect: Dialect, conditions: readonly Condition[]): string =>
  conditions.map(({ text }) => text(dialect)).join(' and ')

/** Beyond every time, so that tasks without a due date come last in either direction. */
const never = 9007199254740991
export const dueOrNever = `coalesce(t.due_at, ${never})`
export const dueOrPast = `coalesce(t.due_at, -${never})`

/** The assignee ID that filters use for tasks without an assignee. */
export const noOne = 'none'

export const compared = (column: string, operator: '=' | '<' | '>', value: Value): Condition => ({
  name: `${column}${operator}`,
  text: () => `${column} ${operator} ?`,
  params: [value],
})

export const isAmong = (column: string, values: readonly string[]): Condition => ({
  name: `${column} among`,
  text: (dialect) => dialect.isAmong(column, 'text'),
  params: [values],
})

/** A condition without parameters, whose text is its name. */
export const fixed = (text: string): Condition => ({ name: text, text: () => text, params: [] })

export const isAssignedTo = (column: string, id: string): Condition =>
  id === noOne ? fixed(`${column} is null`) : compared(column, '=', id)

/**
 * Finds the entry of a label by its whole key. Without the limit, SQLite turns this into a join and counts a task with
 * two of the labels twice towards an offset. Without the offset, PostgreSQL turns it into a join and, without
 * statistics, reads all entries of the labels for each task.
 */
export const hasOneOfLabels = (labels: readonly string[]): Condition => ({
  name: 'labels',
  text: (dialect) =>
    `exists (select 1 from task_labels x where x.tenant_id = :tenant and ${dialect.isAmong('x.label', 'text')}
      and x.created_at = t.created_at and x.project_id = t.project_id and x.number = t.number limit 1 offset 0)`,
  params: [labels],
})
