import { useEffect, useState } from 'react'
import { useConsole } from '../../store/console'
import { useObservable } from '../../store/observable'
import { allProjects } from '../../store/tasks'

const refreshMs = 30_000
/** Pages of 1,000. */
const maxPages = 10

const none: ReadonlySet<string> = new Set()

/**
 * Tasks to do that the service does not hand out and that no one else is assigned to. Their cards tell most reasons, but
 * neither `notBefore` nor resources in use: what seems ready and is among these waits for one of them.
 */
export const useWaiting = (projectId: string, isAsked: boolean): ReadonlySet<string> => {
  const { client, me, generation } = useConsole()
  const missed = useObservable(generation)
  const [waiting, setWaiting] = useState(none)
  // biome-ignore lint/correctness/useExhaustiveDependencies: read again when changes were missed
  useEffect(() => {
    if (!isAsked) return
    const controller = new AbortController()
    const userId = me.get().user?.id
    const read = async (): Promise<void> => {
      const ids = new Set<string>()
      const of = projectId === allProjects ? {} : { projectId }
      const { signal } = controller
      let pages = 0
      for await (const { data } of client.tasks
        .cards({ ...of, status: 'todo', ready: false, limit: 1_000 }, { signal })
        .pages()) {
        for (const { id, assignee } of data) if (!assignee || assignee.id === userId) ids.add(id)
        if (++pages >= maxPages) break
      }
      setWaiting(ids)
    }
    const refresh = (): void => {
      if (document.visibilityState === 'visible') read().catch(() => undefined)
    }
    refresh()
    const timer = setInterval(refresh, refreshMs)
    return () => {
      clearInterval(timer)
      controller.abort()
    }
  }, [client, me, projectId, isAsked, missed])
  return isAsked ? waiting : none
}
