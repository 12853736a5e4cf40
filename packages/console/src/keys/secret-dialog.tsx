import type { ReactNode } from 'react'
import { Button } from '../components/button'
import { Dialog } from '../components/dialog'
import { Command } from '../components/states'

interface SecretDialogProps {
  title: string
  secret: string | null
  children: ReactNode
  /** What to do where the answer was lost. */
  lost?: string
  onClose: () => void
}

/** A secret, shown this once. */
export const SecretDialog = ({
  title,
  secret,
  children,
  lost = 'The answer was lost on the way. Rotate it to get another.',
  onClose,
}: SecretDialogProps): ReactNode => (
  <Dialog title={title} onClose={onClose} isFirm>
    <div className="dialog-body form">
      <p>{children}</p>
      {secret ? <Command text={secret} /> : <p className="form-error">{lost}</p>}
    </div>
    <div className="dialog-foot">
      <Button kind="primary" onClick={onClose}>
        Done
      </Button>
    </div>
  </Dialog>
)
