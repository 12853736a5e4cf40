import type { BareProcess } from './bare-process.js'
import type { LoadProcess } from './load-process.js'
import { claimedTaskMark, type LoadOrder, type LoadReport, stepMark, tokenMark } from './load-protocol.js'
import { type Operation, requestsOf } from './operations.js'
import { familyCpuMicroseconds } from './process-usage.js'
import type { ServerProcess } from './service-process.js'
import type { World } from './world.js'

export interface Figures {
  requestsPerSecond: number
  p50Ms: number
  p99Ms: number
  cpuMicroseconds: number
}

export interface Measured {
  operation: string
  target: number
  service: Figures
  bare: Figures
  /** CPU of the database server for each request, where there is one beside the service. */
  storeCpuMicroseconds?: number
  /** CPU of the service for each request, as a multiple of bare Fastify. */
  cpuRatio: number
  /** Requests per second of bare Fastify, as a multiple of the service's. */
  rateRatio: number
}

export interface Stage {
  service: ServerProcess
  bare: BareProcess
  load: LoadProcess
  world: World
  /** CPU time so far of the database server, where there is one. */
  storeCpu?: () => number
}

export interface Pace {
  rounds: number
  roundMs: number
  connections: number
}

export const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

const figuresOf = (report: LoadReport, cpu: number): Figures => ({
  requestsPerSecond: report.requests / report.seconds,
  p50Ms: report.p50Ms,
  p99Ms: report.p99Ms,
  cpuMicroseconds: cpu / report.requests,
})

const medianFigures = (rounds: readonly Figures[]): Figures => ({
  requestsPerSecond: median(rounds.map((round) => round.requestsPerSecond)),
  p50Ms: median(rounds.map((round) => round.p50Ms)),
  p99Ms: median(rounds.map((round) => round.p99Ms)),
  cpuMicroseconds: median(rounds.map((round) => round.cpuMicroseconds)),
})

interface SampleAnswer {
  status: number
  body: string
}

const answerTo = async (port: number, request: string): Promise<SampleAnswer> => {
  const [head = '', body] = request.split('\r\n\r\n', 2)
  const [line = '', ...headers] = head.split('\r\n')
  const [method = '', path = ''] = line.split(' ')
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: headers
      .map((header) => header.split(': ', 2) as [string, string])
      .filter(([name]) => !/^(host|content-length)$/i.test(name)),
    ...(body && { body }),
  })
  return { status: answer.status, body: await answer.text() }
}

const withoutClaim = (request: string): boolean => !request.includes(tokenMark) && !request.includes(claimedTaskMark)

/**
 * What the service answers to the operation's first request, for the bare server to answer with. A request about a
 * claim is answered with the task, as the one that made the claim is.
 */
const sampleAnswer = (port: number, opening: string | undefined, exchange: string): Promise<SampleAnswer> =>
  answerTo(port, [exchange, opening ?? ''].flatMap((text) => text.split(stepMark)).find(withoutClaim)!)

/** An exchange is compared with one request. */
const firstStep = (exchange: string): string => exchange.split(stepMark, 1)[0]!

export interface LoadedServer {
  pid: number
  port: number
}

/** One load, and the CPU that the server took for it once all connections were open. */
export const runRound = async (
  load: LoadProcess,
  { pid, port }: LoadedServer,
  order: Omit<LoadOrder, 'port'>,
): Promise<{ report: LoadReport; cpu: number }> => {
  let before = 0
  const report = await load.run({ ...order, port }, () => {
    before = familyCpuMicroseconds(pid)
  })
  if (report.failures > 0) throw new Error(`a request failed: ${report.firstFailure}`)
  return { report, cpu: familyCpuMicroseconds(pid) - before }
}

/** Before anything is counted: V8 compiles what an operation needs after some thousands of requests. */
export const warmUpRounds = 4

/** Rounds of the service and of bare Fastify take turns, so that a noisy machine disturbs both alike. */
export const measure = async (stage: Stage, operation: Operation, pace: Pace): Promise<Measured> => {
  const { service, bare, load, world, storeCpu } = stage
  const { opening } = operation
  const requests = requestsOf(operation, world)
  const bareRequests = requests.map(firstStep)
  await bare.answerWith(await sampleAnswer(service.port, opening, requests[0]!))

  const order = { opening, connections: pace.connections, durationMs: pace.roundMs }
  const round = async (server: LoadedServer): Promise<Figures> => {
    const { report, cpu } = await runRound(load, server, {
      ...order,
      requests: server === bare ? bareRequests : requests,
    })
    return figuresOf(report, cpu)
  }

  for (let count = 0; count < warmUpRounds; count++) {
    await round(bare)
    await round(service)
  }
  const ofService: Figures[] = []
  const ofBare: Figures[] = []
  const ofStore: number[] = []
  for (let count = 0; count < pace.rounds; count++) {
    ofBare.push(await round(bare))
    const storeBefore = storeCpu?.() ?? 0
    const figures = await round(service)
    ofService.push(figures)
    if (storeCpu) ofStore.push((storeCpu() - storeBefore) / (figures.requestsPerSecond * (pace.roundMs / 1_000)))
  }
  return {
    operation: operation.name,
    target: operation.target,
    service: medianFigures(ofService),
    bare: medianFigures(ofBare),
    ...(storeCpu && { storeCpuMicroseconds: median(ofStore) }),
    cpuRatio: median(ofService.map((figures, at) => figures.cpuMicroseconds / ofBare[at]!.cpuMicroseconds)),
    rateRatio: median(ofService.map((figures, at) => ofBare[at]!.requestsPerSecond / figures.requestsPerSecond)),
  }
}
