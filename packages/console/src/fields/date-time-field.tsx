import { type ReactNode, useState } from 'react'
import { IconButton } from '../components/button'
import '../styles/fields.css'

const localText = (iso: string | null, hasSeconds: boolean): string => {
  if (iso === null) return ''
  const at = new Date(iso)
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, hasSeconds ? 19 : 16)
}

interface DateTimeFieldProps {
  label: string
  /** Without it, there is always a time. */
  removeLabel?: string
  value: string | null
  isDisabled: boolean
  /** Where a heading says it. */
  hidesLabel?: boolean
  hasSeconds?: boolean
  onChange: (value: string | null) => void
}

/** A time to the minute or second; what is typed counts when the field is left. */
export const DateTimeField = ({
  label,
  removeLabel,
  value,
  isDisabled,
  hidesLabel = false,
  hasSeconds = false,
  onChange,
}: DateTimeFieldProps): ReactNode => {
  const [text, setText] = useState<string | null>(null)
  const shown = localText(value, hasSeconds)
  const save = (): void => {
    if (text !== null && text !== '' && text !== shown) onChange(new Date(text).toISOString())
    setText(null)
  }
  return (
    <div className="date-time">
      <label>
        <span className={hidesLabel ? 'visually-hidden' : undefined}>{label}</span>
        <input
          type="datetime-local"
          className="input"
          max="9999-12-31T23:59"
          step={hasSeconds ? 1 : 60}
          value={text ?? shown}
          disabled={isDisabled}
          onChange={(event) => setText(event.target.value)}
          onBlur={save}
          onKeyDown={(event) => {
            if (event.key === 'Enter') event.currentTarget.blur()
          }}
        />
      </label>
      {removeLabel && value !== null && !isDisabled && (
        <IconButton icon="close" label={removeLabel} onClick={() => onChange(null)} />
      )}
    </div>
  )
}
