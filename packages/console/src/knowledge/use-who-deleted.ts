import { useConsole } from '../store/console'
import type { KnowledgeEvent } from '../store/knowledge'
import { useLoaded } from '../store/use-loaded'

/** Who took an item away: by the event, or else by the trash. */
export const useWhoDeleted = (
  key: string,
  projectId: string | null,
  end: KnowledgeEvent | undefined,
): string | undefined => {
  const { client } = useConsole()
  const { data } = useLoaded(
    async (signal) => {
      if (end) return end.actor.keyName
      const { data: entries } = await client.trash.list({ kind: 'knowledge', limit: 100 }, { signal })
      return entries.find((entry) => entry.knowledge === key && entry.projectId === projectId)?.deletedBy.keyName
    },
    [key, projectId, end],
  )
  return data
}
