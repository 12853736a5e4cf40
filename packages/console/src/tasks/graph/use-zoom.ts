import { type RefObject, useEffect, useEffectEvent, useLayoutEffect, useRef } from 'react'
import { useQuery, useSetQuery } from '../../query'

const zooms = [0.1, 0.2, 0.3, 0.4, 0.55, 0.7, 0.85, 1, 1.25, 1.5]
const defaultZoom = 1
const [minZoom, maxZoom] = [0.02, 1.5]

/** A place in the visible part. */
interface Place {
  left: number
  top: number
}

interface Zoom {
  zoom: number
  /** Undefined where it cannot be larger. */
  zoomIn: (() => void) | undefined
  zoomOut: (() => void) | undefined
  /** Shows the whole picture. */
  fit: () => void
}

const middleOf = (element: Element): Place => {
  const { left, top, width, height } = element.getBoundingClientRect()
  return { left: left + width / 2, top: top + height / 2 }
}

/** How large a picture is, as the address says: what one looks at stays where it is when that changes. */
export const useZoom = (
  scroll: RefObject<HTMLElement | null>,
  picture: { width: number; height: number },
  findCurrent: () => Element | null | undefined,
): Zoom => {
  const asked = Number(useQuery().zoom)
  const setQuery = useSetQuery()
  const zoom = asked >= minZoom && asked <= maxZoom ? asked : defaultZoom
  const kept = useRef<(Place & { x: number; y: number }) | null>(null)
  useLayoutEffect(() => {
    if (!kept.current) return
    const { left, top, x, y } = kept.current
    scroll.current?.scrollTo(x * zoom - left, y * zoom - top)
    kept.current = null
  }, [zoom, scroll])

  const setZoom = (value: number): void =>
    setQuery({ zoom: value === defaultZoom ? undefined : String(value) }, { replace: true })
  const zoomAt = (value: number, { left, top }: Place): void => {
    const { scrollLeft = 0, scrollTop = 0 } = scroll.current ?? {}
    kept.current = { left, top, x: (scrollLeft + left) / zoom, y: (scrollTop + top) / zoom }
    setZoom(value)
  }
  /** Where the current one is, if it is visible, else the middle. */
  const lookedAt = (): Place => {
    const { left = 0, top = 0 } = scroll.current?.getBoundingClientRect() ?? {}
    const { clientWidth = 0, clientHeight = 0 } = scroll.current ?? {}
    const current = findCurrent()
    if (current) {
      const middle = middleOf(current)
      const place = { left: middle.left - left, top: middle.top - top }
      if (place.left >= 0 && place.left <= clientWidth && place.top >= 0 && place.top <= clientHeight) return place
    }
    return { left: clientWidth / 2, top: clientHeight / 2 }
  }
  const larger = zooms.find((each) => each > zoom)
  const smaller = zooms.findLast((each) => each < zoom)

  // By the browser's own event, because React's cannot be cancelled.
  const onWheel = useEffectEvent((event: WheelEvent): void => {
    if (!event.ctrlKey && !event.metaKey) return
    event.preventDefault()
    const value = event.deltaY < 0 ? larger : smaller
    const { left = 0, top = 0 } = scroll.current?.getBoundingClientRect() ?? {}
    if (value !== undefined) zoomAt(value, { left: event.clientX - left, top: event.clientY - top })
  })
  useEffect(() => {
    const element = scroll.current
    const listener = (event: WheelEvent): void => onWheel(event)
    element?.addEventListener('wheel', listener, { passive: false })
    return () => element?.removeEventListener('wheel', listener)
  }, [scroll])

  return {
    zoom,
    zoomIn: larger === undefined ? undefined : () => zoomAt(larger, lookedAt()),
    zoomOut: smaller === undefined ? undefined : () => zoomAt(smaller, lookedAt()),
    fit: () => {
      const { clientWidth = 0, clientHeight = 0 } = scroll.current ?? {}
      const fitting = Math.min(clientWidth / picture.width, clientHeight / picture.height, 1)
      setZoom(Math.max(minZoom, Math.floor(fitting * 1_000) / 1_000))
      scroll.current?.scrollTo(0, 0)
    },
  }
}
