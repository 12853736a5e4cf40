import { type ReactNode, useEffect } from 'react'
import { IconButton } from '../components/button'
import { numberText } from '../components/count'
import { useObservable } from '../store/base/observable'
import { useConsole } from '../store/console'
import { useShell } from './shell-context'

const liveStateNames = { connecting: 'Connecting', live: 'Live', reconnecting: 'Reconnecting' }

const LiveIndicator = (): ReactNode => {
  const { live } = useConsole()
  const state = useObservable(live.state)
  return (
    <span
      className="live"
      data-state={state}
      role="status"
      title={state === 'live' ? 'Changes are shown as they happen' : 'Showing what was last known'}
    >
      <span className="live-dot" aria-hidden="true" />
      <span className={state === 'live' ? 'live-text' : undefined}>{liveStateNames[state]}</span>
    </span>
  )
}

interface PageProps {
  /** Of the browser's tab. */
  title: string
  heading?: ReactNode
  actions?: ReactNode
  toolbar?: ReactNode
  children: ReactNode
}

/** A page with its head; every page has the same one. */
export const Page = ({ title, heading, actions, toolbar, children }: PageProps): ReactNode => {
  const { openMenu } = useShell()
  const waiting = useObservable(useConsole().waiting)
  useEffect(() => {
    document.title = `${waiting ? `(${numberText(waiting)}) ` : ''}${title} · Worklore`
  }, [title, waiting])
  return (
    <div className="page">
      <header className="page-head">
        <IconButton icon="menu" label="Menu" className="menu-button" onClick={openMenu} />
        <h1 className="page-title">{heading ?? <span className="truncate">{title}</span>}</h1>
        <div className="page-actions">
          {actions}
          <LiveIndicator />
        </div>
      </header>
      {toolbar && <div className="toolbar">{toolbar}</div>}
      {children}
    </div>
  )
}
