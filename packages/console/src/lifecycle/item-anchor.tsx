import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { itemLink } from '../item-link'
import { useProjects } from '../store/records'

interface ItemAnchorProps {
  itemKey: string
  projectId: string | null
  children?: ReactNode
}

/** A link to an item, by its key unless told otherwise. */
export const ItemAnchor = ({ itemKey, projectId, children }: ItemAnchorProps): ReactNode => {
  const projects = useProjects()
  return (
    <Link {...itemLink(itemKey, projects.get(projectId ?? '')?.key)} className="link item-anchor" activeProps={{}}>
      {children ?? itemKey}
    </Link>
  )
}
