import { openDb, type StoreSettings } from '../src/db/open.js'
import { createLimiter } from '../src/limits/create-limiter.js'
import type { EndpointLimit } from '../src/limits/limiter.js'
import type { Plan } from '../src/limits/plans.js'

/** A node of its own process: takes as it is told, and answers what passed. Forked by the tests of the limits. */
export interface NodeOrder {
  tenantIds: string[]
  plan: Plan
  endpoint?: EndpointLimit
  times: number
}

const db = await openDb(JSON.parse(process.env.WORKLORE_TEST_STORE!) as StoreSettings)
const limiter = createLimiter(db)

process.on('message', async ({ tenantIds, plan, endpoint, times }: NodeOrder) => {
  const taken = Array.from({ length: times }, async (_, at) => {
    const tenantId = tenantIds[at % tenantIds.length]!
    return { tenantId, ...(await limiter.take(tenantId, plan, endpoint)) }
  })
  const decisions = await Promise.all(taken)
  process.send!(decisions.map(({ tenantId, isAllowed, shown }) => ({ tenantId, isAllowed, shown })))
})
process.on('SIGTERM', async () => {
  await limiter.close()
  await db.close()
  process.disconnect()
})
process.send!('ready')
