import type { ReactNode } from 'react'
import { formatQuery, parseQuery, useSetQuery } from '../../query'

interface TaskAnchorProps {
  id: string
  className: string
  tabIndex?: number
  children: ReactNode
}

/** Opens a task on the same page. Boards have hundreds of them, and the router's own links cost more to render. */
export const TaskAnchor = ({ id, children, ...rest }: TaskAnchorProps): ReactNode => {
  const setQuery = useSetQuery()
  return (
    <a
      href={location.pathname + formatQuery({ ...parseQuery(location.search), task: id })}
      draggable={false}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey) return
        event.preventDefault()
        setQuery({ task: id, edit: undefined })
      }}
      {...rest}
    >
      {children}
    </a>
  )
}
