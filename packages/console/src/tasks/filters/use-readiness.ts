import { useEffect } from 'react'
import { allProjects } from '../../store/cards/card-cache'
import type { TaskEvent } from '../../store/cards/task-card'
import { useConsole } from '../../store/console'
import { isBelow } from './matcher'

/** Readiness also changes without an event: a start time comes, or a resource becomes free. */
const refreshMs = 30_000
/** Pages of 1,000. */
const maxPages = 10

/** Keeps current which tasks of a project are ready, while it is shown. Events do not contain it. */
export const useReadiness = (projectId: string, isShown: boolean): void => {
  const { client, tasks, onEvent, onResync } = useConsole()
  useEffect(() => {
    if (!isShown) return
    const controller = new AbortController()
    const read = async (): Promise<void> => {
      const of = projectId === allProjects ? {} : { projectId }
      const { signal } = controller
      let pages = 0
      for await (const { data } of client.tasks.cards({ ...of, status: 'todo', limit: 1_000 }, { signal }).pages()) {
        tasks.add(data)
        if (++pages >= maxPages) break
      }
    }
    const refresh = (): void => {
      if (document.visibilityState === 'visible') read().catch(() => undefined)
    }
    refresh()
    const timer = setInterval(refresh, refreshMs)
    const stopResync = onResync(refresh)
    const stop = onEvent(({ type, data, previous }) => {
      if (!type.startsWith('task.') || type === 'task.deleted') return
      const { id } = data as TaskEvent['data']
      const parentIds = [tasks.card(id)?.parentId, (previous as { parentId?: string | null } | null)?.parentId]
      for (const each of [id, ...parentIds]) if (each && tasks.card(each)?.statusCategory === 'todo') tasks.reread(each)
      if (type !== 'task.unblocked') return
      for (const card of tasks.cards()) if (isBelow(tasks, card, id)) tasks.reread(card.id)
    })
    return () => {
      clearInterval(timer)
      controller.abort()
      stopResync()
      stop()
    }
  }, [client, tasks, onEvent, onResync, projectId, isShown])
}
