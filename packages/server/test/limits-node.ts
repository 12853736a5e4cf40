import { openDb, type StoreSettings } from '../src/db/open.js'
import type { EndpointLimit } from '../src/limits/limiter.js'
import { createLocalLimiter } from '../src/limits/local-limiter.js'
import type { Plan } from '../src/limits/plans.js'
import { createSharedLimiter } from '../src/limits/shared-limiter.js'

/** A node of its own process: takes as it is told, and answers what passed. Forked by the tests of the limits. */
export interface NodeOrder {
  tenantIds: string[]
  plan: Plan
  endpoint?: EndpointLimit
  times: number
  /** How many at once; all of them if not given. */
  together?: number
}

const db = await openDb(JSON.parse(process.env.WORKLORE_TEST_STORE!) as StoreSettings)
// No window passes while a test runs, and no node gives up waiting for the others, however slow the machine is.
const startMs = Date.now()
const clock = () => startMs
const clocks = { wall: clock, steady: clock }
const limiter = db.dialect.isShared
  ? createSharedLimiter(db, { ...clocks, waitMs: 600_000 })
  : createLocalLimiter(db, clocks)
const writing = setInterval(() => limiter.flush(), 500)

process.on('message', async ({ tenantIds, plan, endpoint, times, together = times }: NodeOrder) => {
  const answers: unknown[] = []
  const takeNext = async (at: number): Promise<void> => {
    const tenantId = tenantIds[at % tenantIds.length]!
    const { isAllowed, shown } = await limiter.take(tenantId, plan, endpoint)
    answers.push({ tenantId, isAllowed, shown })
  }
  for (let first = 0; first < times; first += together) {
    await Promise.all(Array.from({ length: Math.min(together, times - first) }, (_, at) => takeNext(first + at)))
  }
  process.send!(answers)
})
process.on('SIGTERM', async () => {
  clearInterval(writing)
  await limiter.close()
  await db.close()
  process.disconnect()
})
process.send!('ready')
