import type { Dialect } from '../db/dialect.js'
import type { EndpointLimit } from './limiter.js'
import type { Plan } from './plans.js'
import { countColumns } from './store.js'
import { endpointWindows, planWindows, type WindowKind, windowKinds } from './windows.js'

/** The order in which the requests of one batch are decided; whoever reads the answer decides in the same. */
export const decidedInOrder: readonly (EndpointLimit | undefined)[] = [
  undefined,
  'taskCreates',
  'searches',
  'knowledgeWrites',
]

/** What a tenant asks for: how many requests of each kind, under which limits. */
export type AskedRow = Record<string, string | number>

const askedName = (endpoint: EndpointLimit | undefined): string =>
  `asked_${endpoint ? endpointWindows[endpoint].column : 'plain'}`

const limitName = (kind: WindowKind): string => `${kind.column}_limit`

const askedColumns = {
  tenant_id: 'text',
  ...Object.fromEntries(decidedInOrder.map((endpoint) => [askedName(endpoint), 'bigint'])),
  ...Object.fromEntries(windowKinds.map((kind) => [limitName(kind), 'bigint'])),
} as Record<string, 'text' | 'bigint'>

export const askedRow = (tenantId: string, plan: Plan, asked: ReadonlyMap<EndpointLimit | undefined, number>) => {
  const row: AskedRow = { tenant_id: tenantId }
  for (const endpoint of decidedInOrder) row[askedName(endpoint)] = asked.get(endpoint) ?? 0
  for (const kind of windowKinds) row[limitName(kind)] = plan[kind.planLimit]
  return row
}

/** The same rule as that of the decision in memory: see `settle`. */
const settled = ({ column, lengthSeconds }: WindowKind): string => {
  const isOpen = `${column}_used > 0 and ${column}_opened_at > now_ms - ${lengthSeconds * 1_000}`
  return `case when ${isOpen} then ${column}_used else 0 end as ${column}_used,
    case when ${isOpen} and ${column}_opened_at <= now_ms then ${column}_opened_at else now_ms end as ${column}_opened_at`
}

const granted = (endpoint: EndpointLimit | undefined): string => `granted_${askedName(endpoint)}`

const grantStep = (endpoint: EndpointLimit | undefined, at: number): string => {
  const before = decidedInOrder.slice(0, at).map((earlier) => ` - ${granted(earlier)}`)
  const bounds = [askedName(endpoint), `room${before.join('')}`]
  if (endpoint) {
    const kind = endpointWindows[endpoint]
    bounds.push(`greatest(0, ${limitName(kind)} - ${kind.column}_used)`)
  }
  return `step_${at + 1} as materialized (select *, least(${bounds.join(', ')}) as ${granted(endpoint)} from step_${at})`
}

const grantedIn = (kind: WindowKind): string =>
  decidedInOrder
    .filter((endpoint) => planWindows.includes(kind) || (endpoint && endpointWindows[endpoint] === kind))
    .map(granted)
    .join(' + ')

/**
 * Decides over all requests of a batch in one statement and answers each tenant's counts as they stood before it.
 * Rows are locked in the order of their tenants, so that nodes wait for each other but never in a circle, and the
 * clock is read when the locks are held. Refused requests write nothing. The steps are materialized, for each uses
 * the one before several times.
 */
export const takeStatement = (dialect: Dialect, nowMs = dialect.nowMs): string => {
  const steps = decidedInOrder.map(grantStep)
  const last = `step_${decidedInOrder.length}`
  return `with asked as (select * from ${dialect.rowsOf(askedColumns)}),
  locked as (
    select * from limit_windows where tenant_id in (select tenant_id from asked)
    order by tenant_id${dialect.forUpdate}
  ),
  timed as (select *, ${nowMs} as now_ms, ${dialect.commitSoon} as commit_soon from locked),
  standing as (select tenant_id, now_ms, commit_soon, ${windowKinds.map(settled).join(', ')} from timed),
  step_0 as materialized (
    select *, greatest(0, least(${planWindows.map((kind) => `${limitName(kind)} - ${kind.column}_used`).join(', ')})) as room
    from standing join asked using (tenant_id)
  ),
  ${steps.join(',\n  ')},
  counted as (
    update limit_windows as windows set ${windowKinds
      .map(
        (kind) =>
          `${kind.column}_opened_at = taken.${kind.column}_opened_at, ${kind.column}_used = taken.${kind.column}_used + ${grantedIn(kind)}`,
      )
      .join(', ')}
    from ${last} as taken
    where windows.tenant_id = taken.tenant_id and ${grantedIn(planWindows[0]!)} > 0
  )
  select tenant_id, now_ms, ${countColumns.join(', ')} from standing`
}

export const addRowsStatement = (dialect: Dialect): string =>
  `insert into limit_windows (tenant_id)
  select tenant_id from tenants where tenant_id in (select tenant_id from ${dialect.rowsOf({ tenant_id: 'text' })})
  order by tenant_id on conflict (tenant_id) do nothing`

export const lookStatement = (dialect: Dialect, nowMs = dialect.nowMs): string =>
  `select ${nowMs} as now_ms, ${countColumns.map((name) => `coalesce(${name}, 0) as ${name}`).join(', ')}
  from (select cast(? as text) as wanted) as one left join limit_windows on tenant_id = wanted`
