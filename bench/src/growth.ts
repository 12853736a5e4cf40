import type { Measured } from './measure.js'
import type { Operation } from './operations.js'
import type { Memory } from './process-usage.js'

export interface Step {
  records: number
  startSeconds: number
  memory: Memory
  results: readonly Measured[]
}

export interface Growth {
  steps: readonly Step[]
  operations: readonly {
    name: string
    cpuRatios: readonly number[]
    /** From 10,000 records to the most. */
    growth: number | undefined
    growthTarget: number | undefined
    lastP99Ms: number
  }[]
}

const baseRecords = 10_000

export const growthOf = (steps: readonly Step[], operations: readonly Operation[]): Growth => {
  const base = steps.findIndex(({ records }) => records === baseRecords)
  return {
    steps,
    operations: steps.at(-1)!.results.map(({ operation, service }, at) => {
      const cpuRatios = steps.map(({ results }) => results[at]!.cpuRatio)
      return {
        name: operation,
        cpuRatios,
        growth: base < 0 ? undefined : cpuRatios.at(-1)! / cpuRatios[base]!,
        growthTarget: operations.find(({ name }) => name === operation)?.growthTarget,
        lastP99Ms: service.p99Ms,
      }
    }),
  }
}
