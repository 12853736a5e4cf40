import { Counter, Gauge, type Registry } from 'prom-client'
import type { StoreFigures } from '../db/port.js'

/** Figures that are asked for at each reading. */
export interface NodeFigures {
  isReady(): Promise<boolean>
  isDraining(): boolean
  /** Work of the service itself that is due now, on all nodes. */
  dueWork(): Promise<readonly { kind: string; tenants: number; oldestAgeMs: number }[]>
  /** Only of a store with connections. */
  store?: (() => StoreFigures) | undefined
}

const asNumber = (value: boolean): number => (value ? 1 : 0)

const watchStore = (registry: Registry, figures: () => StoreFigures): void => {
  new Gauge({
    name: 'worklore_database_work',
    help: 'Statements, lookups and transactions that are running or wait for a connection',
    labelNames: ['kind', 'state'] as const,
    registers: [registry],
    collect() {
      for (const [kind, { running, waiting }] of Object.entries(figures().work)) {
        this.set({ kind, state: 'running' }, running)
        this.set({ kind, state: 'waiting' }, waiting)
      }
    },
  })
  const counters: [name: keyof Omit<StoreFigures, 'work'>, metric: string, help: string][] = [
    ['connectionsLost', 'connections_lost', 'Times that connections to the database were given up as lost'],
    ['primaryMoves', 'primary_moves', 'Times that this node moved to another primary'],
    ['listens', 'listens', 'Times that this node began to listen for commits; again after each lost connection'],
  ]
  for (const [name, metric, help] of counters) {
    new Counter({
      name: `worklore_database_${metric}_total`,
      help,
      registers: [registry],
      collect() {
        this.reset()
        this.inc(figures()[name])
      },
    })
  }
}

const watchDueWork = (registry: Registry, figures: NodeFigures['dueWork']): void => {
  let reading: ReturnType<typeof figures> | undefined
  /** A reading asks all gauges at once. */
  const readOnce = (): ReturnType<typeof figures> => {
    reading ??= figures()
      // A store that is away must not take the other figures with it.
      .catch(() => [])
      .finally(() => {
        reading = undefined
      })
    return reading
  }
  new Gauge({
    name: 'worklore_due_work_tenants',
    help: 'Tenants for which work of the service itself is due, across all nodes',
    labelNames: ['kind'] as const,
    registers: [registry],
    async collect() {
      for (const { kind, tenants } of await readOnce()) this.set({ kind }, tenants)
    },
  })
  new Gauge({
    name: 'worklore_due_work_oldest_age_seconds',
    help: 'For how long the oldest work of the service itself has been due, across all nodes',
    labelNames: ['kind'] as const,
    registers: [registry],
    async collect() {
      for (const { kind, oldestAgeMs } of await readOnce()) this.set({ kind }, oldestAgeMs / 1_000)
    },
  })
}

export const watchNode = (registry: Registry, { isReady, isDraining, dueWork, store }: NodeFigures): void => {
  watchDueWork(registry, dueWork)
  new Gauge({
    name: 'worklore_ready',
    help: 'Whether /readyz would answer 200',
    registers: [registry],
    async collect() {
      this.set(asNumber(await isReady()))
    },
  })
  new Gauge({
    name: 'worklore_draining',
    help: 'Whether this node is about to stop',
    registers: [registry],
    collect() {
      this.set(asNumber(isDraining()))
    },
  })
  if (store) watchStore(registry, store)
}
