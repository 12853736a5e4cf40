import { type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { Popover, type PopoverAnchor } from '../components/popover'
import type { Typed } from './typed'

interface SuggestionOptions<T> {
  /** What the caret is at the end of. */
  find: (text: string, caret: number) => Typed | null
  matching: (typed: string) => readonly T[]
  onChoose: (option: T, typed: Typed) => void
}

interface PressedKey {
  key: string
  metaKey: boolean
  ctrlKey: boolean
  altKey: boolean
  isComposing: boolean
}

/** Options for what is being written in a box. The list never has the focus: the box says which option is active. */
export const useSuggestions = <T,>({ find, matching, onChoose }: SuggestionOptions<T>) => {
  const [typed, setTyped] = useState<Typed | null>(null)
  const [active, setActive] = useState(0)
  /** Where a list was closed, so that it stays closed while the same word is written. */
  const dismissed = useRef(-1)
  const id = useId()
  const options = typed ? matching(typed.typed) : []
  const isOpen = options.length > 0
  const at = Math.min(active, options.length - 1)

  const close = (): void => {
    dismissed.current = typed?.start ?? -1
    setTyped(null)
  }
  const choose = (option: T): void => {
    if (!typed) return
    setTyped(null)
    onChoose(option, typed)
  }
  return {
    id,
    options,
    isOpen,
    at,
    setActive,
    close,
    choose,
    /** Call when the text or the caret has changed; without a caret where something is selected. */
    look: (text: string, caret: number | null): void => {
      const found = caret === null ? null : find(text, caret)
      if (!found) dismissed.current = -1
      if (found?.start !== typed?.start || found?.typed !== typed?.typed) setActive(0)
      setTyped(found && found.start !== dismissed.current ? found : null)
    },
    /** Call when the box loses the focus. */
    leave: (): void => setTyped(null),
    /** Whether the list took the key. */
    takesKey: ({ key, metaKey, ctrlKey, altKey, isComposing }: PressedKey): boolean => {
      if (!isOpen || metaKey || ctrlKey || altKey || isComposing) return false
      const step = { ArrowDown: 1, ArrowUp: -1 }[key]
      if (step) setActive((at + step + options.length) % options.length)
      else if (key === 'Enter' || key === 'Tab') choose(options[at]!)
      else if (key === 'Escape') close()
      else return false
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
  // biome-ignore lint/correctness/useExhaustiveDependencies: called when another option is active
  useEffect(() => {
    const element = document.getElementById(`${id}-${at}`)
    if (!element) return
    element.scrollIntoView({ block: 'nearest' })
    onActive?.(element)
  }, [id, at, active])
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
