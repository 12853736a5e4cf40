import type { ReactNode } from 'react'
import type { Task } from 'worklore-client'
import { Time } from '../../components/time'
import { Badges } from '../../lifecycle/badges'
import { ItemAnchor } from '../../lifecycle/item-anchor'
import { Related } from '../../lifecycle/related'
import { usePages } from '../../lifecycle/use-pages'
import { useConsole } from '../../store/console'

/** What the task relied on. */
export const Basis = ({ task }: { task: Task }): ReactNode => {
  const { client } = useConsole()
  const pages = usePages(
    (cursor, signal) => client.tasks.basis(task.id, { cursor }, { signal }),
    ['basis', task.id, task.version, task.stale.length],
  )
  return (
    <Related title="Relied on" pages={pages} keyOf={({ key, projectId, version }) => `${projectId}:${key}:${version}`}>
      {({ key, projectId, version, at, state }) => (
        <>
          <ItemAnchor itemKey={key} projectId={projectId} />{' '}
          <span className="muted">
            v{version} · <Time at={at} />
          </span>{' '}
          {state === 'deleted' ? (
            <span className="badge state-badge red">deleted</span>
          ) : (
            <Badges state={state} trust="unreviewed" />
          )}
        </>
      )}
    </Related>
  )
}
