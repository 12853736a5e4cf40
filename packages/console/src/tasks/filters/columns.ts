import { listOf, type Query } from '../../query'

/** Columns of a list beside the title. */
export const columnNames = {
  labels: 'Labels',
  facts: 'Facts',
  project: 'Project',
  parent: 'Parent',
  holder: 'Holder',
  worker: 'Worker',
  attempts: 'Attempts',
  due: 'Due date',
  age: 'Age',
  assignee: 'Assignee',
  updated: 'Updated',
}

export type Column = keyof typeof columnNames

export const defaultColumns: readonly Column[] = ['labels', 'facts', 'holder', 'age', 'assignee']

export const columnsIn = ({ columns }: Query): readonly Column[] =>
  columns === undefined
    ? defaultColumns
    : listOf(columns).filter((name): name is Column => Object.hasOwn(columnNames, name))
