import type { KeyboardEvent } from 'react'

/** Moves the focus with the arrow keys along the elements of a container that match, in the order of the document. */
export const moveFocusByArrows = (event: KeyboardEvent<HTMLElement>, selector: string): void => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  if (!step || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return
  const stops = [...event.currentTarget.querySelectorAll<HTMLElement>(selector)]
  const at = stops.indexOf(document.activeElement as HTMLElement)
  const next = at < 0 ? undefined : stops[at + step]
  if (!next) return
  event.preventDefault()
  next.focus()
}
