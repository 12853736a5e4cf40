import { useEffect } from 'react'
import { useConsole } from '../store/console'
import { useObservable } from '../store/observable'
import type { TaskCard } from '../store/task-card'

/** Reads the cards that are not known yet. */
export const useCards = (ids: readonly string[]): (TaskCard | undefined)[] => {
  const { client, tasks } = useConsole()
  useObservable(tasks.revision)
  const missing = ids.filter((id) => !tasks.card(id)).join()
  useEffect(() => {
    for (const id of missing ? missing.split(',') : []) {
      client.tasks.get(id).then(
        (task) => tasks.add([task]),
        () => undefined,
      )
    }
  }, [client, tasks, missing])
  return ids.map((id) => tasks.card(id))
}
