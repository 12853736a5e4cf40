import { type Awaitable, andThen } from '../../base/awaitable.js'
import type { Clock } from '../../base/clock.js'
import { createLruCache } from '../../base/lru-cache.js'
import type { Db } from '../../db/port.js'
import { serviceActor } from '../../operations/actor.js'
import { type BasisRecorder, type Call, changing, ownOrigin, type ReadVersion } from '../../operations/call.js'
import type { Core } from '../../operations/core.js'
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
/** Of one tenant, in one transaction. */
const entriesPerWrite = 250
/** Larger than the buffer: nothing that is held is forgotten. */
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
  /** By tenant, the oldest first. */
  const held = new Map<string, Map<string, Entry>>()
  /** What is held or was written lately is not added again. */
  const known = createLruCache<{ isKnown: boolean }>(maxRemembered)
  let count = 0
  let flushing: Promise<void> | undefined

  const writeSome = async (tenantId: string, entries: Map<string, Entry>): Promise<void> => {
    const some = [...entries].slice(0, entriesPerWrite)
    const call = { db, clock, actor: serviceActor(tenantId), origin: ownOrigin('recordBasis') }
    await changing(call, (call) =>
      writeBasis(
        call,
        some.map(([, entry]) => entry),
      ),
    )
    for (const [name] of some) entries.delete(name)
    count -= some.length
    if (entries.size === 0) held.delete(tenantId)
  }

  const writeHeld = async (): Promise<void> => {
    const outcomes = await Promise.allSettled(
      [...held].map(async ([tenantId, entries]) => {
        for (let left = entries.size; left > 0; left -= entriesPerWrite) await writeSome(tenantId, entries)
      }),
    )
    const failed = outcomes.find(({ status }) => status === 'rejected') as PromiseRejectedResult | undefined
    if (failed) throw failed.reason
  }

  /** What is held when it is called is written when it resolves: a flush under way may have begun before. */
  const flush = async (): Promise<void> => {
    while (flushing) await flushing.catch(() => undefined)
    flushing = writeHeld().finally(() => {
      flushing = undefined
    })
    await flushing
  }

  const hold = (tenantId: string, name: string, entry: Entry): void => {
    const entries = held.get(tenantId) ?? new Map<string, Entry>()
    held.set(tenantId, entries)
    if (!entries.has(name)) count++
    entries.set(name, entry)
  }

  const nameOf = (tenantId: string, taskId: string, read: ReadVersion): string =>
    `${tenantId} ${taskId} ${read.version} ${read.id}`
  const memoryOf = (name: string) => known.get(name, () => ({ isKnown: false }))

  return {
    isKnown: (tenantId, taskId, read) => memoryOf(nameOf(tenantId, taskId, read)).isKnown,
    add: (tenantId, taskId, read) => {
      const name = nameOf(tenantId, taskId, read)
      const memory = memoryOf(name)
      if (memory.isKnown) return
      memory.isKnown = true
      const entry = { ...read, taskId, readAtMs: clock() }
      if (count < maxHeld) return hold(tenantId, name, entry)
      // A read is not refused because its claim could not be recorded.
      const room = flush().catch(() => undefined)
      return room.then(() => hold(tenantId, name, entry))
    },
    flush,
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
