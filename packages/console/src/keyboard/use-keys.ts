import { useEffect, useEffectEvent } from 'react'

type KeyBindings = Record<string, (event: KeyboardEvent) => void>

export const isTyping = (event: KeyboardEvent): boolean => {
  const target = event.composedPath()[0]
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.matches('input:not([type=checkbox]), textarea, select'))
  )
}

/** Enter and space press the button or checkbox, or follow the link, that has the focus. */
const pressesControl = (event: KeyboardEvent): boolean =>
  (event.key === 'Enter' || event.key === ' ') &&
  event.target instanceof Element &&
  event.target.closest('button, a[href], summary, input') !== null

/** Something modal or a list of choices has the keyboard. */
const isCovered = (): boolean => document.querySelector('dialog[open], :popover-open') !== null

/** Of keys with Shift, letters and arrows are told apart; in other characters it is included. */
const nameOf = ({ key, metaKey, ctrlKey, shiftKey }: KeyboardEvent): string => {
  const lower = key.length === 1 ? key.toLowerCase() : key
  if (metaKey || ctrlKey) return `Mod+${lower}`
  return shiftKey && (lower !== key || key.startsWith('Arrow')) ? `Shift+${lower}` : lower
}

const sequenceMs = 1_200

/**
 * Binds keys while the component is mounted. A name is a key (`j`, `Shift+j`, `Enter`), a combination (`Mod+k`) or a sequence
 * (`g b`). Single keys do not act while someone types, nor below a dialog; combinations always do.
 */
export const useKeys = (bindings: KeyBindings, isEnabled = true): void => {
  const currentBindings = useEffectEvent(() => bindings)
  useEffect(() => {
    if (!isEnabled) return
    let first = ''
    let firstAtMs = 0
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.altKey) return
      const name = nameOf(event)
      if (!name.startsWith('Mod+') && (isTyping(event) || pressesControl(event) || isCovered())) return
      const isSequence = first !== '' && event.timeStamp - firstAtMs < sequenceMs
      const now = currentBindings()
      const run = (isSequence ? now[`${first} ${name}`] : undefined) ?? now[name]
      first = Object.keys(now).some((binding) => binding.startsWith(`${name} `)) ? name : ''
      firstAtMs = event.timeStamp
      if (!run) return
      event.preventDefault()
      run(event)
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [isEnabled])
}
