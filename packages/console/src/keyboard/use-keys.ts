import { useEffect, useRef } from 'react'

export type KeyBindings = Record<string, (event: KeyboardEvent) => void>

const isTyping = (event: KeyboardEvent): boolean => {
  const target = event.composedPath()[0]
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName))
  )
}

/** Enter on a control of the open task is that control's. */
const isOfControl = ({ key, target }: KeyboardEvent): boolean =>
  key === 'Enter' && target instanceof Element && target.closest('.drawer :is(button, a, summary)') !== null

/** Something modal or a list of choices has the keyboard. */
const isCovered = (): boolean => document.querySelector('dialog[open], :popover-open') !== null

const nameOf = (event: KeyboardEvent): string =>
  (event.metaKey || event.ctrlKey ? 'Mod+' : '') + (event.key.length === 1 ? event.key.toLowerCase() : event.key)

const sequenceMs = 1_200

/**
 * Binds keys while the component is mounted. A name is a key (`j`, `Enter`), a combination (`Mod+k`) or a sequence
 * (`g b`). Single keys do not act while someone types, nor below a dialog; combinations always do.
 */
export const useKeys = (bindings: KeyBindings, isEnabled = true): void => {
  const latest = useRef(bindings)
  latest.current = bindings
  useEffect(() => {
    if (!isEnabled) return
    let first = ''
    let firstAtMs = 0
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.altKey || isOfControl(event)) return
      const name = nameOf(event)
      if (!name.startsWith('Mod+') && (isTyping(event) || isCovered())) return
      const isSequence = first !== '' && event.timeStamp - firstAtMs < sequenceMs
      const run = (isSequence ? latest.current[`${first} ${name}`] : undefined) ?? latest.current[name]
      first = Object.keys(latest.current).some((binding) => binding.startsWith(`${name} `)) ? name : ''
      firstAtMs = event.timeStamp
      if (!run) return
      event.preventDefault()
      run(event)
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [isEnabled])
}
