import { useCallback } from 'react'
import type { TrashEntry } from 'worklore-client'
import { errorText } from '../api/error-text'
import { useConsole } from '../store/console'

/** Takes something that was just deleted out of the trash. */
export const useRestore = () => {
  const { client, toasts } = useConsole()
  return useCallback(
    async (kind: TrashEntry['kind'], name: string, isIt: (entry: TrashEntry) => boolean): Promise<void> => {
      try {
        const { data } = await client.trash.list({ kind, limit: 100 })
        const entry = data.find(isIt)
        if (entry) await client.trash.restore(entry.id)
        toasts.info(entry ? `${name} is back` : `${name} is no longer in the trash`)
      } catch (error) {
        toasts.error(errorText(error))
      }
    },
    [client, toasts],
  )
}
