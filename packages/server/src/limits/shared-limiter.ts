import { type Clock, systemClock } from '../clock.js'
import type { Db, Value } from '../db/port.js'
import { unavailable } from '../errors.js'
import { createAnonymousLimiter } from './anonymous.js'
import { decide, lookAt } from './decision.js'
import { createGathering } from './gathering.js'
import type { Decision, EndpointLimit, Limiter } from './limiter.js'
import type { Plan } from './plans.js'
import { addRowsStatement, askedRow, decidedInOrder, lookStatement, takeStatement } from './shared-statement.js'
import { type CountsRow, countsOf } from './store.js'
import { rulesFor } from './windows.js'

interface Asked {
  tenantId: string
  plan: Plan
  endpoint: EndpointLimit | undefined
}

type StandingRow = CountsRow & { readonly tenant_id: never; readonly now_ms: number }

export interface SharedLimiterSettings {
  /** Another than the system's is used in place of the store's clock: a test makes time pass with it. */
  wall: Clock
  steady: Clock
  waitMs?: number
}

const byTenant = (questions: readonly Asked[]): Map<string, Asked[]> => {
  const tenants = new Map<string, Asked[]>()
  for (const question of questions) {
    const asked = tenants.get(question.tenantId)
    if (asked) asked.push(question)
    else tenants.set(question.tenantId, [question])
  }
  return tenants
}

const rowOf = (tenantId: string, questions: readonly Asked[]) => {
  const counts = new Map<EndpointLimit | undefined, number>()
  for (const { endpoint } of questions) counts.set(endpoint, (counts.get(endpoint) ?? 0) + 1)
  return askedRow(tenantId, questions.at(-1)!.plan, counts)
}

/** Goes through the requests as the statement did, to tell each of them how it went. */
const replay = (row: StandingRow, questions: readonly Asked[], decisions: Map<Asked, Decision>): void => {
  const counts = countsOf(row)
  const { plan } = questions.at(-1)!
  for (const endpoint of decidedInOrder) {
    for (const question of questions) {
      if (question.endpoint !== endpoint) continue
      decisions.set(question, decide(rulesFor(plan, endpoint), counts, row.now_ms, row.now_ms))
    }
  }
}

/** For a store that many nodes share: the store counts, by its own clock. */
export const createSharedLimiter = (db: Db, { wall, steady, waitMs }: SharedLimiterSettings): Limiter => {
  const isSystemTime = wall === systemClock
  const nowMs = isSystemTime ? db.dialect.nowMs : 'cast(? as bigint)'
  const withNow = (...params: Value[]): Value[] => (isSystemTime ? params : [...params, wall()])
  const take = takeStatement(db.dialect, nowMs)
  const addRows = addRowsStatement(db.dialect)
  const look = lookStatement(db.dialect, nowMs)
  const anonymous = createAnonymousLimiter(steady, wall)

  const askFor = async (tenants: ReadonlyMap<string, Asked[]>): Promise<StandingRow[]> => {
    const rows = [...tenants].map(([tenantId, questions]) => rowOf(tenantId, questions))
    return db.all<StandingRow>(take, withNow(JSON.stringify(rows)))
  }

  const decideAll = async (questions: readonly Asked[]): Promise<(Decision | undefined)[]> => {
    const decisions = new Map<Asked, Decision>()
    const waiting = byTenant(questions)
    const answer = (rows: StandingRow[]): void => {
      for (const row of rows) {
        replay(row, waiting.get(row.tenant_id)!, decisions)
        waiting.delete(row.tenant_id)
      }
    }
    answer(await askFor(waiting))
    if (waiting.size > 0) {
      await db.run(addRows, [JSON.stringify([...waiting.keys()].map((tenantId) => ({ tenant_id: tenantId })))])
      answer(await askFor(waiting))
    }
    return questions.map((question) => decisions.get(question))
  }

  const gathering = createGathering(decideAll, waitMs)

  return {
    take: async (tenantId, plan, endpoint) => {
      const decision = await gathering.add({ tenantId, plan, endpoint })
      if (!decision) throw unavailable('The tenant is being removed, so its limits cannot be checked.', 1)
      return decision
    },
    takeAnonymous: anonymous.take,
    lookAnonymous: anonymous.look,
    look: async (tenantId, plan) => {
      const row = (await db.get<StandingRow>(look, isSystemTime ? [tenantId] : [wall(), tenantId]))!
      return lookAt(rulesFor(plan, 'all'), countsOf(row), row.now_ms, row.now_ms)
    },
    close: gathering.drained,
  }
}
