import { type ReactNode, useEffect } from 'react'
import type { Task } from 'worklore-client'
import { numberText } from '../../components/count'
import { Pending } from '../../lifecycle/related'
import { useConsole } from '../../store/console'
import { useCardView } from '../../store/records'
import { useLoaded } from '../../store/use-loaded'
import { TaskLink } from './links'

const maxShown = 100

/** The tasks that wait for this one. */
export const Blocked = ({ taskId }: { taskId: string }): ReactNode => {
  const { client, tasks, onEvent } = useConsole()
  const { card } = useCardView()
  const { data, error, reload } = useLoaded(
    async (signal) => {
      const { data: cards, pagination } = await client.tasks.cards({ blockedBy: taskId, limit: maxShown }, { signal })
      tasks.add(cards)
      return { ids: cards.map(({ id }) => id), hasMore: pagination.hasMore }
    },
    ['blocked', taskId],
  )
  useEffect(
    () =>
      onEvent(({ type, data, previous }) => {
        if (!type.startsWith('task.')) return
        const blockers = [data, previous].flatMap((record) => (record as Partial<Task> | null)?.blockedBy ?? [])
        if (blockers.includes(taskId)) reload()
      }),
    [onEvent, reload, taskId],
  )
  if (!data && error === undefined) return <Pending />
  if (!data || data.ids.length === 0) return null
  return (
    <section className="links" aria-label="Blocks">
      <div className="links-head">
        <h3>Blocks</h3>
        <span className="muted num">
          {numberText(data.ids.length)}
          {data.hasMore && ' and more'}
        </span>
      </div>
      <ul className="linked-tasks">
        {data.ids.map((id) => (
          <TaskLink key={id} id={id} card={card(id)} />
        ))}
      </ul>
    </section>
  )
}
