import type { ReactNode } from 'react'
import { AgentTable } from '../agents/agent-table'
import { nextCommand } from '../agents/next-command'
import { useAgents } from '../agents/use-agents'
import { Empty } from '../components/states'
import { Page } from '../shell/page'
import '../styles/overview.css'

export const AgentsPage = (): ReactNode => {
  const agents = useAgents()
  return (
    <Page title="Agents">
      <div className="page-body">
        <div className="page-content">
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
