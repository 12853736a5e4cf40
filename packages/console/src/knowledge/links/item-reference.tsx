import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { itemLink } from '../../item-link'
import type { LinkedItem } from '../../markdown/item-links'
import { useProjects } from '../../store/records'

/** A link in a text to an item, which may not exist. */
export const ItemReference = ({ item, children }: { item: LinkedItem; children: ReactNode }): ReactNode => {
  const projects = useProjects()
  const isMissing = item.exists === false
  return (
    <Link
      {...itemLink(item.key, projects.get(item.projectId ?? '')?.key)}
      className={isMissing ? 'missing-item' : undefined}
      title={isMissing ? `${item.key} does not exist` : item.key}
      activeProps={{}}
    >
      {children}
      {isMissing && <span className="visually-hidden"> (does not exist)</span>}
    </Link>
  )
}
