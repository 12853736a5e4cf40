import { Link } from '@tanstack/react-router'
import { type ReactNode, useEffect, useState } from 'react'
import type { KnowledgeItem } from 'worklore-client'
import { hasScope } from '../../api/permissions'
import { Time } from '../../components/time'
import { placeOf } from '../../item-link'
import { ItemAnchor } from '../../lifecycle/item-anchor'
import { Related } from '../../lifecycle/related'
import { usePages } from '../../lifecycle/use-pages'
import { withTask } from '../../query'
import { useConsole } from '../../store/console'
import { useMe } from '../../store/records'

const settleMs = 1_000

/** Rises a moment after the last change of any item: each may link here, or be written by who relied on this one. */
const useKnowledgeChanges = (): number => {
  const { onEvent } = useConsole()
  const [changes, setChanges] = useState(0)
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const stop = onEvent(({ type }) => {
      if (!type.startsWith('knowledge.')) return
      clearTimeout(timer)
      timer = setTimeout(() => setChanges((value) => value + 1), settleMs)
    })
    return () => {
      stop()
      clearTimeout(timer)
    }
  }, [onEvent])
  return changes
}

const DependentLink = ({ task, itemKey, projectId }: { task?: string; itemKey: string; projectId: string | null }) =>
  task ? (
    <Link to="." search={withTask(task)} className="link" activeProps={{}}>
      {task}
    </Link>
  ) : (
    <ItemAnchor itemKey={itemKey} projectId={projectId} />
  )

/** What links to an item, and who relied on it. */
export const ItemRelations = ({ item }: { item: KnowledgeItem }): ReactNode => {
  const { client } = useConsole()
  const me = useMe()
  const { key, projectId } = item
  const changes = useKnowledgeChanges()
  const backlinks = usePages(
    (cursor, signal) => client.knowledge.links({ key, ...placeOf(item), direction: 'in', cursor }, { signal }),
    ['backlinks', key, projectId, changes],
  )
  const dependents = usePages(
    (cursor, signal) => client.knowledge.dependents(key, { ...placeOf(item), cursor }, { signal }),
    ['dependents', key, projectId, changes],
  )
  return (
    <>
      <Related title="Linked from" pages={backlinks} keyOf={(link) => `${link.projectId}:${link.key}`}>
        {(link) => (
          <ItemAnchor itemKey={link.key!} projectId={link.projectId}>
            {link.title ?? link.key}
          </ItemAnchor>
        )}
      </Related>
      <Related
        title="Relied on by"
        pages={dependents}
        keyOf={({ task, key: itemKey, projectId: place, version }) => `${task}:${place}:${itemKey}:${version}`}
      >
        {(dependent) => (
          <>
            {dependent.task && !hasScope(me, 'tasks:read') ? (
              dependent.task
            ) : (
              <DependentLink
                {...(dependent.task && { task: dependent.task })}
                itemKey={dependent.key ?? ''}
                projectId={dependent.projectId}
              />
            )}{' '}
            <span className="muted">
              v{dependent.version} · <Time at={dependent.at} />
            </span>
          </>
        )}
      </Related>
    </>
  )
}
