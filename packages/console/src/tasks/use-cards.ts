import { useEffect } from 'react'
import type { TaskCard } from '../store/cards/task-card'
import { useConsole } from '../store/console'
import { useCardView } from '../store/records'

/** Reads the cards that are not known yet. */
export const useCards = (ids: readonly string[]): (TaskCard | undefined)[] => {
  const { client, tasks } = useConsole()
  const { card } = useCardView()
  const missing = ids.filter((id) => !card(id)).join()
  useEffect(() => {
    for (const id of missing ? missing.split(',') : []) {
      client.tasks.get(id).then(
        (task) => tasks.add([task]),
        () => undefined,
      )
    }
  }, [client, tasks, missing])
  return ids.map((id) => card(id))
}
