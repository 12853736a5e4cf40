import { type ReactNode, Suspense, useState } from 'react'
import type { Paused } from 'worklore-client'
import { actorOf } from '../api/actor'
import { errorText } from '../api/error-text'
import { Icon } from '../components/icons'
import type { Choice } from '../components/menu'
import { onDemand } from '../components/on-demand'
import { useConsole } from '../store/console'
import { useUsers } from '../store/records'
import { type PauseTarget, setPaused } from './set-paused'

const PauseDialog = onDemand(() => import('./pause-dialog'))

interface PauseParts {
  /** Resumes at once, or asks why it is to be paused. */
  toggle: (target: PauseTarget) => void
  /** The same for a menu. */
  choice: (target: PauseTarget) => Choice<() => void>
  dialog: ReactNode
}

export const usePause = (): PauseParts => {
  const shared = useConsole()
  const [target, setTarget] = useState<PauseTarget | null>(null)
  const toggle = (wanted: PauseTarget): void => {
    if (!wanted.paused) setTarget(wanted)
    else setPaused(shared, wanted, null).catch((error) => shared.toasts.error(errorText(error)))
  }
  return {
    toggle,
    choice: (wanted) => ({
      value: () => toggle(wanted),
      label: wanted.paused ? 'Resume' : 'Pause…',
      icon: <Icon name={wanted.paused ? 'play' : 'pause'} size={14} />,
    }),
    dialog: <Suspense>{target && <PauseDialog target={target} onClose={() => setTarget(null)} />}</Suspense>,
  }
}

export const PausedBadge = ({ paused }: { paused: Paused | null | undefined }): ReactNode => {
  const users = useUsers()
  return (
    paused && (
      <span className="badge amber" title={`Paused by ${actorOf(users, paused.by).name}: ${paused.reason}`}>
        paused
      </span>
    )
  )
}
