import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { fillThroughApi } from './fill.js'
import { startLoadProcess } from './load-process.js'
import { median, runRound } from './measure.js'
import { type Operation, operations, requestsOf } from './operations.js'
import { untilIdle } from './process-usage.js'
import { createProgress } from './progress.js'
import { type ServerProcess, startService } from './service-process.js'
import { table } from './table.js'
import { describeWorld, prepareUsers, type World } from './world.js'

/**
 * CPU for each request of this checkout and of another, which must be built: two processes of each, in turns. Each
 * build fills a SQLite store of its own, since an older one cannot open the store of a newer one. Two processes of one
 * build differ by up to a twentieth, which says how much a difference is worth.
 */
const { values } = parseArgs({
  options: {
    with: { type: 'string' },
    only: { type: 'string', default: '' },
    records: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '9' },
    'round-ms': { type: 'string', default: '400' },
  },
})
if (!values.with) throw new Error('name the other checkout: --with DIR')
const records = Number(values.records)
const rounds = Number(values.rounds)
const durationMs = Number(values['round-ms'])
const connections = 32
const warmingRounds = 3

interface Subject {
  isOther: boolean
  service: ServerProcess
  world: World
}

const otherProgram = join(resolve(values.with), 'packages/server/bin/worklore.js')
const environment = { WORKLORE_EMBEDDINGS: 'off' }
const folder = mkdtempSync(join(tmpdir(), 'worklore-compare-'))
const progress = createProgress()
const load = startLoadProcess()

const programOf = (isOther: boolean) => (isOther ? otherProgram : undefined)

const fill = async (isOther: boolean): Promise<string> => {
  const dataDir = join(folder, isOther ? 'filled-by-other' : 'filled-by-this')
  const service = await startService({ dataDir, databaseUrl: undefined, environment, program: programOf(isOther) })
  const userIds = await prepareUsers(service.port)
  await fillThroughApi(load, service.port, records, userIds, (done) => progress.say(`filling: ${done} of ${records}`))
  await service.stop()
  return dataDir
}

const start = async (filled: string, isOther: boolean, name: string): Promise<Subject> => {
  const dataDir = join(folder, name)
  cpSync(filled, dataDir, { recursive: true })
  const service = await startService({ dataDir, databaseUrl: undefined, environment, program: programOf(isOther) })
  const world = await describeWorld(service.port, records)
  await untilIdle(service.pid)
  return { isOther, service, world }
}

const measure = async (operation: Operation, subjects: readonly Subject[]): Promise<string[]> => {
  const costs = new Map<Subject, number[]>(subjects.map((subject) => [subject, []]))
  for (let round = -warmingRounds; round < rounds; round++) {
    for (const subject of round % 2 ? subjects : subjects.toReversed()) {
      const requests = requestsOf(operation, subject.world)
      const { report, cpu } = await runRound(load, subject.service, { requests, connections, durationMs })
      if (round >= 0) costs.get(subject)!.push(cpu / report.requests)
    }
  }
  const mediansOf = (isOther: boolean) =>
    subjects.filter((subject) => subject.isOther === isOther).map((subject) => median(costs.get(subject)!))
  const [mine, others] = [mediansOf(false), mediansOf(true)]
  const mean = (figures: readonly number[]) => figures.reduce((sum, figure) => sum + figure, 0) / figures.length
  const shown = (figures: readonly number[]) => figures.map((figure) => figure.toFixed(0)).join(' ')
  return [operation.name, shown(others), shown(mine), (mean(mine) / mean(others)).toFixed(3)]
}

const subjects: Subject[] = []
try {
  const [filledByThis, filledByOther] = [await fill(false), await fill(true)]
  for (const [at, isOther] of [false, true, true, false].entries()) {
    subjects.push(await start(isOther ? filledByOther : filledByThis, isOther, `${at}`))
  }
  const rows: string[][] = []
  for (const operation of operations.filter(({ name }) => name.includes(values.only))) {
    progress.say(operation.name)
    rows.push(await measure(operation, subjects))
  }
  progress.end()
  console.log(`\n${records.toLocaleString('en')} tasks and items, SQLite: CPU µs of the two processes of each build\n`)
  console.log(table(['operation', 'other', 'this', 'this / other'], rows))
} finally {
  for (const { service } of subjects) await service.stop()
  load.stop()
  rmSync(folder, { recursive: true, force: true })
}
