import { type ReactNode, Suspense, useState } from 'react'
import { hasScope } from '../api/permissions'
import { Button } from '../components/button'
import { onDemand } from '../components/on-demand'
import { useMe } from '../store/records'

const ConnectAgent = onDemand(() => import('./connect-agent'))

interface ConnectAgentParts {
  /** Opens the dialog; null for those who may not create a key. */
  button: ReactNode
  /** To be shown where it stays: the button may go when the first agent comes. */
  dialog: ReactNode
}

export const useConnectAgent = (): ConnectAgentParts => {
  const isAdmin = hasScope(useMe(), 'admin')
  const [isOpen, setIsOpen] = useState(false)
  return {
    button: isAdmin && (
      <Button kind="primary" icon="plus" onClick={() => setIsOpen(true)}>
        Connect an agent
      </Button>
    ),
    dialog: <Suspense>{isOpen && <ConnectAgent onClose={() => setIsOpen(false)} />}</Suspense>,
  }
}
