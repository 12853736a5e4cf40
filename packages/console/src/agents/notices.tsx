import type { ReactNode } from 'react'
import { Empty } from '../components/states'

/** Whether agents work follows from their claims, which are part of the tasks. */
export const ClaimsHidden = (): ReactNode => (
  <div className="notice blue">
    <span>
      Seeing who works on what needs the scope <code>tasks:read</code>, which your key does not have.
    </span>
  </div>
)

/** Leads to the first agent. */
export const NoAgents = ({ children }: { children: ReactNode }): ReactNode => (
  <Empty icon="agents" title="No agent has worked here yet">
    <p>Once an agent uses its key, it shows up here.</p>
    {children}
  </Empty>
)
