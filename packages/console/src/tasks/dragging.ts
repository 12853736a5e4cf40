import { createContext, useEffect, useState } from 'react'

export type Dragging = typeof import('@atlaskit/pragmatic-drag-and-drop/element/adapter')

/** Null until it is loaded: a board is readable before cards can be dragged. */
export const DraggingContext = createContext<Dragging | null>(null)

export const useDragging = (): Dragging | null => {
  const [dragging, setDragging] = useState<Dragging | null>(null)
  useEffect(() => {
    const load = (): void => {
      void import('@atlaskit/pragmatic-drag-and-drop/element/adapter').then((loaded) => setDragging(() => loaded))
    }
    addEventListener('pointermove', load, { once: true })
    return () => removeEventListener('pointermove', load)
  }, [])
  return dragging
}
