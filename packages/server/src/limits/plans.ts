import { readFileSync } from 'node:fs'

const planLimits = [
  'requestsPerMinute',
  'requestsPerDay',
  'taskCreatesPerHour',
  'searchesPerMinute',
  'knowledgeWritesPerHour',
  // Of the web console, in place of all limits above.
  'sessionReadsPerMinute',
  'sessionWritesPerMinute',
  // Requests at work at once; more wait their turn.
  'concurrentRequests',
] as const

const planQuotas = ['storedBytes', 'keys', 'openStreams'] as const

/** Fields that a plan can do without. */
const planOptions = [...planQuotas, 'maxKeyDays'] as const

export type PlanLimit = (typeof planLimits)[number]
/** What a tenant can have of something, whenever it got it; without a number, as much as it likes. */
export type PlanQuota = (typeof planQuotas)[number]

export interface Plan extends Record<PlanLimit, number>, Partial<Record<PlanQuota, number | null>> {
  name: string
  /** The longest life of a key, in days; without it a key need not end. */
  maxKeyDays?: number | null
}

/** By name. */
export type Plans = ReadonlyMap<string, Plan>

const defaultConcurrency = 64
const sessionLimits = { sessionReadsPerMinute: 600, sessionWritesPerMinute: 600 }

const endpointLimits = { taskCreatesPerHour: 100, searchesPerMinute: 30, knowledgeWritesPerHour: 60 }

export const builtInPlans: readonly Plan[] = [
  {
    name: 'free',
    requestsPerMinute: 60,
    requestsPerDay: 1_000,
    ...endpointLimits,
    storedBytes: 1_000_000_000,
    keys: 100,
    openStreams: 200,
    ...sessionLimits,
    concurrentRequests: 16,
  },
  {
    name: 'pro',
    requestsPerMinute: 300,
    requestsPerDay: 50_000,
    ...endpointLimits,
    storedBytes: 50_000_000_000,
    keys: 1_000,
    openStreams: 200,
    ...sessionLimits,
    concurrentRequests: defaultConcurrency,
  },
  {
    name: 'self-hosted',
    requestsPerMinute: 6_000_000,
    requestsPerDay: 5_000_000_000,
    taskCreatesPerHour: 50_000_000,
    searchesPerMinute: 3_000_000,
    knowledgeWritesPerHour: 50_000_000,
    sessionReadsPerMinute: 6_000_000,
    sessionWritesPerMinute: 6_000_000,
    concurrentRequests: 256,
  },
]

/** Plans files of before have no word for them. */
const optionalLimits: readonly PlanLimit[] = ['sessionReadsPerMinute', 'sessionWritesPerMinute', 'concurrentRequests']

/** The longest integer of an HTTP structured field, in which limits are shown. */
const highestLimit = 999_999_999_999_999

const isLimit = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) >= 1 && (value as number) <= highestLimit

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const mistakesIn = (name: string, given: unknown, isKnown: boolean): string[] => {
  const mistakes: string[] = []
  if (!/^[a-z][a-z0-9-]{0,31}$/.test(name)) {
    mistakes.push(`"${name}": a plan name must start with a lower-case letter and have at most 32 of a-z, 0-9 and "-"`)
  }
  if (!isObject(given)) return [...mistakes, `"${name}": must be an object with the limits of the plan`]
  for (const [field, value] of Object.entries(given)) {
    const isOptional = planOptions.some((option) => option === field)
    if (!isOptional && !planLimits.some((limit) => limit === field)) {
      const known = [...planLimits, ...planOptions].join(', ')
      mistakes.push(`"${name}.${field}": is not a limit or quota; must be one of ${known}`)
    } else if (!isLimit(value) && !(isOptional && value === null)) {
      const orNull = isOptional ? ', or null for none' : ''
      mistakes.push(
        `"${name}.${field}": must be a whole number from 1 to ${highestLimit}${orNull}, not ${JSON.stringify(value)}`,
      )
    }
  }
  if (!isKnown) {
    const missing = planLimits.filter((limit) => !optionalLimits.includes(limit) && !Object.hasOwn(given, limit))
    if (missing.length > 0) mistakes.push(`"${name}": is a new plan, so it also needs ${missing.join(', ')}`)
  }
  return mistakes
}

const readPlans = (path: string): unknown => {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    throw new Error(`The plans file ${path} cannot be read as JSON: ${(error as Error).message}`, { cause: error })
  }
}

/** The built-in plans, with those of the file added or their limits changed; throws naming every wrong entry. */
export const loadPlans = (path?: string): Plans => {
  const plans = new Map(builtInPlans.map((plan) => [plan.name, plan]))
  if (path === undefined) return plans
  const given = readPlans(path)
  if (!isObject(given)) throw new Error(`The plans file ${path} must contain an object: {"plan name": {limits}, …}`)
  const mistakes = Object.entries(given).flatMap(([name, limits]) => mistakesIn(name, limits, plans.has(name)))
  if (mistakes.length > 0) {
    throw new Error(`The plans file ${path} is invalid:\n${mistakes.map((mistake) => `  ${mistake}`).join('\n')}`)
  }
  for (const [name, limits] of Object.entries(given)) {
    const known = plans.get(name) ?? { ...sessionLimits, concurrentRequests: defaultConcurrency }
    plans.set(name, { ...(known as Plan), ...(limits as Partial<Plan>), name })
  }
  return plans
}
