import { useCallback } from 'react'
import type { TrashEntry } from 'worklore-client'
import { errorText } from '../api/error-text'
import { type Console, useConsole } from '../store/console'

/** Takes something that was just deleted out of the trash; false where it is not there. */
export const restoreDeleted = async (
  { client }: Console,
  kind: TrashEntry['kind'],
  isIt: (entry: TrashEntry) => boolean,
): Promise<boolean> => {
  const { data } = await client.trash.list({ kind, limit: 100 })
  const entry = data.find(isIt)
  if (entry) await client.trash.restore(entry.id)
  return entry !== undefined
}

/** The same, and says what came of it. */
export const useRestore = () => {
  const console = useConsole()
  return useCallback(
    async (kind: TrashEntry['kind'], name: string, isIt: (entry: TrashEntry) => boolean): Promise<void> => {
      try {
        const isBack = await restoreDeleted(console, kind, isIt)
        console.toasts.info(isBack ? `${name} is back` : `${name} is no longer in the trash`)
      } catch (error) {
        console.toasts.error(errorText(error))
      }
    },
    [console],
  )
}
