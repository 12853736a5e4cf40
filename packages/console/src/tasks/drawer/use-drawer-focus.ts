import { type RefObject, useEffect } from 'react'

/** Moves the focus into the drawer, and back to the task's card when it closes. */
export const useDrawerFocus = (taskId: string, target: RefObject<HTMLElement | null>): void => {
  useEffect(() => {
    const before = document.activeElement
    target.current?.focus({ preventScroll: true })
    return () => {
      // A click elsewhere has already moved the focus.
      if (document.activeElement && document.activeElement !== document.body) return
      const card = document.querySelector<HTMLElement>(`[data-card="${CSS.escape(taskId)}"] a`)
      const next = card ?? (before?.isConnected && before instanceof HTMLElement ? before : null)
      next?.focus({ preventScroll: true })
    }
  }, [taskId, target])
}
