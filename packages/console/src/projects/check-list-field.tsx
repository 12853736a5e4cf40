import type { ReactNode } from 'react'
import type { Project } from 'worklore-client'
import { Button, IconButton } from '../components/button'
import { VerifierPicker } from '../tasks/checks/verifier-picker'

type Checks = Project['defaultChecks']

const maxChecks = 20

/** The checks that each new task of a project begins with. */
export const CheckListField = ({
  value,
  onChange,
}: {
  value: Checks
  onChange: (checks: Checks) => void
}): ReactNode => {
  const set = (at: number, change: Partial<Checks[number]>): void =>
    onChange(value.map((check, index) => (index === at ? { ...check, ...change } : check)))
  return (
    <fieldset className="field">
      <legend>Checks of new tasks</legend>
      {value.map(({ text, verifier = 'anyone' }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they have no identity but their place
        <div key={index} className="check-list-row">
          <input
            className="input"
            aria-label={`Check ${index + 1}`}
            placeholder="What must hold before a task is done"
            value={text}
            maxLength={500}
            onChange={(event) => set(index, { text: event.target.value })}
          />
          <VerifierPicker value={verifier} onChoose={(next) => set(index, { verifier: next })} />
          <IconButton
            icon="close"
            label={`Remove check ${index + 1}`}
            onClick={() => onChange(value.filter((_, at) => at !== index))}
          />
        </div>
      ))}
      {value.length < maxChecks && (
        <Button small icon="plus" onClick={() => onChange([...value, { text: '', verifier: 'anyone' }])}>
          Add a check
        </Button>
      )}
      <p className="field-hint">A task is done only when each of its checks is passed or waived.</p>
    </fieldset>
  )
}
