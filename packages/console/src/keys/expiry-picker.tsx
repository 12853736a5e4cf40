import type { ReactNode } from 'react'
import { Icon } from '../components/icons'
import { Picker } from '../components/menu'

const dayMs = 86_400_000
/** Days until a key ends; null for never, undefined to leave it as it is. */
type Days = number | null | undefined

const expiries: { value: Days; label: string }[] = [
  { value: null, label: 'Never' },
  { value: 7, label: 'In 7 days' },
  { value: 30, label: 'In 30 days' },
  { value: 90, label: 'In 90 days' },
  { value: 365, label: 'In a year' },
]
const asBefore = { value: undefined, label: 'As before' }

export const expiresAtOf = (days: number | null): string | null =>
  days === null ? null : new Date(Date.now() + days * dayMs).toISOString()

interface ExpiryPickerProps<T extends Days> {
  days: T
  /** Whether the end may stay as it is. */
  canStay?: boolean
  onChoose: (days: T) => void
}

export const ExpiryPicker = <T extends Days>({ days, canStay = false, onChoose }: ExpiryPickerProps<T>): ReactNode => (
  <Picker
    label="Expires"
    className="block"
    choices={canStay ? [asBefore, ...expiries] : expiries}
    selected={[days]}
    onChoose={(value) => onChoose(value as T)}
  >
    {[asBefore, ...expiries].find(({ value }) => value === days)?.label}
    <Icon name="down" size={14} />
  </Picker>
)
