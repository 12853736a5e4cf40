import type { ReactNode } from 'react'
import type { KnowledgeItem } from 'worklore-client'
import { actorOf } from '../api/actor'
import { CopyButton } from '../components/states'
import { Time, useNow } from '../components/time'
import { Badges } from '../lifecycle/badges'
import { stateOf } from '../lifecycle/state'
import { useProjects, useUsers } from '../store/records'

interface ItemHeadProps {
  item: KnowledgeItem
  /** Buttons beside the title. */
  children: ReactNode
}

export const ItemHead = ({ item, children }: ItemHeadProps): ReactNode => {
  const projects = useProjects()
  const users = useUsers()
  const state = stateOf(item, useNow())
  const { title, trust, stale } = item
  const project = projects.get(item.projectId ?? '')
  const segments = item.key.split('/')
  // The title takes the place of the last one.
  const path = title === null ? segments.slice(0, -1) : segments
  return (
    <header className="item-head">
      <div className="item-path">
        <span className="muted truncate">
          {project?.name ?? 'Shared'}
          {path.map((segment) => ` / ${segment}`)}
        </span>
        <CopyButton
          text={location.origin + location.pathname + (project ? `?project=${project.key}` : '')}
          label="Copy the link"
        />
      </div>
      <div className="item-title-row">
        <h2 className="item-title">{title ?? segments.at(-1)}</h2>
        {children}
      </div>
      <p className="item-meta muted">
        v{item.version} · {actorOf(users, item.updatedBy).name} · <Time at={item.updatedAt} />{' '}
        <Badges state={state} trust={trust} isStale={stale.length > 0} />
      </p>
    </header>
  )
}
