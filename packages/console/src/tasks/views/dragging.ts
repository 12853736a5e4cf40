import { createContext, useEffect, useState } from 'react'
import { loadPart } from '../../components/on-demand'

type Dragging = typeof import('@atlaskit/pragmatic-drag-and-drop/element/adapter')

/** Null until it is loaded: a board is readable before cards can be dragged. */
export const DraggingContext = createContext<Dragging | null>(null)

export const useDragging = (): Dragging | null => {
  const [dragging, setDragging] = useState<Dragging | null>(null)
  useEffect(() => {
    loadPart(() => import('@atlaskit/pragmatic-drag-and-drop/element/adapter')).then(
      (loaded) => setDragging(() => loaded),
      // The status can be changed without dragging.
      () => undefined,
    )
  }, [])
  return dragging
}
