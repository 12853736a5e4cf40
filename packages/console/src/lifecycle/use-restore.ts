import { useCallback } from 'react'
import type { TrashEntry } from 'worklore-client'
import { errorText } from '../api/error-text'
import { type Console, useConsole } from '../store/console'
import type { UndoEntry } from '../store/undo-stack'

/** Takes something that was just deleted out of the trash; false where it is not there. */
const restoreDeleted = async (
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

/** Says that something is in the trash; that message and `u` take it out again. */
export const useTellDeleted = () => {
  const console = useConsole()
  const restore = useRestore()
  return useCallback(
    (kind: TrashEntry['kind'], name: string, isIt: (entry: TrashEntry) => boolean): void => {
      const { toasts, undo } = console
      const run = async (): Promise<void> => {
        if (!(await restoreDeleted(console, kind, isIt))) throw new Error('It is no longer in the trash.')
      }
      const entry: UndoEntry = { what: `${name} deleted`, run }
      entry.onTaken = toasts.info(`${name} is in the trash`, {
        label: 'Restore',
        run: () => {
          undo.remove(entry)
          void restore(kind, name, isIt)
        },
      })
      undo.push(entry)
    },
    [console, restore],
  )
}
