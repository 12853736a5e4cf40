import { createObservable } from './base/observable'

const shownMs = 6_000
const tickMs = 500
const maxToasts = 4

interface Toast {
  id: number
  kind: 'info' | 'error'
  text: string
  action?: { label: string; run: () => void } | undefined
}

/** Whether its time does not count: someone is at it, or a dialog keeps them from what it offers. */
const isHeld = ({ action }: Toast): boolean =>
  document.querySelector(`.toast:is(:hover, :focus-within)${action ? ', dialog[open]' : ''}`) !== null

export const createToasts = () => {
  const list = createObservable<readonly Toast[]>([])
  let nextId = 1
  const dismiss = (id: number): void => list.update((toasts) => toasts.filter((toast) => toast.id !== id))
  /** Returns a function that takes it away. */
  const show = (kind: Toast['kind'], text: string, action?: Toast['action']): (() => void) => {
    const id = nextId++
    const toast = { id, kind, text, action }
    list.update((toasts) => [...toasts, toast].slice(-maxToasts))
    const fullMs = kind === 'error' ? shownMs * 1.5 : shownMs
    let leftMs = fullMs
    const timer = setInterval(() => {
      const isShown = list.get().includes(toast)
      leftMs = isShown && isHeld(toast) ? fullMs : leftMs - tickMs
      if (isShown && leftMs > 0) return
      clearInterval(timer)
      dismiss(id)
    }, tickMs)
    return () => dismiss(id)
  }
  return {
    list,
    dismiss,
    info: (text: string, action?: Toast['action']) => show('info', text, action),
    error: (text: string, action?: Toast['action']) => show('error', text, action),
  }
}

export type Toasts = ReturnType<typeof createToasts>
