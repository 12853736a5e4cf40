import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { IconButton } from '../components/button'
import { Icon } from '../components/icons'
import '../styles/task-form.css'

interface DateFieldProps {
  /** As in `2026-01-31`, or empty. */
  value: string
  isDisabled?: boolean
  onChange: (value: string) => void
}

/** A year that is being typed begins with zeros. */
const minDate = '1970-01-01'
const maxDate = '9999-12-31'

const textOf = (value: string): string =>
  new Date(`${value}T12:00:00`).toLocaleDateString(undefined, { month: 'short', day: 'numeric', year: 'numeric' })

/** The keys by which the browser opens its calendar. */
const isOpening = ({ key, altKey }: KeyboardEvent): boolean => key === ' ' || key === 'F4' || altKey

/** The browser's own date field, under a text of ours while nobody types in it. What is typed counts when it is done. */
export const DateField = ({ value, isDisabled, onChange }: DateFieldProps): ReactNode => {
  const input = useRef<HTMLInputElement>(null)
  const isTyping = useRef(false)
  const [isFocused, setIsFocused] = useState(false)

  const restore = (): void => {
    isTyping.current = false
    if (input.current) input.current.value = value
  }
  const save = (): void => {
    isTyping.current = false
    const field = input.current
    if (!field || field.value === value) return
    const isWhole =
      field.value === '' ? !field.validity.badInput : field.value >= minDate && !field.validity.rangeOverflow
    if (isWhole) onChange(field.value)
    else restore()
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter') {
      event.preventDefault()
      save()
    } else if (event.key === 'Escape') {
      if (isTyping.current) event.preventDefault()
      restore()
      input.current?.blur()
    } else if (event.key !== 'Tab' && !isOpening(event)) isTyping.current = true
  }

  useEffect(() => {
    if (!isTyping.current && input.current) input.current.value = value
  }, [value])

  return (
    <span className="picker bordered date-field" data-focused={isFocused}>
      {isDisabled ? (
        <Icon name="calendar" size={14} />
      ) : (
        <IconButton icon="calendar" label="Open the calendar" onClick={() => input.current?.showPicker?.()} />
      )}
      <span className="date-text">{value ? textOf(value) : 'Due date'}</span>
      <input
        ref={input}
        type="date"
        aria-label="Due date"
        max={maxDate}
        defaultValue={value}
        disabled={isDisabled}
        onFocus={() => setIsFocused(true)}
        onBlur={() => {
          setIsFocused(false)
          save()
        }}
        onKeyDown={onKeyDown}
        onChange={() => {
          if (!isTyping.current) save()
        }}
      />
      {value && !isDisabled && <IconButton icon="close" label="Remove the due date" onClick={() => onChange('')} />}
    </span>
  )
}
