import { useCallback } from 'react'
import { errorText } from '../api/error-text'
import { type Console, useConsole } from '../store/console'
import type { UndoEntry } from '../store/undo-stack'

const undoEntry = async ({ toasts }: Console, entry: UndoEntry): Promise<void> => {
  const { what, run } = entry
  try {
    if (!(await run?.())) toasts.info('Nothing to undo')
    else toasts.info(entry.note ? `Undone: ${what}. ${entry.note}` : `Undone: ${what}`)
  } catch (error) {
    toasts.error(`Could not undo “${what}”. ${errorText(error)}`)
  }
}

/** Reports a change that is on the undo stack already, and offers to undo it. */
export const offerUndo = (app: Console, entry: UndoEntry, text = entry.what, label = 'Undo'): void => {
  const run = (): void => {
    app.undo.remove(entry)
    void undoEntry(app, entry)
  }
  entry.onTaken = app.toasts.info(text, entry.run ? { label, run } : undefined)
}

/** Puts a change on the undo stack, reports it and offers to undo it. */
export const tellUndoable = (app: Console, entry: UndoEntry): void => {
  app.undo.push(entry)
  offerUndo(app, entry)
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
