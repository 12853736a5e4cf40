import type { EndpointLimit } from './limiter.js'
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
]

export const planWindows = windowKinds.slice(0, 2)

export const endpointWindows: Readonly<Record<EndpointLimit, WindowKind>> = {
  taskCreates: windowKinds[2]!,
  searches: windowKinds[3]!,
  knowledgeWrites: windowKinds[4]!,
}

/** A window of one plan, ready to be decided over. */
export interface LimitedWindow {
  readonly name: string
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
export const policyName = (name: string): string => `"${name.replaceAll(' ', '-')}"`

export const rulesOver = (windows: readonly Omit<LimitedWindow, 'lengthMs'>[]): Rules => ({
  windows: windows.map((window) => ({ ...window, lengthMs: window.lengthSeconds * 1_000 })),
  policy: windows.map((window) => `${policyName(window.name)};q=${window.limit};w=${window.lengthSeconds}`).join(', '),
})

const rulesOf = (plan: Plan, kinds: readonly WindowKind[]): Rules =>
  rulesOver(
    kinds.map(({ name, at, planLimit, lengthSeconds }) => ({ name, at, limit: plan[planLimit], lengthSeconds })),
  )

type PlanRules = Readonly<Record<EndpointLimit | 'plain' | 'all', Rules>>

const worked = new WeakMap<Plan, PlanRules>()

const workOut = (plan: Plan): PlanRules => ({
  plain: rulesOf(plan, planWindows),
  taskCreates: rulesOf(plan, [...planWindows, endpointWindows.taskCreates]),
  searches: rulesOf(plan, [...planWindows, endpointWindows.searches]),
  knowledgeWrites: rulesOf(plan, [...planWindows, endpointWindows.knowledgeWrites]),
  all: rulesOf(plan, windowKinds),
})

/** Worked out once for each plan: a plan never changes, a tenant gets another. */
export const rulesFor = (plan: Plan, endpoint: EndpointLimit | 'plain' | 'all' = 'plain'): Rules => {
  let rules = worked.get(plan)
  if (!rules) {
    rules = workOut(plan)
    worked.set(plan, rules)
  }
  return rules[endpoint]
}
