import { type ReactNode, useState } from 'react'
import { Dialog } from '../components/dialog'
import { FormError, FormFoot, useSubmit } from '../components/form'
import { useConsole } from '../store/console'
import { type PauseTarget, setPaused } from './set-paused'

const maxReasonLength = 500

const effects: Record<PauseTarget['what'], string> = {
  tenant: 'Nobody gets new work until you resume.',
  project: 'Nobody gets new work from this project until you resume it.',
  key: 'It gets no new work until you resume it.',
}

/** Asks why something is to be paused. */
const PauseDialog = ({ target, onClose }: { target: PauseTarget; onClose: () => void }): ReactNode => {
  const shared = useConsole()
  const [reason, setReason] = useState('')
  const { submit, isBusy, error } = useSubmit(async () => {
    await setPaused(shared, target, reason.trim())
    onClose()
  })
  return (
    <Dialog title={`Pause ${target.name}?`} onClose={onClose}>
      <form onSubmit={submit}>
        <div className="dialog-body form">
          <p>{effects[target.what]} Tasks that are held can be finished.</p>
          <div className="field">
            <label htmlFor="pause-reason">Reason</label>
            <input
              id="pause-reason"
              className="input"
              value={reason}
              maxLength={maxReasonLength}
              autoComplete="off"
              aria-describedby="pause-hint"
              onChange={(event) => setReason(event.target.value)}
            />
            <small id="pause-hint" className="muted">
              Agents that ask for work are told.
            </small>
          </div>
          <FormError error={error} />
        </div>
        <FormFoot submit="Pause" isDisabled={isBusy || reason.trim() === ''} onCancel={onClose} />
      </form>
    </Dialog>
  )
}

export default PauseDialog
