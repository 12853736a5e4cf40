import { actorOf } from '../../../api/actor'
import { useConsole } from '../../../store/console'
import { useUsers } from '../../../store/records'
import { useLoaded } from '../../../store/use-loaded'

/** Who changed a field of a task last; asked for only when there is a version to ask about. */
export const useWhoChanged = (taskId: string, field: string, version: number | undefined): string => {
  const { client } = useConsole()
  const users = useUsers()
  const { data } = useLoaded(
    async (signal) => {
      if (version === undefined) return undefined
      const { data: entries } = await client.tasks.history(taskId, { limit: 50 }, { signal })
      const last = entries.find(({ changes }) => field in changes)
      return last && actorOf(users, last.actor).name
    },
    ['who changed', taskId, field, version],
  )
  return data ?? 'Someone else'
}
