import type { ReactNode } from 'react'
import { useConsole } from '../store/console'
import { useObservable } from '../store/observable'

const texts = { connecting: 'Connecting', live: 'Live', reconnecting: 'Reconnecting' }

export const LiveIndicator = (): ReactNode => {
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
      <span className={state === 'live' ? 'live-text' : undefined}>{texts[state]}</span>
    </span>
  )
}
