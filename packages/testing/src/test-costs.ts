import { afterEach } from 'node:test'
import { addCost, type Cost, loading, noCost, type SuiteCost } from './costs.js'
import { descendantsTimeMs } from './process-times.js'

const measure = (): Cost => {
  const { user, system } = process.cpuUsage()
  return { wallMs: performance.now(), ownMs: (user + system) / 1_000, childrenMs: descendantsTimeMs() }
}

const costs = new Map<string, SuiteCost>()
// The process began with loading Node and the files of its tests.
let last: Cost = noCost()

const charge = (suite: string, engine: string | undefined): void => {
  const now = measure()
  const key = `${suite}\n${engine}`
  const cost = costs.get(key) ?? { suite, engine, ...noCost() }
  costs.set(key, cost)
  addCost(cost, {
    wallMs: now.wallMs - last.wallMs,
    ownMs: now.ownMs - last.ownMs,
    // A child that its parent did not wait for takes its time with it.
    childrenMs: Math.max(0, now.childrenMs - last.childrenMs),
  })
  last = now
}

/** Call this when all files are loaded. Each test is charged with what was spent since the one before it ended. */
export const endLoading = (): void => charge(loading, undefined)

// Tests that are described before a hook do not get it.
afterEach((context) => {
  const name = 'fullName' in context ? context.fullName : context.name
  charge(name.split(' > ', 1)[0]!, / on (sqlite|postgres)(?: > |$)/.exec(name)?.[1])
})

/** Returns what was spent so far. What follows the last test of the process is charged to it. */
export const readCosts = (): SuiteCost[] => {
  const lastKey = [...costs.values()].at(-1)
  if (lastKey) charge(lastKey.suite, lastKey.engine)
  return [...costs.values()]
}
