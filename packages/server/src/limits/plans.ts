import { readFileSync } from 'node:fs'

export interface Plan {
  name: string
  requestsPerMinute: number
  requestsPerDay: number
  taskCreatesPerHour: number
  searchesPerMinute: number
  knowledgeWritesPerHour: number
}

export type PlanLimit = Exclude<keyof Plan, 'name'>

/** By name. */
export type Plans = ReadonlyMap<string, Plan>

const endpointLimits = { taskCreatesPerHour: 100, searchesPerMinute: 30, knowledgeWritesPerHour: 60 }

export const builtInPlans: readonly Plan[] = [
  { name: 'free', requestsPerMinute: 60, requestsPerDay: 1_000, ...endpointLimits },
  { name: 'pro', requestsPerMinute: 300, requestsPerDay: 50_000, ...endpointLimits },
  {
    name: 'self-hosted',
    requestsPerMinute: 6_000_000,
    requestsPerDay: 5_000_000_000,
    taskCreatesPerHour: 50_000_000,
    searchesPerMinute: 3_000_000,
    knowledgeWritesPerHour: 50_000_000,
  },
]

const planLimits: readonly PlanLimit[] = [
  'requestsPerMinute',
  'requestsPerDay',
  'taskCreatesPerHour',
  'searchesPerMinute',
  'knowledgeWritesPerHour',
]

/** The longest integer of an HTTP structured field, in which limits are shown. */
const highestLimit = 999_999_999_999_999

const isLimit = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) >= 1 && (value as number) <= highestLimit

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const mistakesIn = (name: string, given: unknown, isKnown: boolean): string[] => {
  const mistakes: string[] = []
  if (!/^[a-z][a-z0-9-]{0,31}$/.test(name)) {
    mistakes.push(`"${name}": a plan's name is a lower-case letter and up to 31 more of a-z, 0-9 and "-"`)
  }
  if (!isObject(given)) return [...mistakes, `"${name}": must be an object with the limits of the plan`]
  for (const [field, value] of Object.entries(given)) {
    if (!planLimits.some((limit) => limit === field)) {
      mistakes.push(`"${name}.${field}": is not a limit; the limits are ${planLimits.join(', ')}`)
    } else if (!isLimit(value)) {
      mistakes.push(
        `"${name}.${field}": must be a whole number from 1 to ${highestLimit}, not ${JSON.stringify(value)}`,
      )
    }
  }
  if (!isKnown) {
    const missing = planLimits.filter((limit) => !Object.hasOwn(given, limit))
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
  if (!isObject(given)) throw new Error(`The plans file ${path} must hold an object: {"plan name": {limits}, …}`)
  const mistakes = Object.entries(given).flatMap(([name, limits]) => mistakesIn(name, limits, plans.has(name)))
  if (mistakes.length > 0) {
    throw new Error(`The plans file ${path} has mistakes:\n${mistakes.map((mistake) => `  ${mistake}`).join('\n')}`)
  }
  for (const [name, limits] of Object.entries(given)) {
    plans.set(name, { ...(plans.get(name) as Plan), ...(limits as Partial<Plan>), name })
  }
  return plans
}
