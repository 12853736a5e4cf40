import { type Static, Type } from 'typebox'
import { readSettingsFile } from '../base/settings-file.js'

/** The longest integer of an HTTP structured field, in which limits are shown. */
const highestLimit = 999_999_999_999_999

const bounds = { minimum: 1, maximum: highestLimit }
const expected = `a whole number from 1 to ${highestLimit}`
const Limit = Type.Integer({ ...bounds, expected })
const OptionalLimit = Type.Optional(
  Type.Unsafe<number | null>({ type: ['integer', 'null'], ...bounds, expected: `${expected}, or null for none` }),
)

const planLimits = {
  requestsPerMinute: Limit,
  requestsPerDay: Limit,
  taskCreatesPerHour: Limit,
  searchesPerMinute: Limit,
  knowledgeWritesPerHour: Limit,
  // Of the web console, in place of all limits above.
  sessionReadsPerMinute: Limit,
  sessionWritesPerMinute: Limit,
  // Requests at work at once; more wait their turn.
  concurrentRequests: Limit,
}

const planQuotas = { storedBytes: OptionalLimit, keys: OptionalLimit, openStreams: OptionalLimit }

const planFields = {
  ...planLimits,
  ...planQuotas,
  /** The longest life of a key, in days; without it a key need not end. */
  maxKeyDays: OptionalLimit,
}

export type PlanLimit = keyof typeof planLimits
/** What a tenant can have of something, whenever it got it; without a number, as much as it likes. */
export type PlanQuota = keyof typeof planQuotas

const ofPlan = { additionalProperties: false, expected: 'an object with limits' }
const PlanFields = Type.Object(planFields, ofPlan)

export interface Plan extends Static<typeof PlanFields> {
  name: string
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

const newPlanDefaults = { ...sessionLimits, concurrentRequests: defaultConcurrency }

const ChangedPlan = Type.Partial(PlanFields, ofPlan)
const NewPlan = Type.Object(
  {
    ...planFields,
    sessionReadsPerMinute: Type.Optional(Limit),
    sessionWritesPerMinute: Type.Optional(Limit),
    concurrentRequests: Type.Optional(Limit),
  },
  ofPlan,
)

const PlansFile = Type.Object(Object.fromEntries(builtInPlans.map(({ name }) => [name, Type.Optional(ChangedPlan)])), {
  additionalProperties: NewPlan,
  propertyNames: {
    pattern: '^[a-z][a-z0-9-]{0,31}$',
    expected: 'a plan name: a lower-case letter and at most 31 more of a-z, 0-9 and "-"',
  },
  expected: 'an object {"plan name": {limits}, …}',
})

/** The built-in plans, with those of the file added or their limits changed; throws naming every wrong entry. */
export const loadPlans = (path?: string): Plans => {
  const plans = new Map(builtInPlans.map((plan) => [plan.name, plan]))
  if (path === undefined) return plans
  const given = readSettingsFile(path, PlansFile) as Record<string, Partial<Plan>>
  for (const [name, limits] of Object.entries(given)) {
    plans.set(name, { ...(plans.get(name) ?? newPlanDefaults), ...limits, name } as Plan)
  }
  return plans
}
