import type { Lease } from '../../../background/leases.js'
import { type ActiveWebhook, listActive } from './progress-store.js'
import type { WorkerContext } from './session.js'
import { type DeliveryWorker, startDeliveryWorker } from './worker.js'

/** What all tenants served by a node share. */
export interface TenantContext extends Omit<WorkerContext, 'lease'> {
  idleTimeoutMs: number
  noteFailure(error: unknown): void
  noteSuccess(): void
}

/** Serves the webhooks of one tenant while this node has the tenant's lease. */
export interface TenantDeliveries {
  /** Called when the log has new events. */
  wake(): void
  /** Reads which webhooks have something to send. Stops if none has had anything for a while or the lease was lost. */
  poll(): void
  runningForMs(): number
  /** Stops after the requests in flight have finished. */
  stop(): Promise<void>
  ended: Promise<void>
}

export const startTenantDeliveries = (context: TenantContext, tenantId: string, lease: Lease): TenantDeliveries => {
  const { clock, idleTimeoutMs, noteFailure, noteSuccess } = context
  const db = context.db.ofTenant(tenantId)
  /** A worker is replaced only after it has ended, so that a webhook never has two. */
  const workers = new Map<string, DeliveryWorker>()
  const startedAtMs = performance.now()
  let isStopped = false
  /** Whether every enabled webhook had a worker when the webhooks were last read. */
  let haveAllWorkers = false
  let isLookWanted = false
  let looking: Promise<void> | undefined
  let end = (): void => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })

  const start = (webhook: ActiveWebhook): void => {
    const worker = startDeliveryWorker({ ...context, lease }, webhook)
    workers.set(webhook.id, worker)
    void worker.ended.then(() => {
      workers.delete(webhook.id)
      haveAllWorkers = false
    })
  }

  const lookOnce = async (): Promise<void> => {
    const active = await listActive(db, tenantId, clock())
    if (isStopped) return
    const ids = new Set(active.map(({ webhook }) => webhook.id))
    for (const { webhook, hasWork } of active) {
      const worker = workers.get(webhook.id)
      if (!hasWork) continue
      if (worker) worker.wake()
      else start(webhook)
    }
    // A woken worker notices that its webhook is disabled or deleted, and ends.
    for (const [id, worker] of workers) if (!ids.has(id)) worker.wake()
    haveAllWorkers = active.every(({ webhook }) => workers.has(webhook.id))
    if (workers.size === 0) void stop()
  }

  const look = (): void => {
    isLookWanted = true
    looking ??= (async () => {
      while (isLookWanted && !isStopped) {
        isLookWanted = false
        await lookOnce().then(noteSuccess, noteFailure)
      }
      looking = undefined
    })()
  }

  const stop = (): Promise<void> => {
    if (!isStopped) {
      isStopped = true
      const stopWorkers = async (): Promise<void> => {
        await looking
        await Promise.all([...workers.values()].map((worker) => worker.stop()))
      }
      void stopWorkers().then(end)
    }
    return ended
  }

  const isIdle = (): boolean =>
    performance.now() - startedAtMs > idleTimeoutMs &&
    looking === undefined &&
    [...workers.values()].every((worker) => worker.idleForMs() > idleTimeoutMs)

  look()
  return {
    wake: () => {
      for (const worker of workers.values()) worker.wakeEventQueue()
      if (!haveAllWorkers) look()
    },
    poll: () => {
      if (lease.remainingMs() === 0 || isIdle()) void stop()
      else look()
    },
    runningForMs: () => performance.now() - startedAtMs,
    stop,
    ended,
  }
}
