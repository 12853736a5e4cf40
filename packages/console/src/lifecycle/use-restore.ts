import { useCallback } from 'react'
import type { TrashEntry } from 'worklore-client'
import { errorText } from '../api/error-text'
import { useConsole } from '../store/console'
import { undoOf } from '../undo/undo-request'
import { offerUndo } from '../undo/use-undo-last'

/** Restores a deleted record from the trash, whoever deleted it, and reports the result. */
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

/** Reports that something is in the trash; the message and `u` restore it. */
export const useTellDeleted = () => {
  const app = useConsole()
  return useCallback(
    (name: string, requestId: string): void => {
      const entry = undoOf(app, `${name} deleted`, requestId)
      app.undo.push(entry)
      offerUndo(app, entry, `${name} is in the trash`, 'Restore')
    },
    [app],
  )
}
