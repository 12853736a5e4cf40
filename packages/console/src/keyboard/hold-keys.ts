import { isTyping } from './use-keys'

/** An editor that has not opened by then does not open. */
const maxHoldMs = 10_000

/**
 * Call when an editor is about to open: what is typed before it has the focus must not act as shortcuts. Escape, Tab and
 * the pointer end the wait.
 */
export const holdKeys = (): void => {
  const end = new AbortController()
  const release = (): void => end.abort()
  const options = { capture: true, signal: end.signal }
  setTimeout(release, maxHoldMs)
  addEventListener('pointerdown', release, options)
  addEventListener(
    'keydown',
    (event) => {
      if (event.key === 'Escape' || event.key === 'Tab' || isTyping(event)) return release()
      event.preventDefault()
      event.stopImmediatePropagation()
    },
    options,
  )
}
