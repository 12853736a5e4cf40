import type { Awaitable } from '../base/awaitable.js'
import type { Clock } from '../base/clock.js'
import type { Db } from '../db/port.js'
import { createWriteBehind } from '../scheduling/write-behind.js'
import { type CountedAdmission, countedAdmission, requestAdmission } from './admission.js'
import { createAnonymousLimiter } from './anonymous.js'
import { type Counts, decide, lookAt, noCounts } from './decision.js'
import type { Decision, Limiter } from './limiter.js'
import type { Plan } from './plans.js'
import { countsOf, selectCounts, upsertCounts } from './store.js'
import { createRulesCache, windowsCountedBy } from './windows.js'

interface Tenant {
  counts: Counts
  takenAtMs: number
}

const idleAfterMs = 5 * 60_000
const forgetEveryMs = 60_000
/** Beyond it those loaded first are forgotten, once their counts are written. */
const maxTenants = 50_000

interface LocalLimiterSettings {
  /** The calendar, in which callers are told of times and counts are stored. */
  wall: Clock
  /** The clock by which time passes: it never jumps. */
  steady: Clock
}

/** For a store of one process: decides in memory, and writes the counts behind. */
export const createLocalLimiter = (db: Db, settings: LocalLimiterSettings): Limiter => {
  const { wall, steady } = settings
  const tenants = new Map<string, Tenant>()
  const loading = new Map<string, Promise<Tenant>>()
  const anonymous = createAnonymousLimiter(steady, wall)
  const rulesFor = createRulesCache()

  const writeBehind = createWriteBehind<Counts>({
    // Not in a transaction of the tenant, which would invalidate the ETags of its lists and searches.
    write: (tenantId, [entry]) => db.transaction((tx) => upsertCounts(tx, tenantId, entry![1], wall() - steady())),
    maxEntries: maxTenants,
  })

  const read = async (tenantId: string): Promise<Tenant> => {
    const row = await selectCounts(db, tenantId)
    const counts = row ? countsOf(row) : noCounts()
    const aheadMs = wall() - steady()
    for (const count of counts) count.openedAtMs -= aheadMs
    const tenant = { counts, takenAtMs: steady() }
    if (tenants.size >= maxTenants) forgetOldest()
    tenants.set(tenantId, tenant)
    return tenant
  }

  const forgetOldest = (): void => {
    for (const tenantId of tenants.keys()) {
      if (writeBehind.has(tenantId)) continue
      tenants.delete(tenantId)
      return
    }
  }

  const load = (tenantId: string): Promise<Tenant> => {
    let reading = loading.get(tenantId)
    if (!reading) {
      reading = read(tenantId).finally(() => loading.delete(tenantId))
      loading.set(tenantId, reading)
    }
    return reading
  }

  const takeFrom = (tenant: Tenant, tenantId: string, plan: Plan, admission: CountedAdmission): Decision => {
    const nowMs = steady()
    tenant.takenAtMs = nowMs
    const decision = decide(
      rulesFor(plan, admission.endpoints, admission.countsIn ?? 'plan'),
      tenant.counts,
      nowMs,
      wall(),
      admission,
    )
    if (decision.isAllowed) writeBehind.add(tenantId, '', tenant.counts)
    return decision
  }

  const forgetIdle = (): void => {
    const idleSinceMs = steady() - idleAfterMs
    for (const [tenantId, tenant] of tenants) {
      if (tenant.takenAtMs < idleSinceMs && !writeBehind.has(tenantId)) tenants.delete(tenantId)
    }
  }
  const forgetting = setInterval(forgetIdle, forgetEveryMs).unref()

  const decideFor = (tenantId: string, plan: Plan, admission: CountedAdmission): Awaitable<Decision> => {
    const tenant = tenants.get(tenantId)
    return tenant
      ? takeFrom(tenant, tenantId, plan, admission)
      : load(tenantId).then((loaded) => takeFrom(loaded, tenantId, plan, admission))
  }

  return {
    take: (tenantId, plan, endpoint, countsIn) => decideFor(tenantId, plan, requestAdmission(endpoint, countsIn)),
    admit: (tenantId, plan, admission) => decideFor(tenantId, plan, countedAdmission(admission)),
    giveBack: (tenantId, endpoint, countsIn) => {
      const counts = tenants.get(tenantId)?.counts
      if (!counts) return
      for (const at of windowsCountedBy(endpoint, countsIn)) counts[at]!.used = Math.max(0, counts[at]!.used - 1)
      writeBehind.add(tenantId, '', counts)
    },
    takeAnonymous: anonymous.take,
    lookAnonymous: anonymous.look,
    lookUps: anonymous.lookUps,
    look: async (tenantId, plan) => {
      const { counts } = tenants.get(tenantId) ?? (await load(tenantId))
      return lookAt(rulesFor(plan, 'all'), counts, steady(), wall())
    },
    flush: () => writeBehind.flush(),
    close: async () => {
      clearInterval(forgetting)
      await writeBehind.flush()
    },
  }
}
