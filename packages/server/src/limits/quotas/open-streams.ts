import type { Clock } from '../../base/clock.js'
import { AppError } from '../../base/errors.js'
import { randomBase62 } from '../../base/ids.js'
import type { Db } from '../../db/port.js'
import { eachInTurn } from '../../scheduling/in-turns.js'
import type { Plan } from '../plans.js'
import { countOpenElsewhere, forgetNodes, saveOpen } from './store.js'

/** How many streams and waiting requests a tenant may have open on one node, whatever its plan. */
export const maxOpenOnNode = 200

const tooManyOpen = (): AppError =>
  new AppError('open_limit', `${maxOpenOnNode} streams and long polls are open. End one before opening another.`, {
    limit: 'open streams and long polls',
    retryAfter: 10,
  })

/** Counts what a tenant holds open over requests: streams, waiting requests and sessions together. */
export interface OpenStreams {
  /**
   * Counts a stream or a waiting request, and returns a function that ends it. Returns undefined if the plan's quota is
   * used up, and throws if the tenant has too many open on this node.
   */
  open(tenantId: string, plan: Plan): Promise<(() => void) | undefined>
  used(tenantId: string): Promise<number>
  /** The same without sessions. */
  usedByRequests(tenantId: string): Promise<number>
  /** Tells the other nodes; called every second. */
  flush(): Promise<void>
}

/** How old the count of the other nodes may be. */
const freshForMs = 1_000
/** A node that has something open says so again within this time, and counts for three times as long. */
const sayAgainMs = 10_000
const maxTenants = 10_000

interface Known {
  count: number
  staleAtMs: number
}

/** Nodes tell each other once a second, so that an opened stream costs no statement: until then each knows its own. */
export const createOpenStreams = (
  db: Db,
  clock: Clock,
  countSessions: (tenantId: string) => Promise<number>,
): OpenStreams => {
  const nodeId = randomBase62(12)
  const { isShared } = db.dialect
  /** By tenant. Gone once nothing is open. */
  const own = new Map<string, number>()
  /** What the other nodes know, of tenants with a quota. */
  const told = new Map<string, { count: number; atMs: number }>()
  const elsewhere = new Map<string, Known>()
  const sessions = new Map<string, Known>()

  const recently = async (
    counts: Map<string, Known>,
    tenantId: string,
    read: () => Promise<number>,
  ): Promise<number> => {
    const known = counts.get(tenantId)
    if (known && performance.now() < known.staleAtMs) return known.count
    const count = await read()
    if (counts.size >= maxTenants) counts.clear()
    counts.set(tenantId, { count, staleAtMs: performance.now() + freshForMs })
    return count
  }

  const countElsewhere = async (tenantId: string): Promise<number> =>
    isShared
      ? recently(elsewhere, tenantId, () =>
          countOpenElsewhere(db.ofTenant(tenantId), tenantId, nodeId, clock() - 3 * sayAgainMs),
        )
      : 0

  const usedByRequests = async (tenantId: string): Promise<number> =>
    (await countElsewhere(tenantId)) + (own.get(tenantId) ?? 0)

  const add = (tenantId: string, step: 1 | -1): void => {
    const count = (own.get(tenantId) ?? 0) + step
    if (count === 0) own.delete(tenantId)
    else own.set(tenantId, count)
  }

  const tell = async (tenantId: string): Promise<void> => {
    const count = own.get(tenantId) ?? 0
    const nowMs = clock()
    const last = told.get(tenantId)!
    if (last.count === count && (count === 0 || nowMs - last.atMs < sayAgainMs)) {
      if (count === 0) told.delete(tenantId)
      return
    }
    await saveOpen(db, tenantId, nodeId, count, nowMs)
    await forgetNodes(db, tenantId, nowMs - 3 * sayAgainMs)
    told.set(tenantId, { count, atMs: nowMs })
  }

  return {
    open: async (tenantId, { openStreams: limit }) => {
      if (limit) {
        const others = await recently(sessions, tenantId, () => countSessions(tenantId))
        if ((await usedByRequests(tenantId)) + others >= limit) return undefined
        if (isShared && !told.has(tenantId)) told.set(tenantId, { count: 0, atMs: 0 })
      }
      if ((own.get(tenantId) ?? 0) >= maxOpenOnNode) throw tooManyOpen()
      add(tenantId, 1)
      let isOpen = true
      return () => {
        if (isOpen) add(tenantId, -1)
        isOpen = false
      }
    },
    used: async (tenantId) => (await usedByRequests(tenantId)) + (await countSessions(tenantId)),
    usedByRequests,
    flush: () => eachInTurn(told.keys(), tell),
  }
}
