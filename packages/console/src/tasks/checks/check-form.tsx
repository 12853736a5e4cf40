import { type FormEvent, type ReactNode, useState } from 'react'
import type { Check } from 'worklore-client'
import { Button } from '../../components/button'
import type { Verifier } from './check-names'
import { VerifierPicker } from './verifier-picker'

interface CheckFormProps {
  /** Missing for a new one. */
  check?: Check
  onSave: (text: string, verifier: Verifier) => void
  onClose: () => void
}

/** What a check says, and who decides it. */
export const CheckForm = ({ check, onSave, onClose }: CheckFormProps): ReactNode => {
  const [text, setText] = useState(check?.text ?? '')
  const [verifier, setVerifier] = useState<Verifier>(check?.verifier ?? 'anyone')
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (text.trim() === '') return
    onSave(text.trim(), verifier)
    onClose()
  }
  return (
    <form className="check-form" onSubmit={submit}>
      <input
        className="input"
        aria-label={check ? 'Text of the check' : 'New check'}
        placeholder="What must hold before the task is done"
        value={text}
        maxLength={500}
        // biome-ignore lint/a11y/noAutofocus: it was opened to type here
        autoFocus
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return
          event.stopPropagation()
          onClose()
        }}
      />
      <div className="editor-actions">
        <VerifierPicker value={verifier} onChoose={setVerifier} />
        <span className="spacer" />
        <Button kind="quiet" small onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" kind="primary" small disabled={text.trim() === ''}>
          {check ? 'Save' : 'Add'}
        </Button>
      </div>
    </form>
  )
}
