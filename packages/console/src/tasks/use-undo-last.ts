import { useCallback } from 'react'
import { errorText } from '../api/error-text'
import { useConsole } from '../store/console'

/** Undoes the last change that was made in this tab. */
export const useUndoLast = (): (() => Promise<void>) => {
  const { toasts, undo } = useConsole()
  return useCallback(async () => {
    const entry = undo.pop()
    if (!entry) return toasts.info('There is nothing to undo')
    try {
      await entry.run()
      toasts.info(`Undone: ${entry.what}`)
    } catch (error) {
      toasts.error(`Could not undo “${entry.what}”. ${errorText(error)}`)
    }
  }, [toasts, undo])
}
