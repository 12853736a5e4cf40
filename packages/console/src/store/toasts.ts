import { createObservable } from './observable'

const shownMs = 6_000
const maxToasts = 4

interface Toast {
  id: number
  kind: 'info' | 'error'
  text: string
  action?: { label: string; run: () => void } | undefined
}

export const createToasts = () => {
  const list = createObservable<readonly Toast[]>([])
  let nextId = 1
  const dismiss = (id: number): void => list.update((toasts) => toasts.filter((toast) => toast.id !== id))
  /** Returns a function that takes it away. */
  const show = (kind: Toast['kind'], text: string, action?: Toast['action']): (() => void) => {
    const id = nextId++
    list.update((toasts) => [...toasts, { id, kind, text, action }].slice(-maxToasts))
    setTimeout(() => dismiss(id), kind === 'error' ? shownMs * 1.5 : shownMs)
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
