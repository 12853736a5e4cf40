import { type ReactNode, useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from 'react'
import '../../styles/virtual-rows.css'

/** Rows rendered above and below the visible ones. */
const overscan = 4
/** Rows that come and go together: each time costs as much as several rows. */
const step = 8
/** Rows of a phone are high enough for a finger. */
const minRowPx = matchMedia('(max-width: 760px)').matches ? 44 : 0

interface VirtualRowsProps<T> {
  label: string
  rows: readonly T[]
  rowPx: number
  keyOf: (row: T) => string
  children: (row: T) => ReactNode
  /** The key of the row to keep in view and focused. */
  selected: string | null
  className?: string
}

/** A long list of rows of one height, of which only what is visible is in the document. */
export const VirtualRows = <T,>({
  label,
  rows,
  rowPx: wantedRowPx,
  keyOf,
  children,
  selected,
  className = '',
}: VirtualRowsProps<T>): ReactNode => {
  const rowPx = Math.max(wantedRowPx, minRowPx)
  const scroll = useRef<HTMLDivElement>(null)
  const [view, setView] = useState({ first: 0, count: 0 })

  useLayoutEffect(() => {
    const element = scroll.current
    if (!element) return
    const look = (): void => {
      const first = Math.floor(element.scrollTop / rowPx / step) * step
      const count = Math.ceil(element.clientHeight / rowPx) + step
      setView((now) => (now.first === first && now.count === count ? now : { first, count }))
    }
    look()
    element.addEventListener('scroll', look, { passive: true })
    const observer = new ResizeObserver(look)
    observer.observe(element)
    return () => {
      element.removeEventListener('scroll', look)
      observer.disconnect()
    }
  }, [rowPx])

  const followSelection = useEffectEvent((selected: string | null) => {
    const element = scroll.current
    const index = selected === null ? -1 : rows.findIndex((row) => keyOf(row) === selected)
    if (!element || index < 0) return
    const top = index * rowPx
    if (top < element.scrollTop) element.scrollTop = top
    else if (top + rowPx > element.scrollTop + element.clientHeight)
      element.scrollTop = top + rowPx - element.clientHeight
    const frame = requestAnimationFrame(() => {
      const focused = document.activeElement
      if (focused && focused !== document.body && !element.contains(focused)) return
      element.querySelector<HTMLElement>(`[data-key="${CSS.escape(selected!)}"] a`)?.focus({ preventScroll: true })
    })
    return () => cancelAnimationFrame(frame)
  })
  useEffect(() => followSelection(selected), [selected])

  const from = Math.max(0, Math.min(view.first, rows.length - view.count) - overscan)
  const shown = view.count === 0 ? [] : rows.slice(from, view.first + view.count + overscan)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the list scrolls, and the keyboard must reach it
    <div ref={scroll} className={`virtual-rows ${className}`} tabIndex={0} role="group" aria-label={label}>
      <ul className="column-list" style={{ height: rows.length * rowPx + rowPx / 2 }}>
        {shown.map((row, index) => (
          <li
            key={keyOf(row)}
            data-key={keyOf(row)}
            aria-setsize={rows.length}
            aria-posinset={from + index + 1}
            style={{ top: (from + index) * rowPx, height: rowPx }}
          >
            {children(row)}
          </li>
        ))}
      </ul>
    </div>
  )
}
