import type { ReactNode } from 'react'
import { hasScope } from '../api/permissions'
import { Empty, Skeletons } from '../components/states'
import { useKeyRecords, useMe } from '../store/records'

/** Whether agents work follows from their claims, which are part of the tasks. */
export const ClaimsHidden = (): ReactNode => (
  <div className="notice blue">
    <span>
      Seeing who works on what needs the scope <code>tasks:read</code>, which your key does not have.
    </span>
  </div>
)

/** Leads to the first agent. Only admins know of agents that did nothing of late. */
export const NoAgents = ({ children }: { children: ReactNode }): ReactNode => {
  const { list, isLoaded } = useKeyRecords()
  const isAdmin = hasScope(useMe(), 'admin')
  if (isAdmin && !isLoaded) return <Skeletons />
  const isFirst = isAdmin && list.every(({ lastUsedAt, scopes }) => lastUsedAt === null || scopes.includes('admin'))
  return (
    <Empty icon="agents" title={`No agent has worked here ${isFirst ? 'yet' : 'lately'}`}>
      <p>Once an agent uses its key, it shows up here.</p>
      {children}
    </Empty>
  )
}
