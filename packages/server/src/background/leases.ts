import type { DueKey, WorkKind } from '../db/known-due-times.js'
import type { Db } from '../db/port.js'
import * as store from './store.js'

/** This node's exclusive right to do one kind of a tenant's work. It is renewed while the work runs. */
export interface Lease {
  /** How long no other node will start the same work; 0 once the lease is lost. */
  remainingMs(): number
}

export interface HeldLease extends Lease, DueKey {
  /** On the monotonic clock. */
  endsAtMs: number
}

/** Manages this node's leases. On a database that only one process uses, leases never expire. */
export const createLeases = (
  db: Db,
  kinds: readonly WorkKind[],
  leaseMs: number,
  onError: (name: string, error: unknown) => void,
) => {
  const { isShared } = db.dialect
  const held = new Set<HeldLease>()
  let isRenewing = false

  const renewKind = async (kind: WorkKind, leases: readonly HeldLease[]): Promise<void> => {
    const startedAtMs = performance.now()
    const tenantIds = leases.map(({ tenantId }) => tenantId)
    const renewed = await store.renewLeases(db, kind, tenantIds, leaseMs)
    for (const lease of leases) lease.endsAtMs = renewed.has(lease.tenantId) ? startedAtMs + leaseMs : 0
  }

  return {
    /** Returns undefined if another node has the lease. */
    take: async (rows: store.DueRows): Promise<HeldLease | undefined> => {
      const { tenantId, kind } = rows
      const startedAtMs = performance.now()
      if (isShared && !(await store.lease(db, rows, leaseMs))) return undefined
      const lease: HeldLease = {
        tenantId,
        kind,
        endsAtMs: isShared ? startedAtMs + leaseMs : Number.POSITIVE_INFINITY,
        remainingMs: () => Math.max(0, lease.endsAtMs - performance.now()),
      }
      held.add(lease)
      return lease
    },
    release: (lease: HeldLease): void => {
      held.delete(lease)
    },
    /** Runs independently of the work, with one statement per kind, so that slow work cannot delay it. */
    renew: async (): Promise<void> => {
      if (isRenewing || !isShared) return
      isRenewing = true
      for (const kind of kinds) {
        const leases = [...held].filter((lease) => lease.kind === kind && lease.remainingMs() > 0)
        if (leases.length > 0) await renewKind(kind, leases).catch((error) => onError('renewing leases', error))
      }
      isRenewing = false
    },
  }
}
