import type { ReactNode } from 'react'
import { AgentTable } from '../agents/agent-table'
import { ClaimsHidden } from '../agents/claims-hidden'
import { nextCommand } from '../agents/next-command'
import { useAgents } from '../agents/use-agents'
import { hasScope } from '../api/permissions'
import { Empty } from '../components/states'
import { Page } from '../shell/page'
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
          {agents.length === 0 ? (
            <Empty icon="agents" title="No agent has worked here yet" command={nextCommand()}>
              <p>Give an agent a key under Keys. Once it claims a task, it shows up here.</p>
            </Empty>
          ) : (
            <AgentTable agents={agents} />
          )}
        </div>
      </div>
    </Page>
  )
}
