import type { ReactNode } from 'react'
import { Icon } from '../../components/icons'
import { useQuery, useSetQuery } from '../../query'
import type { Sort } from '../../store/cards/task-card'
import { type Column, columnNames } from '../filters/columns'

const sortOf: Partial<Record<Column, Sort>> = {
  attempts: 'attempts',
  due: 'dueDate',
  age: 'createdAt',
  assignee: 'assignee',
  updated: 'updatedAt',
}

/** The names of the columns; pressing one sorts by it, pressing it again the other way. */
export const ListHead = ({ columns }: { columns: readonly Column[] }): ReactNode => {
  const { sort } = useQuery()
  const setQuery = useSetQuery()
  return (
    <div className="list-head">
      <span className="list-head-title" />
      <div className="row-columns">
        {columns.map((column) => {
          const by = sortOf[column]
          const className = `row-column ${column}`
          if (!by) {
            return (
              <span key={column} className={className}>
                {columnNames[column]}
              </span>
            )
          }
          return (
            <button
              key={column}
              type="button"
              className={className}
              aria-label={`Sort by ${columnNames[column].toLowerCase()}`}
              title={`Sort by ${columnNames[column].toLowerCase()}`}
              aria-pressed={sort === by || sort === `-${by}`}
              onClick={() => setQuery({ sort: sort === by ? `-${by}` : by }, { replace: true })}
            >
              {column === 'assignee' ? <Icon name="user" size={12} /> : columnNames[column]}
            </button>
          )
        })}
      </div>
      <span className="row-status" />
    </div>
  )
}
