import type { Clock } from '../base/clock.js'
import type { DueKey, WorkKind } from '../db/known-due-times.js'
import type { Db, Sql } from '../db/port.js'
import { dueWorkTopic } from '../db/topics.js'
import { fillDueWork } from './fill.js'
import { createLeases, type HeldLease, type Lease } from './leases.js'
import * as store from './store.js'

/** One kind of work that the service does by itself. */
export interface DueWorker {
  kind: WorkKind
  /** What it does, for the log and metrics: "settling due tasks". */
  name: string
  /** How long after the noted time the work is due. */
  delayMs?: number
  /** How many tenants are worked on at once; few by default. */
  tenantsAtOnce?: number
  /**
   * Does the tenant's due work in short transactions. Work that takes longer than a second must check its lease before
   * doing anything that must not happen twice.
   */
  run(tenantId: string, lease: Lease): Promise<void>
  /** The time to note for what is left of a tenant, or null. */
  nextDueMs(db: Sql, tenantId: string): Promise<number | null>
}

interface DueFigure {
  kind: WorkKind
  tenants: number
  oldestAgeMs: number
}

export interface DueWork {
  /** Does all that is due now; resolves once nothing is left but what failed. */
  runDue(): Promise<void>
  /** Starts a tenant's work before its recorded due time, unless a node is already doing it. */
  wake(key: DueKey): void
  figures(): Promise<DueFigure[]>
  /** Resolves once nothing is running. */
  stop(): Promise<void>
}

export interface DueWorkOptions {
  db: Db
  clock: Clock
  workers: readonly DueWorker[]
  /** For the first look at each tenant. */
  listTenantIds(): Promise<string[]>
  onError(name: string, error: unknown): void
  onSuccess(name: string): void
  leaseMs?: number
}

/** What is due at once is begun by the node whose commit caused it, after that commit. */
const lookEveryMs = 1_000
/** Tenants whose work of one kind is done at once; one that takes long keeps none of another kind waiting. */
const defaultTenantsAtOnce = 4
/** After this, other nodes take over the work of a node that died. */
const defaultLeaseMs = 15_000
/** A wake-up starts work at most this long before its recorded due time. */
const wakeAheadMs = 30_000
const retryMs = 1_000
const maxRetryMs = 60_000
/** By so much clocks may differ, and so long a transaction may take, that relies on a time in the store. */
const marginMs = 30_000

/**
 * Does the service's own work. A table has the earliest time of each tenant and kind; every node looks there, leases what
 * is due, and does it with statements that name the tenant. Where that fails it is tried again later, and the work of
 * other tenants goes on.
 */
export const startDueWork = (options: DueWorkOptions): DueWork => {
  const { db, clock, onError, onSuccess, leaseMs = defaultLeaseMs } = options
  const workers = new Map(options.workers.map((worker) => [worker.kind, worker]))
  const running = new Map<WorkKind, Map<string, Promise<void>>>(options.workers.map(({ kind }) => [kind, new Map()]))
  const leases = createLeases(db, [...workers.keys()], leaseMs, onError)
  let looking: Promise<void> | undefined
  let isWanted = false
  let isStopped = false

  const range = ({ kind, delayMs = 0 }: DueWorker): store.DueRange => ({ kind, upToMs: clock() - delayMs })
  const atOnce = ({ tenantsAtOnce = defaultTenantsAtOnce }: DueWorker): number => tenantsAtOnce

  /** Whatever was noted in what is deleted here has committed when the rest is looked at. */
  const finish = ({ nextDueMs }: DueWorker, rows: store.DueRows): Promise<void> =>
    db.transaction(async (tx) => {
      await store.deleteDue(tx, rows)
      const dueAtMs = await nextDueMs(tx, rows.tenantId)
      if (dueAtMs === null || (await store.hasDueBy(tx, { ...rows, upToMs: dueAtMs }))) return
      await tx.runAll([store.insertDue({ ...rows, dueAtMs })])
    })

  const postpone = async (rows: store.DueRows): Promise<void> => {
    const failures = await store.countFailures(db, rows)
    await store.postpone(db, rows, Math.min(maxRetryMs, retryMs * 2 ** Math.min(failures, 16)))
  }

  const work = async (worker: DueWorker, rows: store.DueRows): Promise<void> => {
    let lease: HeldLease | undefined
    try {
      lease = await leases.take(rows)
      if (!lease) return
      await worker.run(rows.tenantId, lease)
      // The lease was lost, so another node continues the work.
      if (lease.remainingMs() === 0) return
      await finish(worker, rows)
      onSuccess(worker.name)
    } catch (error) {
      onError(worker.name, error)
      await postpone(rows).catch(() => {})
    } finally {
      if (lease) leases.release(lease)
    }
  }

  const start = (key: DueKey, aheadMs = 0): void => {
    const ofKind = running.get(key.kind)!
    const worker = workers.get(key.kind)!
    if (isStopped || ofKind.has(key.tenantId) || ofKind.size >= atOnce(worker)) return
    const { kind, upToMs } = range(worker)
    const ended = work(worker, { tenantId: key.tenantId, kind, upToMs: upToMs + aheadMs }).finally(() => {
      ofKind.delete(key.tenantId)
      void look()
    })
    ofKind.set(key.tenantId, ended)
  }

  /** Reads the times that changes would have to write otherwise. */
  const learn = async (): Promise<void> => {
    for (const [kind, tenantIds] of db.dueTimes.takeWanted()) {
      const reliableMs = (workers.get(kind)!.delayMs ?? 0) - marginMs
      for (const time of await store.findTimes(db, kind, [...tenantIds], clock() - reliableMs)) {
        db.dueTimes.learn(time, time.dueAtMs + reliableMs)
      }
    }
  }

  const lookOnce = async (): Promise<void> => {
    const ranges = [...workers.values()]
      .filter((worker) => running.get(worker.kind)!.size < atOnce(worker))
      .map((worker) => ({ ...range(worker), count: atOnce(worker) }))
    const due = await store.findDue(db, ranges)
    for (const key of due) start(key)
    // Nothing to do is as good as done.
    for (const { kind } of ranges) if (running.get(kind)!.size === 0) onSuccess(workers.get(kind)!.name)
    await learn()
  }

  const look = (): Promise<void> => {
    isWanted = true
    looking ??= (async () => {
      try {
        while (isWanted && !isStopped) {
          isWanted = false
          await lookOnce()
        }
      } catch (error) {
        onError('looking for due work', error)
      } finally {
        looking = undefined
      }
    })()
    return looking
  }

  const allRunning = (): Promise<void>[] => [...running.values()].flatMap((ofKind) => [...ofKind.values()])

  db.listenSync((commits) => {
    if (commits.has(dueWorkTopic) && !isStopped) setImmediate(look)
  })
  const timers = [setInterval(look, lookEveryMs).unref(), setInterval(() => void leases.renew(), leaseMs / 3).unref()]
  const filling = fillDueWork(options)

  return {
    runDue: async () => {
      do {
        await look()
        await Promise.all(allRunning())
        await looking
      } while (allRunning().length > 0)
    },
    wake: (key) => start(key, wakeAheadMs),
    figures: async () =>
      (
        await store.countDue(
          db,
          [...workers.values()].map((worker) => ({ ...range(worker), busy: [...running.get(worker.kind)!.keys()] })),
        )
      ).map(({ kind, count, oldestMs }) => ({
        kind,
        tenants: count,
        // 0 stands for at once.
        oldestAgeMs: oldestMs ? range(workers.get(kind)!).upToMs - oldestMs : 0,
      })),
    stop: async () => {
      isStopped = true
      await filling.stop()
      await looking
      await Promise.all(allRunning())
      for (const timer of timers) clearInterval(timer)
    },
  }
}
