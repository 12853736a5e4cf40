import { addCost, type Cost, loading, noCost } from './costs.js'
import type { TestOutcome } from './test-process.js'

const shownFiles = 20

const secondsOf = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`.padStart(10)

type FileCost = TestOutcome['costs'][number]

/** Recognizes browser tests and process tests by the cost of the processes they start. Other tests go by their engine. */
const kindOf = ({ file, suite, engine, childrenMs, ownMs }: FileCost): string => {
  if (suite === loading) return loading
  if (file.startsWith('packages/console/') && childrenMs > 0) return 'browser'
  if (childrenMs > ownMs) return 'processes'
  return { sqlite: 'SQLite', postgres: 'PostgreSQL' }[engine as string] ?? 'unit'
}

const sumBy = (costs: readonly FileCost[], keyOf: (cost: FileCost) => string): [string, Cost][] => {
  const sums = new Map<string, Cost>()
  for (const cost of costs) {
    const sum = sums.get(keyOf(cost)) ?? noCost()
    sums.set(keyOf(cost), sum)
    addCost(sum, cost)
  }
  return [...sums]
}

const processorMs = ({ ownMs, childrenMs }: Cost): number => ownMs + childrenMs

/** Returns the processor time of each file: unlike wall time, it does not depend on what else the machine does. */
export const timesByFile = (costs: readonly FileCost[]): Record<string, number> =>
  Object.fromEntries(sumBy(costs, ({ file }) => file).map(([file, cost]) => [file, Math.ceil(processorMs(cost))]))

/** Prints processor time and wall time by kind, and the most expensive files. `others` are costs outside of test processes. */
export const printCosts = (costs: readonly FileCost[], others: readonly [string, Cost][]): void => {
  const byCost = (a: [string, Cost], b: [string, Cost]): number => processorMs(b[1]) - processorMs(a[1])
  const kinds = [...sumBy(costs, kindOf), ...others].sort(byCost)
  const total = noCost()
  for (const [, cost] of kinds) addCost(total, cost)
  console.log('Processor time and wall time by kind (kinds run side by side):')
  for (const [kind, cost] of [...kinds, ['all', total] as const])
    console.log(`${secondsOf(processorMs(cost))}${secondsOf(cost.wallMs)}  ${kind}`)
  const files = sumBy(
    costs.filter(({ suite }) => suite !== loading),
    ({ file }) => file,
  ).sort(byCost)
  console.log(
    `The ${shownFiles} most expensive of ${files.length} files: processor time (of started processes), wall time`,
  )
  for (const [file, cost] of files.slice(0, shownFiles)) {
    const started = `(${secondsOf(cost.childrenMs).trim()})`.padStart(11)
    console.log(`${secondsOf(processorMs(cost))}${started}${secondsOf(cost.wallMs)}  ${file}`)
  }
}
