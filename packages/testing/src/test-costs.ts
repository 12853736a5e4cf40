import { afterEach } from 'node:test'
import { addCost, type Cost, loading, noCost, type SuiteCost } from './costs.js'
import { descendantsTimeMs } from './process-times.js'

const measure = (): Cost => {
  const { user, system } = process.cpuUsage()
  return { wallMs: performance.now(), ownMs: (user + system) / 1_000, childrenMs: descendantsTimeMs() }
}

const costs = new Map<string, SuiteCost>()
// The first charge covers everything since the start of the process: loading Node and the test files.
let last: Cost = noCost()

const charge = (suite: string, engine: string | undefined): void => {
  const now = measure()
  const key = `${suite}\n${engine}`
  const cost = costs.get(key) ?? { suite, engine, ...noCost() }
  costs.set(key, cost)
  addCost(cost, {
    wallMs: now.wallMs - last.wallMs,
    ownMs: now.ownMs - last.ownMs,
    // The sum can shrink, because the time of a child that nobody waited for is lost when the child ends.
    childrenMs: Math.max(0, now.childrenMs - last.childrenMs),
  })
  last = now
}

/** Call this when all files are loaded. From then on, each test is charged with the time since the previous one ended. */
export const endLoading = (): void => charge(loading, undefined)

// Must run before any test is described: the hook does not apply to earlier ones.
afterEach((context) => {
  const name = 'fullName' in context ? context.fullName : context.name
  charge(name.split(' > ', 1)[0]!, / on (sqlite|postgres)(?: > |$)/.exec(name)?.[1])
})

/** Returns the costs so far. The time after the last test is charged to its suite. */
export const readCosts = (): SuiteCost[] => {
  const lastKey = [...costs.values()].at(-1)
  if (lastKey) charge(lastKey.suite, lastKey.engine)
  return [...costs.values()]
}
