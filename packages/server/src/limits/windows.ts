import type { EndpointLimit, RequestWindows } from './limiter.js'
import type { Plan, PlanLimit } from './plans.js'

export interface WindowKind {
  /** As a person says it. */
  readonly name: string
  /** Its place among a tenant's counts. */
  readonly at: number
  /** What its columns begin with. */
  readonly column: string
  readonly planLimit: PlanLimit
  readonly lengthSeconds: number
}

export const windowKinds: readonly WindowKind[] = [
  { name: 'requests per minute', at: 0, column: 'minute', planLimit: 'requestsPerMinute', lengthSeconds: 60 },
  { name: 'requests per day', at: 1, column: 'day', planLimit: 'requestsPerDay', lengthSeconds: 86_400 },
  {
    name: 'task creates per hour',
    at: 2,
    column: 'task_creates',
    planLimit: 'taskCreatesPerHour',
    lengthSeconds: 3_600,
  },
  { name: 'searches per minute', at: 3, column: 'searches', planLimit: 'searchesPerMinute', lengthSeconds: 60 },
  {
    name: 'knowledge writes per hour',
    at: 4,
    column: 'knowledge_writes',
    planLimit: 'knowledgeWritesPerHour',
    lengthSeconds: 3_600,
  },
  {
    name: 'session reads per minute',
    at: 5,
    column: 'session_reads',
    planLimit: 'sessionReadsPerMinute',
    lengthSeconds: 60,
  },
  {
    name: 'session writes per minute',
    at: 6,
    column: 'session_writes',
    planLimit: 'sessionWritesPerMinute',
    lengthSeconds: 60,
  },
]

const requestWindows: Readonly<Record<RequestWindows, readonly WindowKind[]>> = {
  plan: windowKinds.slice(0, 2),
  sessionReads: [windowKinds[5]!],
  sessionWrites: [windowKinds[6]!],
}

/** Whether only requests with sessions count in a window. */
export const isOfSessions = (name: string): boolean =>
  [...requestWindows.sessionReads, ...requestWindows.sessionWrites].some((window) => window.name === name)

export const endpointWindows: Readonly<Record<EndpointLimit, WindowKind>> = {
  taskCreates: windowKinds[2]!,
  searches: windowKinds[3]!,
  knowledgeWrites: windowKinds[4]!,
}

/** The places of the windows in which one operation counts. A session's count in no window of an endpoint. */
export const windowsCountedBy = (endpoint: EndpointLimit | undefined, countsIn: RequestWindows | null): number[] => [
  ...(countsIn ? requestWindows[countsIn].map(({ at }) => at) : []),
  ...(endpoint && (countsIn === null || countsIn === 'plan') ? [endpointWindows[endpoint].at] : []),
]

/** A window of one plan, ready to be decided over. */
export interface LimitedWindow {
  readonly name: string
  readonly policyName: string
  readonly at: number
  readonly limit: number
  readonly lengthSeconds: number
  readonly lengthMs: number
}

/** The windows that a request must pass, and the same as a `RateLimit-Policy`. */
export interface Rules {
  readonly windows: readonly LimitedWindow[]
  readonly policy: string
}

/** A window's name in the structured fields of the IETF draft. */
const policyName = (name: string): string => `"${name.replaceAll(' ', '-')}"`

type NamedWindow = Pick<LimitedWindow, 'name' | 'at' | 'limit' | 'lengthSeconds'>

export const rulesOver = (windows: readonly NamedWindow[]): Rules => ({
  windows: windows.map((window) => ({
    ...window,
    policyName: policyName(window.name),
    lengthMs: window.lengthSeconds * 1_000,
  })),
  policy: windows.map((window) => `${policyName(window.name)};q=${window.limit};w=${window.lengthSeconds}`).join(', '),
})

const rulesOf = (plan: Plan, kinds: readonly WindowKind[]): Rules =>
  rulesOver(
    kinds.map(({ name, at, planLimit, lengthSeconds }) => ({ name, at, limit: plan[planLimit], lengthSeconds })),
  )

/** The windows of requests and those of the endpoints; `all` is every window there is. */
export const rulesFor = (
  plan: Plan,
  endpoints: readonly EndpointLimit[] | 'all' = [],
  countsIn: RequestWindows = 'plan',
): Rules =>
  rulesOf(
    plan,
    windowKinds.filter(
      (kind) =>
        endpoints === 'all' ||
        requestWindows[countsIn].includes(kind) ||
        endpoints.some((endpoint) => endpointWindows[endpoint] === kind),
    ),
  )

/**
 * Works rules out once for each plan and set of endpoints, of which there are few: a plan never changes, a tenant
 * gets another.
 */
export const createRulesCache = (): typeof rulesFor => {
  const byPlan = new WeakMap<Plan, Map<string, Rules>>()
  return (plan, endpoints = [], countsIn = 'plan') => {
    let known = byPlan.get(plan)
    if (!known) {
      known = new Map()
      byPlan.set(plan, known)
    }
    const name = endpoints === 'all' ? endpoints : `${countsIn} ${endpoints.join(' ')}`
    let rules = known.get(name)
    if (!rules) {
      rules = rulesFor(plan, endpoints, countsIn)
      known.set(name, rules)
    }
    return rules
  }
}
