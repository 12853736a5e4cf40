import { useCallback } from 'react'
import { errorText } from '../api/error-text'
import { type Console, useConsole } from '../store/console'
import type { UndoEntry } from '../store/undo-stack'

export const undoEntry = async ({ toasts }: Console, entry: UndoEntry): Promise<void> => {
  const { what, run } = entry
  if (!run) {
    toasts.info('Nothing to undo')
    return
  }
  try {
    await run()
    toasts.info(entry.note ? `Undone: ${what}. ${entry.note}` : `Undone: ${what}`)
  } catch (error) {
    toasts.error(`Could not undo “${what}”. ${errorText(error)}`)
  }
}

/** Undoes the last change that was made in this tab. */
export const useUndoLast = (): (() => Promise<void>) => {
  const console = useConsole()
  return useCallback(async () => {
    const entry = console.undo.pop()
    if (entry) await undoEntry(console, entry)
    else console.toasts.info('Nothing to undo')
  }, [console])
}
