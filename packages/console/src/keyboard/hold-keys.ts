import { isTyping } from './use-keys'

/** What has not opened by then does not open. */
const maxHoldMs = 10_000

/**
 * Call when something to type into is about to open: what is typed before it has the focus must not act as shortcuts, nor
 * go into the field that was left. Escape, Tab and the pointer end the wait.
 */
export const holdKeys = (): void => {
  const end = new AbortController()
  const left = document.activeElement
  const release = (): void => end.abort()
  const options = { capture: true, signal: end.signal }
  setTimeout(release, maxHoldMs)
  addEventListener('pointerdown', release, options)
  addEventListener(
    'keydown',
    (event) => {
      const { key, target } = event
      const hasOpened = (target instanceof Element && target.closest('dialog')) || (isTyping(event) && target !== left)
      if (key === 'Escape' || key === 'Tab' || hasOpened) return release()
      event.preventDefault()
      event.stopImmediatePropagation()
    },
    options,
  )
}
