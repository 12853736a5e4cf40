import { Link, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useEffect } from 'react'
import { actorOf } from '../api/actor'
import { Empty } from '../components/states'
import { Time } from '../components/time'
import { type ItemAddress, itemLink } from '../item-link'
import { useConsole } from '../store/console'
import type { KnowledgeEvent } from '../store/knowledge'
import { useProjects, useUsers } from '../store/records'

/** An item that was deleted or moved while it was open. */
export const GoneItem = ({ end }: { end: KnowledgeEvent }): ReactNode => {
  const projects = useProjects()
  const users = useUsers()
  return end.type === 'knowledge.moved' ? (
    <Empty icon="document" title="This item was moved">
      <Link {...itemLink(end.data.key, projects.get(end.data.projectId ?? '')?.key)} className="link">
        {end.data.key}
      </Link>
    </Empty>
  ) : (
    <Empty icon="trash" title="This item was deleted">
      <p>
        By {actorOf(users, end.actor).name}, <Time at={end.timestamp} />. It can be restored from the trash.
      </p>
    </Empty>
  )
}

/** Leads from an old key to where the item is now. */
export const MovedItem = ({ from, to }: { from: string; to: ItemAddress }): ReactNode => {
  const { toasts } = useConsole()
  const projects = useProjects()
  const navigate = useNavigate()
  useEffect(() => {
    toasts.info(`${from} was moved to ${to.key}`)
    void navigate({ ...itemLink(to.key, projects.get(to.projectId ?? '')?.key), replace: true } as never)
  }, [from, to, navigate, projects, toasts])
  return null
}
