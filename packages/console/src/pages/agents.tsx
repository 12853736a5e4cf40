import type { ReactNode } from 'react'
import { AgentTable } from '../agents/agent-table'
import { ClaimsHidden, NoAgents } from '../agents/notices'
import { useAgents } from '../agents/use-agents'
import { hasScope } from '../api/permissions'
import { Page } from '../layout/page'
import { useConsole } from '../store/console'
import { useObservable } from '../store/observable'
import '../styles/overview.css'

export const AgentsPage = (): ReactNode => {
  const agents = useAgents()
  const seesClaims = hasScope(useObservable(useConsole().me), 'tasks:read')
  return (
    <Page title="Agents">
      <div className="page-body">
        <div className="page-content">
          {!seesClaims && <ClaimsHidden />}
          {agents.length === 0 ? <NoAgents /> : <AgentTable agents={agents} />}
        </div>
      </div>
    </Page>
  )
}
