import { type ReactNode, useEffect, useEffectEvent, useId, useRef, useState } from 'react'
import { Popover, type PopoverAnchor } from '../components/popover'
import { createObservable, useObservable } from '../store/base/observable'
import type { Typed } from './typed'

interface SuggestionOptions<T> {
  /** What the caret is at the end of. */
  find: (text: string, caret: number) => Typed | null
  matching: (typed: string) => readonly T[]
  onChoose: (option: T, typed: Typed) => void
}

const listKeys = ['ArrowDown', 'ArrowUp', 'Enter', 'Tab', 'Escape']

interface PressedKey {
  key: string
  metaKey: boolean
  ctrlKey: boolean
  altKey: boolean
}

/** Options for what is being written in a box. The list never has the focus: the box says which option is active. */
export const useSuggestions = <T,>({ find, matching, onChoose }: SuggestionOptions<T>) => {
  /** Keys may come faster than what they change is shown. */
  const [state] = useState(() => createObservable<{ typed: Typed | null; active: number }>({ typed: null, active: 0 }))
  const shown = useObservable(state)
  /** Where a list was closed, so that it stays closed while the same word is written. */
  const dismissed = useRef(-1)
  const id = useId()

  const set = (typed: Typed | null, active: number): void => {
    const now = state.get()
    const isSame = typed?.start === now.typed?.start && typed?.typed === now.typed?.typed
    if (!isSame || active !== now.active) state.set({ typed, active })
  }
  const read = ({ typed, active } = state.get()): { options: readonly T[]; at: number } => {
    const options = typed ? matching(typed.typed) : []
    return { options, at: Math.min(active, options.length - 1) }
  }
  const close = (): void => {
    dismissed.current = state.get().typed?.start ?? -1
    set(null, 0)
  }
  const choose = (option: T): void => {
    const { typed } = state.get()
    if (!typed) return
    set(null, 0)
    onChoose(option, typed)
  }
  const { options, at } = read(shown)
  return {
    id,
    options,
    isOpen: options.length > 0,
    at,
    setActive: (active: number): void => set(state.get().typed, active),
    close,
    choose,
    /** Call when the text or the caret has changed; without a caret where something is selected. */
    look: (text: string, caret: number | null): void => {
      const found = caret === null ? null : find(text, caret)
      if (!found) dismissed.current = -1
      const { typed, active } = state.get()
      const isSame = found?.start === typed?.start && found?.typed === typed?.typed
      set(found && found.start !== dismissed.current ? found : null, isSame ? active : 0)
    },
    /** Call when the box loses the focus. */
    leave: (): void => set(null, 0),
    /** Whether the list took the key. */
    takesKey: ({ key, metaKey, ctrlKey, altKey }: PressedKey): boolean => {
      if (!listKeys.includes(key) || metaKey || ctrlKey || altKey) return false
      const { options, at } = read()
      if (options.length === 0) return false
      if (key === 'Escape') close()
      else if (key === 'Enter' || key === 'Tab') choose(options[at]!)
      else set(state.get().typed, (at + (key === 'ArrowDown' ? 1 : -1) + options.length) % options.length)
      return true
    },
  }
}

interface SuggestionListProps<T> {
  label: string
  anchor: PopoverAnchor
  suggestions: ReturnType<typeof useSuggestions<T>>
  keyOf: (option: T) => string
  /** Called with the active option's element. */
  onActive?: (element: HTMLElement) => void
  children: (option: T) => ReactNode
}

export const SuggestionList = <T,>({
  label,
  anchor,
  suggestions: { id, options, at, setActive, close, choose },
  keyOf,
  onActive,
  children,
}: SuggestionListProps<T>): ReactNode => {
  const active = options[at] && keyOf(options[at])
  const showActive = useEffectEvent((elementId: string, _option: string | undefined): void => {
    const element = document.getElementById(elementId)
    if (!element) return
    element.scrollIntoView({ block: 'nearest' })
    onActive?.(element)
  })
  useEffect(() => showActive(`${id}-${at}`, active), [id, at, active])
  return (
    <Popover anchor={anchor} onClose={close}>
      <div className="popover-list" role="listbox" id={`${id}-list`} aria-label={label}>
        {options.map((option, index) => (
          // biome-ignore lint/a11y/useFocusableInteractive: the box has the keyboard's focus
          <div
            key={keyOf(option)}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === at}
            data-active={index === at}
            className="option"
            onMouseMove={() => setActive(index)}
            // Before the box loses the focus.
            onMouseDown={(event) => {
              event.preventDefault()
              choose(option)
            }}
          >
            {children(option)}
          </div>
        ))}
      </div>
    </Popover>
  )
}
