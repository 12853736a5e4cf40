import { type ReactNode, Suspense } from 'react'
import { AgentTable } from '../agents/agent-table'
import type { Agent, AgentState, AgentWorker } from '../agents/derive'
import { NoAgents } from '../agents/notices'
import { useAgents } from '../agents/use-agents'
import { useConnectAgent } from '../agents/use-connect-agent'
import { useRates } from '../agents/use-rates'
import { hasScope } from '../api/permissions'
import { Button } from '../components/button'
import { Sparkline } from '../components/charts'
import { numberText } from '../components/count'
import { onDemand } from '../components/on-demand'
import { MissingScope } from '../components/states'
import { NeedsYou } from '../inbox/needs-you'
import { useInbox } from '../inbox/rows'
import { Page } from '../layout/page'
import { useSettled } from '../layout/use-settled'
import { usePause } from '../pauses/use-pause'
import { useObservable } from '../store/base/observable'
import { useMe } from '../store/records'
import '../styles/overview.css'

const Reservations = onDemand(() => import('../agents/reservations'))

const Stat = ({ value, label, tone = '' }: { value: number; label: string; tone?: string }): ReactNode => (
  <div className={`stat ${value > 0 ? tone : ''}`}>
    <b className="num">{numberText(value)}</b>
    <span>{label}</span>
  </div>
)

const Rates = (): ReactNode => {
  const rates = useRates()
  const lastMinute = rates.at(-1) ?? 0
  const perMinute = Math.max(lastMinute, rates.at(-2) ?? 0)
  return (
    <div className="stat wide">
      <div>
        <b className="num">{numberText(perMinute)}</b>
        <span>changes per minute</span>
      </div>
      <Sparkline
        values={rates}
        label={`Changes per minute over the last 30 minutes, ${perMinute} now`}
        width={130}
        height={38}
      />
    </div>
  )
}

/** The workers of a key count one by one while they do something. */
const holdersOf = (agents: readonly Agent[]): (Agent | AgentWorker)[] =>
  agents.flatMap((agent): (Agent | AgentWorker)[] => {
    const busy = agent.workers.filter(({ state }) => state !== 'idle')
    return busy.length > 0 && agent.state !== 'paused' ? busy : [agent]
  })

const Overview = (): ReactNode => {
  const agents = useAgents()
  const { stuck } = useInbox()
  const exhausted = useObservable(stuck.exhausted)
  const silent = useObservable(stuck.silent)
  const { button, dialog } = useConnectAgent()
  const isSettled = useSettled()
  const claims = agents.flatMap((agent) => agent.claims.map(({ id, claim }) => claim?.token ?? id)).join()
  const countOf = (state: AgentState): number => holdersOf(agents).filter((holder) => holder.state === state).length
  const silentCount = new Set(silent.map(({ card: { claim } }) => `${claim!.keyId} ${claim!.worker ?? ''}`)).size
  return (
    <div className="page-body">
      <div className="page-content">
        <div className="stats">
          <Stat value={countOf('working')} label="working" tone="green" />
          <Stat value={silentCount} label="silent" tone="amber" />
          <Stat value={countOf('waiting')} label="waiting" />
          <Stat value={countOf('idle') + countOf('paused')} label="idle" />
          <Stat value={exhausted.count} label="exhausted" tone="red" />
          <Rates />
        </div>
        <NeedsYou max={8} />
        <section aria-labelledby="agents">
          <div className="section-head">
            <h2 id="agents">Agents</h2>
            <span className="muted num">{numberText(agents.length)}</span>
          </div>
          {agents.length === 0 ? <NoAgents>{button}</NoAgents> : <AgentTable agents={agents} />}
        </section>
        <Suspense>{isSettled && <Reservations claims={claims} />}</Suspense>
      </div>
      {dialog}
    </div>
  )
}

export const OverviewPage = (): ReactNode => {
  const me = useMe()
  const { toggle, dialog } = usePause()
  const canPause = hasScope(me, 'admin') && !me.tenant.paused
  return (
    <Page
      title="Overview"
      actions={
        canPause && (
          <Button icon="pause" onClick={() => toggle({ ...me.tenant, what: 'tenant', name: 'everything' })}>
            Pause everything
          </Button>
        )
      }
    >
      {hasScope(me, 'tasks:read') ? <Overview /> : <MissingScope scope="tasks:read" what="tasks" />}
      {dialog}
    </Page>
  )
}
