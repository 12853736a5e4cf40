import type { ReactNode } from 'react'
import { AgentTable } from '../agents/agent-table'
import { ClaimsHidden, NoAgents } from '../agents/notices'
import { type SortField, sortNames, sortOf } from '../agents/sort'
import { useAgents } from '../agents/use-agents'
import { useConnectAgent } from '../agents/use-connect-agent'
import { isPeriod, type Period, periods } from '../agents/use-usage'
import { hasScope } from '../api/permissions'
import { Icon } from '../components/icons'
import { Picker } from '../components/menu'
import { Page } from '../layout/page'
import { useQuery, useSetQuery } from '../query'
import { useMe } from '../store/records'
import '../styles/overview.css'

export const AgentsPage = (): ReactNode => {
  const query = useQuery()
  const setQuery = useSetQuery()
  const period: Period = isPeriod(query.period) ? query.period : '24h'
  const agents = useAgents(period)
  const { button, dialog } = useConnectAgent()
  const me = useMe()
  const seesClaims = hasScope(me, 'tasks:read')
  const sort = sortOf(query.sort)
  return (
    <Page
      title="Agents"
      actions={agents.length > 0 && button}
      toolbar={
        agents.length > 0 &&
        hasScope(me, 'admin') && (
          <>
            <Picker
              label="Period"
              className="bordered"
              choices={(Object.keys(periods) as Period[]).map((value) => ({ value, label: periods[value].name }))}
              selected={[period]}
              onChoose={(value) => setQuery({ period: value === '24h' ? undefined : value }, { replace: true })}
            >
              {periods[period].name}
              <Icon name="down" size={14} />
            </Picker>
            <Picker
              label="Sort by"
              className="bordered"
              choices={(Object.keys(sortNames) as SortField[]).map((value) => ({ value, label: sortNames[value] }))}
              selected={[sort.field]}
              onChoose={(field) =>
                setQuery(
                  { sort: field === 'state' ? undefined : field === 'name' ? field : `-${field}` },
                  { replace: true },
                )
              }
            >
              Sort: {sortNames[sort.field]}
              <Icon name="down" size={14} />
            </Picker>
          </>
        )
      }
    >
      <div className="page-body">
        <div className="page-content wide">
          {!seesClaims && <ClaimsHidden />}
          {agents.length === 0 ? <NoAgents>{button}</NoAgents> : <AgentTable agents={agents} period={period} />}
        </div>
      </div>
      {dialog}
    </Page>
  )
}
