import { type Clock, systemClock } from '../base/clock.js'
import { unavailable } from '../base/errors.js'
import type { Db, Value } from '../db/port.js'
import { type CountedAdmission, countedAdmission, requestAdmission } from './admission.js'
import { createAnonymousLimiter } from './anonymous.js'
import { createBatches } from './batches.js'
import { decide, lookAt } from './decision.js'
import type { Decision, Limiter } from './limiter.js'
import type { Plan } from './plans.js'
import {
  addRowStatement,
  admitStatement,
  askedRow,
  type CountsRow,
  countsOf,
  giveBackStatement,
  lookStatement,
} from './store.js'
import { createRulesCache, windowKinds, windowsCountedBy } from './windows.js'

interface Asked {
  plan: Plan
  admission: CountedAdmission
}

type StandingRow = CountsRow & { readonly now_ms: number }

interface SharedLimiterSettings {
  /** Another than the system's is used in place of the store's clock: a test makes time pass with it. */
  wall: Clock
  steady: Clock
  waitMs?: number
}

/** Those that cost the same are decided together, in the order in which the first of each came. */
const groupedByCost = (questions: readonly Asked[]): Asked[][] => {
  const groups = new Map<string, Asked[]>()
  for (const question of questions) {
    const costs = question.admission.costs.join()
    const group = groups.get(costs)
    if (group) group.push(question)
    else groups.set(costs, [question])
  }
  return [...groups.values()]
}

/** For a store that many nodes share: the store counts, by its own clock. */
export const createSharedLimiter = (db: Db, { wall, steady, waitMs }: SharedLimiterSettings): Limiter => {
  const isSystemTime = wall === systemClock
  const nowMs = isSystemTime ? db.dialect.nowMs : 'cast(? as bigint)'
  const now = (): Value[] => (isSystemTime ? [] : [wall()])
  const admit = admitStatement(db.dialect, nowMs)
  const look = lookStatement(nowMs)
  const anonymous = createAnonymousLimiter(steady, wall)
  const rulesFor = createRulesCache()

  const askFor = async (tenantId: string, plan: Plan, groups: readonly Asked[][]): Promise<StandingRow | undefined> => {
    const rows = groups.map((group, at) => askedRow(at + 1, group.length, group[0]!.admission.costs))
    const limits = windowKinds.map(({ planLimit }) => plan[planLimit])
    const [standing] = await db
      .ofTenant(tenantId)
      .runReturning<StandingRow>(admit, [tenantId, ...now(), JSON.stringify(rows), ...limits])
    return standing
  }

  const decideAll = async (tenantId: string, questions: readonly Asked[]): Promise<(Decision | undefined)[]> => {
    const { plan } = questions.at(-1)!
    const groups = groupedByCost(questions)
    let row = await askFor(tenantId, plan, groups)
    if (!row) {
      await db.ofTenant(tenantId).run(addRowStatement, [tenantId])
      row = await askFor(tenantId, plan, groups)
    }
    const decisions = new Map<Asked, Decision>()
    if (row) {
      // Goes through them as the statement did, to tell each of them how it went.
      const counts = countsOf(row)
      for (const question of groups.flat()) {
        const { admission } = question
        const rules = rulesFor(plan, admission.endpoints, admission.countsIn ?? 'plan')
        decisions.set(question, decide(rules, counts, row.now_ms, row.now_ms, admission))
      }
    }
    return questions.map((question) => decisions.get(question))
  }

  const batches = createBatches(decideAll, waitMs)
  const decideFor = async (tenantId: string, plan: Plan, admission: CountedAdmission): Promise<Decision> => {
    const decision = await batches.add(tenantId, { plan, admission })
    if (!decision) throw unavailable('The tenant is being deleted. Try again shortly.', 1)
    return decision
  }

  return {
    take: (tenantId, plan, endpoint, countsIn) => decideFor(tenantId, plan, requestAdmission(endpoint, countsIn)),
    admit: (tenantId, plan, admission) => decideFor(tenantId, plan, countedAdmission(admission)),
    giveBack: (tenantId, endpoint, countsIn) =>
      db.ofTenant(tenantId).run(giveBackStatement(windowsCountedBy(endpoint, countsIn)), [tenantId]),
    takeAnonymous: anonymous.take,
    lookAnonymous: anonymous.look,
    lookUps: anonymous.lookUps,
    look: async (tenantId, plan) => {
      const row = (await db.ofTenant(tenantId).get<StandingRow>(look, [...now(), tenantId]))!
      return lookAt(rulesFor(plan, 'all'), countsOf(row), row.now_ms, row.now_ms)
    },
    flush: async () => {},
    close: batches.drained,
  }
}
