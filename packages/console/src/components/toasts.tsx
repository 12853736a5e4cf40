import type { ReactNode } from 'react'
import { useObservable } from '../store/base/observable'
import { useConsole } from '../store/console'
import { IconButton } from './button'
import { Icon } from './icons'

export const Toasts = (): ReactNode => {
  const { toasts } = useConsole()
  const list = useObservable(toasts.list)
  return (
    <div className="toasts" role="status" aria-live="polite">
      {list.map(({ id, kind, text, action }) => (
        <div key={id} className={`toast ${kind}`}>
          <Icon name={kind === 'error' ? 'alert' : 'check'} />
          <span className="toast-text">{text}</span>
          {action && (
            <button
              type="button"
              className="link"
              onClick={() => {
                toasts.dismiss(id)
                action.run()
              }}
            >
              {action.label}
            </button>
          )}
          <IconButton icon="close" label="Dismiss" onClick={() => toasts.dismiss(id)} />
        </div>
      ))}
    </div>
  )
}
