import type { ReactNode } from 'react'
import { IconButton } from '../components/button'
import { Icon } from '../components/icons'

interface DateFieldProps {
  /** As in `2026-01-31`, or empty. */
  value: string
  isDisabled?: boolean
  onChange: (value: string) => void
}

const textOf = (value: string): string =>
  new Date(`${value}T12:00:00`).toLocaleDateString(undefined, { month: 'short', day: 'numeric', year: 'numeric' })

/** The browser's own date field, under a text of ours. */
export const DateField = ({ value, isDisabled, onChange }: DateFieldProps): ReactNode => (
  <span className="picker bordered date-field">
    <Icon name="calendar" size={14} />
    <span>{value ? textOf(value) : 'Due date'}</span>
    <input
      type="date"
      aria-label="Due date"
      value={value}
      disabled={isDisabled}
      onChange={(event) => onChange(event.target.value)}
      onClick={(event) => event.currentTarget.showPicker?.()}
    />
    {value && !isDisabled && <IconButton icon="close" label="Remove the due date" onClick={() => onChange('')} />}
  </span>
)
