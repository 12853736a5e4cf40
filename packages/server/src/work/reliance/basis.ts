import { type Awaitable, andThen } from '../../base/awaitable.js'
import type { Clock } from '../../base/clock.js'
import { createLruCache } from '../../base/lru-cache.js'
import type { Db } from '../../db/port.js'
import { serviceActor } from '../../operations/actor.js'
import { type BasisRecorder, type Call, changing, ownOrigin, type ReadVersion } from '../../operations/call.js'
import type { Core } from '../../operations/core.js'
import { createWriteBehind } from '../../scheduling/write-behind.js'
import { type ReliedItem, reliedItems } from '../knowledge/relied/relied.js'
import { numberOfToken, taskOfToken } from '../tasks/claims/rules.js'
import { holdsClaim } from '../tasks/claims/service.js'
import { noCause, updateMarks } from './marks.js'
import * as store from './store.js'

declare module '../../operations/core.js' {
  interface Core {
    readonly basis: BasisBuffer
  }
}

/** What tasks relied on, held back for a moment. */
export interface BasisBuffer {
  /** Whether it is held or was written lately. */
  isKnown(tenantId: string, taskId: string, read: ReadVersion): boolean
  /** Resolves at once, or after older entries were written where there are too many. */
  add(tenantId: string, taskId: string, read: ReadVersion): Awaitable<void>
  flush(): Promise<void>
}

interface Entry extends ReadVersion {
  taskId: string
  readAtMs: number
}

const maxHeld = 10_000
const entriesPerWrite = 250
/** Larger than the buffer, so that no buffered entry is forgotten. */
const maxRemembered = 20_000

/** Products of a task that are marked with it when its basis comes late. */
const maxProducts = 200

/** Marks a task, and what was written under its claims before it could know, where an item has gone bad meanwhile. */
const markLate = async (call: Call, item: ReliedItem, taskId: string, version: number): Promise<void> => {
  const { db, actor } = call
  const hasChangedSince = item.version === null || version < item.version
  const products = hasChangedSince ? await store.findProducts(db, actor.tenantId, taskId, maxProducts) : []
  const ids = [taskId, ...products.filter((id) => id !== item.id)]
  await updateMarks(
    call,
    item,
    ids.map((id) => ({ id, version })),
    noCause,
  )
}

/** Saves what tasks of a tenant relied on, and marks the tasks that are already stale. Leaves out purged items. */
const writeBasis = async (call: Call, entries: readonly Entry[]): Promise<void> => {
  const { db, actor, clock } = call
  const { tenantId } = actor
  const items = await reliedItems(call, [...new Set(entries.map(({ id }) => id))])
  const itemOf = new Map(items.map((item) => [item.id, item]))
  const rows = entries
    .filter(({ id }) => itemOf.has(id))
    .map(({ taskId, id, version, readAtMs }) => ({ task_id: taskId, item_id: id, version, read_at: readAtMs }))
  const written = await store.insertBasis(db, tenantId, rows)
  const checks = items.flatMap(({ id, validUntilMs }) =>
    validUntilMs !== null && validUntilMs > clock() ? [{ id, atMs: validUntilMs }] : [],
  )
  await db.runAll(store.scheduleChecks(db, tenantId, checks, clock()))
  for (const { task_id, item_id, version } of written) {
    const item = itemOf.get(item_id)!
    if (item.why !== null) await markLate(call, item, task_id, version)
  }
}

export const createBasisBuffer = (db: Db, clock: Clock): BasisBuffer => {
  const held = createWriteBehind<Entry>({
    write: (tenantId, entries) => {
      const call = { db, clock, actor: serviceActor(tenantId), origin: ownOrigin('recordBasis') }
      return changing(call, (call) =>
        writeBasis(
          call,
          entries.map(([, entry]) => entry),
        ),
      )
    },
    maxEntries: maxHeld,
    entriesPerWrite,
  })
  /** Remembers entries that are buffered or were written recently, so that they are not added again. */
  const known = createLruCache<{ isKnown: boolean }>(maxRemembered)

  const nameOf = (taskId: string, read: ReadVersion): string => `${taskId} ${read.version} ${read.id}`
  const memoryOf = (tenantId: string, name: string) => known.get(`${tenantId} ${name}`, () => ({ isKnown: false }))

  return {
    isKnown: (tenantId, taskId, read) => memoryOf(tenantId, nameOf(taskId, read)).isKnown,
    add: (tenantId, taskId, read) => {
      const name = nameOf(taskId, read)
      const memory = memoryOf(tenantId, name)
      if (memory.isKnown) return
      const entry = { ...read, taskId, readAtMs: clock() }
      memory.isKnown = held.add(tenantId, name, entry)
      if (memory.isKnown) return
      // A read is not refused because its claim could not be recorded.
      const room = held.flush().catch(() => undefined)
      return room.then(() => {
        memory.isKnown = held.add(tenantId, name, entry)
      })
    },
    flush: () => held.flush(),
  }
}

/** Records what is read under a claim. */
export const basisOf = (call: Call & { readonly core: Core }, token: string): BasisRecorder | undefined => {
  const { core, actor } = call
  const taskId = taskOfToken(token)
  if (taskId === undefined) return undefined
  return {
    record: (read) => {
      if (core.basis.isKnown(actor.tenantId, taskId, read)) return
      return andThen(holdsClaim(call, taskId, numberOfToken(token)), (isHeld) =>
        isHeld ? core.basis.add(actor.tenantId, taskId, read) : undefined,
      )
    },
  }
}
