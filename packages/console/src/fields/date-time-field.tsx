import { type ReactNode, useState } from 'react'
import { IconButton } from '../components/button'
import '../styles/fields.css'

const localText = (iso: string | null): string => {
  if (iso === null) return ''
  const at = new Date(iso)
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

interface DateTimeFieldProps {
  label: string
  removeLabel: string
  value: string | null
  isDisabled: boolean
  /** Where a heading says it. */
  hidesLabel?: boolean
  onChange: (value: string | null) => void
}

/** A time to the minute; what is typed counts when the field is left. */
export const DateTimeField = ({
  label,
  removeLabel,
  value,
  isDisabled,
  hidesLabel = false,
  onChange,
}: DateTimeFieldProps): ReactNode => {
  const [text, setText] = useState<string | null>(null)
  const save = (): void => {
    if (text !== null && text !== '' && text !== localText(value)) onChange(new Date(text).toISOString())
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
          value={text ?? localText(value)}
          disabled={isDisabled}
          onChange={(event) => setText(event.target.value)}
          onBlur={save}
          onKeyDown={(event) => {
            if (event.key === 'Enter') event.currentTarget.blur()
          }}
        />
      </label>
      {value !== null && !isDisabled && <IconButton icon="close" label={removeLabel} onClick={() => onChange(null)} />}
    </div>
  )
}
