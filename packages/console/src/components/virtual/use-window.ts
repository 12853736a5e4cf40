import { type RefObject, useCallback, useLayoutEffect, useMemo, useRef, useState } from 'react'

interface WindowOptions {
  /** What scrolls. */
  scroll: RefObject<HTMLElement | null>
  /** Of all items, in their order; a new array where they have changed. */
  keys: readonly string[]
  /** The height of an item that was not shown yet. */
  estimatedPx: number
  /** Between two items. */
  gapPx?: number
  /** Items rendered above and below the visible ones. */
  overscan: number
}

/** The last item that begins at a height or above it. */
const indexAt = (starts: Float64Array, px: number): number => {
  let low = 0
  let high = Math.max(0, starts.length - 2)
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (starts[middle]! <= px) low = middle
    else high = middle - 1
  }
  return low
}

/**
 * Which items of a long list to render, where their heights differ and are known once they are shown. Each rendered
 * item has `measure` as its ref, and its index as `data-index`.
 */
export const useWindow = ({ scroll, keys, estimatedPx, gapPx = 0, overscan }: WindowOptions) => {
  const [view, setView] = useState({ first: 0, end: 0 })
  const [measuredCount, setMeasuredCount] = useState(0)
  const [shown] = useState(() => new Set<HTMLElement>())
  const heights = useRef(new Map<string, number>())

  // biome-ignore lint/correctness/useExhaustiveDependencies: heights have changed where more were measured
  const starts = useMemo(() => {
    const all = new Float64Array(keys.length + 1)
    const known = new Map<string, number>()
    keys.forEach((key, index) => {
      const height = heights.current.get(key)
      if (height !== undefined) known.set(key, height)
      all[index + 1] = all[index]! + (height ?? estimatedPx) + gapPx
    })
    // Without those of items that are gone.
    heights.current = known
    return all
  }, [keys, measuredCount, estimatedPx, gapPx])
  const now = useRef({ keys, starts })
  now.current = { keys, starts }

  const look = useCallback((): void => {
    const element = scroll.current
    if (!element) return
    const { scrollTop, clientHeight } = element
    const first = indexAt(now.current.starts, scrollTop)
    const end = indexAt(now.current.starts, scrollTop + clientHeight) + 1
    setView((before) => (before.first === first && before.end === end ? before : { first, end }))
  }, [scroll])

  const read = useCallback(
    (elements: Iterable<HTMLElement>): void => {
      let hasChanged = false
      let shiftPx = 0
      for (const element of elements) {
        const index = Number(element.dataset.index)
        const key = now.current.keys[index]
        const height = element.offsetHeight
        if (key === undefined || height === 0 || heights.current.get(key) === height) continue
        const before = heights.current.get(key) ?? estimatedPx
        heights.current.set(key, height)
        hasChanged = true
        if (now.current.starts[index]! + before <= (scroll.current?.scrollTop ?? 0)) shiftPx += height - before
      }
      if (!hasChanged) return
      // What is visible stays where it is.
      if (shiftPx !== 0) scroll.current?.scrollBy({ top: shiftPx, behavior: 'instant' })
      setMeasuredCount((count) => count + 1)
    },
    [scroll, estimatedPx],
  )

  const [observer] = useState(
    () => new ResizeObserver((entries) => read(entries.map(({ target }) => target as HTMLElement))),
  )
  const measure = useCallback(
    (element: HTMLElement | null) => {
      if (!element) return
      shown.add(element)
      observer.observe(element)
      return () => {
        shown.delete(element)
        observer.unobserve(element)
      }
    },
    [shown, observer],
  )

  // Before the browser paints, so that nothing jumps.
  useLayoutEffect(() => {
    read([...shown].filter(({ dataset }) => !heights.current.has(keys[Number(dataset.index)] ?? '')))
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: other items are visible where heights have changed
  useLayoutEffect(look, [look, starts])
  useLayoutEffect(() => {
    const element = scroll.current
    if (!element) return
    element.addEventListener('scroll', look, { passive: true })
    const resized = new ResizeObserver(look)
    resized.observe(element)
    return () => {
      element.removeEventListener('scroll', look)
      resized.disconnect()
    }
  }, [scroll, look])

  const from = Math.max(0, Math.min(view.first, keys.length) - overscan)
  const to = view.end === 0 ? 0 : Math.min(keys.length, view.end + overscan)
  return {
    /** The indexes of the items to render. */
    indexes: Array.from({ length: Math.max(0, to - from) }, (_, at) => from + at),
    /** Where the first of them begins. */
    startPx: starts[from]!,
    totalPx: starts[keys.length]!,
    measure,
    /** Scrolls as little as shows the item. */
    show: (index: number): void => {
      const element = scroll.current
      if (!element) return
      const [start, end] = [starts[index]!, starts[index + 1]! - gapPx]
      if (start < element.scrollTop) element.scrollTop = start
      else if (end > element.scrollTop + element.clientHeight) element.scrollTop = end - element.clientHeight
      look()
    },
  }
}
