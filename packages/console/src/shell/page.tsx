import { type ReactNode, useEffect } from 'react'
import { IconButton } from '../components/button'
import { LiveIndicator } from './live-indicator'
import { useShell } from './shell-context'

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
  useEffect(() => {
    document.title = `${title} · Worklore`
  }, [title])
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
