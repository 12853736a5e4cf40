import type { ReactNode } from 'react'
import { formatQuery, parseQuery, useSetQuery } from '../../query'

interface TaskAnchorProps {
  id: string
  className: string
  tabIndex?: number
  children: ReactNode
}

let hrefStart: string | undefined

/** Most are rendered together, for the same address. */
const hrefOf = (id: string): string => {
  if (hrefStart === undefined) {
    const { pathname, search } = location
    const start = pathname + formatQuery({ ...parseQuery(search), task: undefined })
    hrefStart = `${start}${start.includes('?') ? '&' : '?'}task=`
    queueMicrotask(() => {
      hrefStart = undefined
    })
  }
  return hrefStart + encodeURIComponent(id)
}

/** Opens a task on the same page. Boards have hundreds of them, and the router's own links cost more to render. */
export const TaskAnchor = ({ id, children, ...rest }: TaskAnchorProps): ReactNode => {
  const setQuery = useSetQuery()
  return (
    <a
      href={hrefOf(id)}
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
