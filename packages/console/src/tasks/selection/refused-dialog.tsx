import type { ReactNode } from 'react'
import { Button } from '../../components/button'
import { Dialog } from '../../components/dialog'
import { Icon } from '../../components/icons'
import { useConsole } from '../../store/console'
import type { Refused } from './use-told'

/** Why some of many records were left as they are. */
export const RefusedDialog = ({ refused, onClose }: { refused: Refused; onClose: () => void }): ReactNode => {
  const { tasks } = useConsole()
  return (
    <Dialog title={refused.title} onClose={onClose} className="wide">
      <div className="dialog-body">
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and the keyboard must reach it */}
        <ul className="refusals" tabIndex={0} aria-label={refused.title}>
          {refused.refusals.map(({ id, reason }) => (
            <li key={id}>
              <Icon name="alert" size={14} />
              <span>
                <b>{id}</b> {tasks.card(id)?.title}
                <br />
                <span className="muted">{reason}</span>
              </span>
            </li>
          ))}
        </ul>
      </div>
      <div className="dialog-foot">
        <Button kind="primary" onClick={onClose}>
          OK
        </Button>
      </div>
    </Dialog>
  )
}
