import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { hasScope } from '../api/permissions'
import { Icon } from '../components/icons'
import { useMe } from '../store/records'
import { Waiting } from './sidebar'

/** The most used pages within the thumb's reach, on a phone. */
export const TabBar = ({ projectKey, onMore }: { projectKey: string | undefined; onMore: () => void }): ReactNode => {
  const me = useMe()
  const active = { activeProps: { 'aria-current': 'page' } } as const
  return (
    <nav className="tabbar" aria-label="Pages">
      <Link to="/" activeOptions={{ exact: true, includeSearch: false }} {...active}>
        <Icon name="overview" size={18} />
        Overview
        <Waiting />
      </Link>
      {!hasScope(me, 'tasks:read') ? null : projectKey ? (
        <Link
          to="/p/$project/board"
          params={{ project: projectKey }}
          activeOptions={{ includeSearch: false }}
          {...active}
        >
          <Icon name="board" size={18} />
          Board
        </Link>
      ) : (
        <Link to="/projects" {...active}>
          <Icon name="project" size={18} />
          Projects
        </Link>
      )}
      {hasScope(me, 'knowledge:read') && (
        <Link to="/k" activeOptions={{ includeSearch: false }} {...active}>
          <Icon name="book" size={18} />
          Knowledge
        </Link>
      )}
      <Link to="/search" activeOptions={{ includeSearch: false }} {...active}>
        <Icon name="search" size={18} />
        Search
      </Link>
      <button type="button" onClick={onMore}>
        <Icon name="menu" size={18} />
        More
      </button>
    </nav>
  )
}
