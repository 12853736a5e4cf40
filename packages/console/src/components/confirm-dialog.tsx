import { type ReactNode, useState } from 'react'
import { Button } from './button'
import { Dialog } from './dialog'
import { FormError, useSubmit } from './form'

export interface ConfirmProps {
  title: string
  children: ReactNode
  action: string
  isDangerous?: boolean
  /** Must be typed before the action is possible. */
  typed?: string
  run: () => Promise<unknown>
  onClose: () => void
}

export const ConfirmDialog = ({
  title,
  children,
  action,
  isDangerous,
  typed,
  run,
  onClose,
}: ConfirmProps): ReactNode => {
  const [text, setText] = useState('')
  const { submit, isBusy, error } = useSubmit(async () => {
    await run()
    onClose()
  })
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={submit}>
        <div className="dialog-body form">
          <div>{children}</div>
          {typed !== undefined && (
            <div className="field">
              <label htmlFor="confirm-text">
                Type <b>{typed}</b> to confirm
              </label>
              <input
                id="confirm-text"
                className="input"
                value={text}
                autoComplete="off"
                onChange={(event) => setText(event.target.value)}
              />
            </div>
          )}
          <FormError error={error} />
        </div>
        <div className="dialog-foot">
          <Button kind="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button
            type="submit"
            kind={isDangerous ? 'danger solid' : 'primary'}
            disabled={isBusy || (typed !== undefined && text !== typed)}
          >
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
