import { type KeyboardEvent, type ReactNode, useId, useState } from 'react'
import '../styles/choice-list.css'
import '../styles/fields.css'

interface RecordSearchProps<T> {
  label: string
  placeholder: string
  text: string
  onText: (text: string) => void
  options: readonly T[]
  keyOf: (option: T) => string
  /** Says why there are no options. */
  emptyText: string | null
  onChoose: (option: T) => void
  /** Enter without an option. */
  onEnter?: () => void
  onClose: () => void
  children: (option: T) => ReactNode
}

/** A field with the records that match what is typed below it. */
export const RecordSearch = <T,>({
  label,
  placeholder,
  text,
  onText,
  options,
  keyOf,
  emptyText,
  onChoose,
  onEnter,
  onClose,
  children,
}: RecordSearchProps<T>): ReactNode => {
  const [active, setActive] = useState(0)
  const id = useId()
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step) setActive((index) => (index + step + options.length) % Math.max(1, options.length))
    else if (event.key === 'Enter') {
      const chosen = options[active]
      if (chosen) onChoose(chosen)
      else onEnter?.()
    } else if (event.key === 'Escape') onClose()
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <div className="record-search">
      <input
        className="input"
        role="combobox"
        aria-label={label}
        aria-expanded={options.length > 0}
        aria-controls={`${id}-list`}
        aria-activedescendant={options.length > 0 ? `${id}-${active}` : undefined}
        placeholder={placeholder}
        value={text}
        // biome-ignore lint/a11y/noAutofocus: it was opened to type here
        autoFocus
        onChange={(event) => {
          onText(event.target.value)
          setActive(0)
        }}
        onKeyDown={onKeyDown}
      />
      <div id={`${id}-list`} className="record-search-list" role="listbox" aria-label="Matches">
        {options.map((option, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the input has the keyboard's focus
          // biome-ignore lint/a11y/useFocusableInteractive: the input has the keyboard's focus
          <div
            key={keyOf(option)}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === active}
            data-active={index === active}
            className="option"
            onMouseMove={() => setActive(index)}
            onClick={() => onChoose(option)}
          >
            {children(option)}
          </div>
        ))}
      </div>
      {emptyText && options.length === 0 && (
        <p className="muted" role="status">
          {emptyText}
        </p>
      )}
    </div>
  )
}
