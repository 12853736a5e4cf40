import type { Growth } from './growth.js'
import type { Measured } from './measure.js'

type Cell = string | number

const rowOf = (cells: readonly Cell[]): string => `| ${cells.join(' | ')} |`

/** A table in Markdown, its columns padded so that it reads well on a terminal too. */
export const table = (head: readonly string[], rows: readonly (readonly Cell[])[]): string => {
  const texts = [head, ...rows].map((row) => row.map(String))
  const widths = head.map((_, at) => Math.max(...texts.map((row) => row[at]!.length)))
  const padded = texts.map((row) =>
    rowOf(row.map((cell, at) => (at === 0 ? cell.padEnd(widths[at]!) : cell.padStart(widths[at]!)))),
  )
  const rule = rowOf(widths.map((width, at) => (at === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)))
  return [padded[0], rule, ...padded.slice(1)].join('\n')
}

const whole = (value: number): string => Math.round(value).toLocaleString('en')
const fine = (value: number): string => value.toFixed(2)

export const operationsTable = (results: readonly Measured[]): string => {
  const hasStore = results.some((result) => result.storeCpuMicroseconds !== undefined)
  return table(
    [
      'operation',
      'req/s',
      'p50 ms',
      'p99 ms',
      'CPU µs',
      ...(hasStore ? ['DB µs'] : []),
      'bare req/s',
      'bare µs',
      'CPU ×',
      'limit',
      'req/s ×',
    ],
    results.map(({ operation, target, service, bare, storeCpuMicroseconds, cpuRatio, rateRatio }) => [
      operation,
      whole(service.requestsPerSecond),
      fine(service.p50Ms),
      fine(service.p99Ms),
      whole(service.cpuMicroseconds),
      ...(hasStore ? [whole(storeCpuMicroseconds ?? 0)] : []),
      whole(bare.requestsPerSecond),
      whole(bare.cpuMicroseconds),
      fine(cpuRatio),
      target,
      fine(rateRatio),
    ]),
  )
}

export const growthTable = ({ steps, operations }: Growth): string =>
  table(
    ['CPU × bare', ...steps.map(({ records }) => whole(records)), 'growth', 'limit', 'p99 ms, most records'],
    operations.map(({ name, cpuRatios, growth, growthTarget, lastP99Ms }) => [
      name,
      ...cpuRatios.map(fine),
      growth === undefined ? '' : fine(growth),
      growthTarget ?? '',
      fine(lastP99Ms),
    ]),
  )

export const stepsTable = ({ steps }: Growth): string =>
  table(
    ['records', 'start to first response s', 'memory MB', 'at rest MB', 'mapped files MB'],
    steps.map(({ records, startSeconds, memory }) => [
      whole(records),
      fine(startSeconds),
      whole(memory.megabytes),
      whole(memory.atRest),
      whole(memory.ofFiles),
    ]),
  )
