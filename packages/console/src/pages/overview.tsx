import { type ReactNode, Suspense } from 'react'
import { AgentTable } from '../agents/agent-table'
import { NoAgents } from '../agents/notices'
import { useAgents } from '../agents/use-agents'
import { hasScope } from '../api/permissions'
import { Sparkline } from '../components/charts'
import { numberText } from '../components/count'
import { onDemand } from '../components/on-demand'
import { MissingScope } from '../components/states'
import { useNow } from '../components/time'
import { useExhausted } from '../inbox/attention'
import { NeedsYou } from '../inbox/needs-you'
import { Page } from '../layout/page'
import { ratesOf } from '../store/activity'
import { useConsole } from '../store/console'
import { useObservable } from '../store/observable'
import '../styles/overview.css'

const Reservations = onDemand(() => import('../agents/reservations'))

const Stat = ({ value, label, tone = '' }: { value: number; label: string; tone?: string }): ReactNode => (
  <div className={`stat ${value > 0 ? tone : ''}`}>
    <b className="num">{numberText(value)}</b>
    <span>{label}</span>
  </div>
)

const Rates = (): ReactNode => {
  const { activity } = useConsole()
  useObservable(activity.revision)
  const rates = ratesOf(activity.list(), useNow())
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
        width={170}
        height={38}
      />
    </div>
  )
}

const Overview = (): ReactNode => {
  const agents = useAgents()
  const exhausted = useExhausted()
  const claims = agents.flatMap((agent) => agent.claims.map(({ id, claim }) => claim?.token ?? id)).join()
  const countOf = (state: string): number => agents.filter((agent) => agent.state === state).length
  return (
    <div className="page-body">
      <div className="page-content">
        <div className="stats">
          <Stat value={countOf('working')} label="working" tone="green" />
          <Stat value={countOf('silent')} label="silent" tone="amber" />
          <Stat value={countOf('idle')} label="idle" />
          <Stat value={exhausted.length} label="exhausted" tone="red" />
          <Rates />
        </div>
        <NeedsYou agents={agents} max={8} />
        <section aria-labelledby="agents">
          <div className="section-head">
            <h2 id="agents">Agents</h2>
            <span className="muted num">{numberText(agents.length)}</span>
          </div>
          {agents.length === 0 ? <NoAgents /> : <AgentTable agents={agents} />}
        </section>
        <Suspense>
          <Reservations claims={claims} />
        </Suspense>
      </div>
    </div>
  )
}

export const OverviewPage = (): ReactNode => {
  const { me } = useConsole()
  const canSee = hasScope(useObservable(me), 'tasks:read')
  return <Page title="Overview">{canSee ? <Overview /> : <MissingScope scope="tasks:read" what="tasks" />}</Page>
}
