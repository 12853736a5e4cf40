import type { ReactNode } from 'react'
import { Icon } from '../../components/icons'
import { Picker } from '../../components/menu'
import { type Verifier, verifierNames } from './check-names'

const choices = (Object.entries(verifierNames) as [Verifier, string][]).map(([value, label]) => ({
  value,
  label,
  ...(value === 'other' && { hint: 'who did not work on it' }),
}))

interface VerifierPickerProps {
  value: Verifier
  onChoose: (verifier: Verifier) => void
}

/** Who may decide a check. */
export const VerifierPicker = ({ value, onChoose }: VerifierPickerProps): ReactNode => (
  <Picker label="Decided by" choices={choices} selected={[value]} onChoose={onChoose} className="bordered">
    <Icon name="user" size={14} />
    <span className="truncate">{verifierNames[value]}</span>
  </Picker>
)
