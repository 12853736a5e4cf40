import cluster, { type Worker } from 'node:cluster'
import { availableParallelism } from 'node:os'
import { onStopSignals } from '../../base/stop-signals.js'
import type { Config } from '../../config.js'
import { expectBindable } from '../../http/listen-check.js'
import { createLogger } from '../../observability/logger.js'
import { mergeFigures } from '../../observability/merge-figures.js'
import { createExchange } from './exchange.js'
import { closeUntakenConnections } from './untaken-connections.js'

const minRestartDelayMs = 100
const maxRestartDelayMs = 30_000
/** A process that served for so long is restarted as if none before it had failed. */
const steadyAfterMs = 60_000
/** Less than a process waits for the figures of all. */
const maxFiguresWaitMs = 2_000

/** One of the processes, and those that take its place. */
interface Slot {
  readonly number: number
  worker: Worker | undefined
  /** When the present one began to serve. */
  servingSince: number | undefined
  hasEverServed: boolean
  /** In a row. */
  failures: number
  askFigures: () => Promise<string | undefined>
}

const noFigures = async (): Promise<undefined> => undefined

const createSlot = (number: number): Slot => ({
  number,
  worker: undefined,
  servingSince: undefined,
  hasEverServed: false,
  failures: 0,
  askFigures: noFigures,
})

export const processCountOf = ({ processes }: Pick<Config, 'processes'>): number =>
  processes === 'auto' ? availableParallelism() : processes

/**
 * Runs several processes of the service behind one port, each of them a node, and starts another where one ends. The first
 * one migrates the schema before there are others. One that ends before it has ever served ends all; it has said why.
 */
export const supervise = async (config: Config, isOfNpm: boolean): Promise<void> => {
  // The processes share a port by its number.
  const port = await expectBindable(config)
  const logger = createLogger(config.logLevel)
  const slots = Array.from({ length: processCountOf(config) }, (_, at) => createSlot(at + 1))
  let stopSignal: NodeJS.Signals | undefined
  let exitCode = 0

  const allFigures = async (): Promise<string> => {
    const texts = await Promise.all(slots.map(({ askFigures }) => askFigures()))
    return mergeFigures(new Map(slots.flatMap(({ number }, at) => (texts[at] ? [[number, texts[at]]] : []))))
  }

  const exitWhenEnded = (): void => {
    if (slots.every(({ worker }) => worker === undefined)) process.exit(exitCode)
  }

  const stop = (signal: NodeJS.Signals): void => {
    stopSignal = signal
    for (const { worker } of slots) worker?.process.kill(signal)
    exitWhenEnded()
  }

  const stopAtOnce = (): void => {
    for (const { worker } of slots) worker?.process.kill('SIGKILL')
    process.exit(1)
  }

  const start = (slot: Slot): void => {
    if (stopSignal !== undefined) return
    const worker = cluster.fork({ PORT: String(port) })
    closeUntakenConnections(worker.process)
    slot.worker = worker
    slot.servingSince = undefined
    worker.once('listening', () => {
      slot.askFigures = createExchange(worker, maxFiguresWaitMs, allFigures)
      slot.servingSince = performance.now()
      slot.hasEverServed = true
      logger.info({ process: slot.number, pid: worker.process.pid }, 'process is serving')
      for (const other of slots) if (other.worker === undefined && !other.hasEverServed) start(other)
    })
    worker.once('exit', (code, signal) => end(slot, code, signal))
    // A message to a process that has just died is an error too, and then it exits; one that could not start does not.
    worker.on('error', (error) => {
      logger.error({ err: error, process: slot.number }, 'process failed')
      if (worker.process.pid === undefined) end(slot, null, null)
    })
  }

  const restart = (slot: Slot, why: object): void => {
    const { number, servingSince } = slot
    if (servingSince !== undefined && performance.now() - servingSince >= steadyAfterMs) slot.failures = 0
    const delayMs = Math.min(minRestartDelayMs * 2 ** slot.failures++, maxRestartDelayMs)
    logger.error({ process: number, ...why }, `process ended; another one starts in ${delayMs} ms`)
    setTimeout(() => start(slot), delayMs)
  }

  const end = (slot: Slot, code: number | null, signal: string | null): void => {
    slot.worker = undefined
    slot.askFigures = noFigures
    if (stopSignal !== undefined) {
      const wasStopped = code === 0 || (slot.servingSince === undefined && signal === stopSignal)
      if (!wasStopped) exitCode = 1
      exitWhenEnded()
    } else if (slot.hasEverServed) {
      restart(slot, { code, signal })
    } else {
      exitCode = code || 1
      stop('SIGTERM')
    }
  }

  onStopSignals({ stop, stopAtOnce, isOfNpm })
  start(slots[0]!)
}
