import type { ReactNode } from 'react'
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
