import { type ReactNode, useEffectEvent, useLayoutEffect, useRef } from 'react'
import '../styles/choice-list.css'

const gapPx = 4
const edgePx = 8

/** An element, or a place in one. */
export interface PopoverAnchor {
  readonly current: Pick<HTMLElement, 'getBoundingClientRect' | 'isConnected' | 'focus'> | null
}

interface PopoverProps {
  anchor: PopoverAnchor
  onClose: () => void
  children: ReactNode
}

/** A native popover below its anchor, or above it where there is no room. */
export const Popover = ({ anchor, onClose, children }: PopoverProps): ReactNode => {
  const ref = useRef<HTMLDivElement>(null)
  const close = useEffectEvent(onClose)
  useLayoutEffect(() => {
    const popover = ref.current
    const from = anchor.current
    if (!popover || !from) return
    popover.showPopover()
    const place = (): void => {
      const box = from.getBoundingClientRect()
      const { offsetWidth, offsetHeight } = popover
      const below = box.bottom + gapPx
      const fitsBelow = below + offsetHeight <= innerHeight - edgePx
      const top = fitsBelow ? below : Math.max(edgePx, box.top - gapPx - offsetHeight)
      const left = Math.max(edgePx, Math.min(box.left, innerWidth - offsetWidth - edgePx))
      popover.style.top = `${top}px`
      popover.style.left = `${left}px`
    }
    place()
    const observer = new ResizeObserver(place)
    observer.observe(popover)
    const onToggle = (event: Event): void => {
      if ((event as ToggleEvent).newState === 'closed') close()
    }
    popover.addEventListener('toggle', onToggle)
    return () => {
      observer.disconnect()
      popover.removeEventListener('toggle', onToggle)
      const hadFocus = popover.contains(document.activeElement)
      if (popover.matches(':popover-open')) popover.hidePopover()
      if (hadFocus && from.isConnected) from.focus()
    }
  }, [anchor])
  return (
    <div ref={ref} popover="auto" className="popover">
      {children}
    </div>
  )
}
