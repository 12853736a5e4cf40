import { type FormEvent, type ReactNode, useState } from 'react'
import { errorText } from '../api/error-text'
import { Button } from './button'

/** Why a form was not sent; nothing where there is no error. */
export const FormError = ({ error }: { error: unknown }): ReactNode =>
  error !== undefined && (
    <p className="form-error" role="alert">
      {errorText(error)}
    </p>
  )

interface FormFootProps {
  submit: string
  isDisabled: boolean
  onCancel: () => void
}

/** The buttons of a form in a dialog. */
export const FormFoot = ({ submit, isDisabled, onCancel }: FormFootProps): ReactNode => (
  <div className="dialog-foot">
    <Button kind="quiet" onClick={onCancel}>
      Cancel
    </Button>
    <Button type="submit" kind="primary" disabled={isDisabled}>
      {submit}
    </Button>
  </div>
)

interface Submission {
  /** Runs the action, unless it is running already. */
  submit: (event?: FormEvent) => void
  isBusy: boolean
  /** Why the action failed last. */
  error: unknown
}

/** Sends a form. `explain` may replace an error by one that says more to who filled it in. */
export const useSubmit = (
  action: () => Promise<unknown>,
  explain: (cause: unknown) => unknown = (cause) => cause,
): Submission => {
  const [error, setError] = useState<unknown>()
  const [isBusy, setIsBusy] = useState(false)
  const run = async (): Promise<void> => {
    setIsBusy(true)
    await action().catch((cause) => setError(explain(cause)))
    setIsBusy(false)
  }
  return {
    submit: (event) => {
      event?.preventDefault()
      if (!isBusy) void run()
    },
    isBusy,
    error,
  }
}
