import type { Db } from '../db/port.js'
import { buildTenant } from './build.js'
import { follow } from './follow.js'
import { followVectors } from './follow-vectors.js'
import { readSnapshot, writeSnapshot } from './snapshot-store.js'
import { inTurns } from './steps.js'
import { lastSequence, logState } from './store.js'
import {
  compactTenant,
  decodeTenant,
  emptyTenantIndex,
  encodeTenant,
  memoryOf,
  sizeOf,
  type TenantIndex,
} from './tenant-index.js'

export interface TenantIndexOptions {
  memoryBytes: number
  /** A tenant with fewer records is built as fast as a snapshot is read. */
  snapshotLeast: number
  /** The model of the vectors to search by; undefined where search goes by words alone. */
  model: string | undefined
  onProblem(error: unknown, message: string): void
}

interface Held {
  index: TenantIndex | undefined
  usedAt: number
  memoryBytes: number
  /** What is done to this tenant's index, one thing after the other. */
  tail: Promise<unknown>
  /** A catching up that has not begun, which newcomers may share: it will see what was written before now. */
  waiting: Promise<TenantIndex> | undefined
}

/** The indexes of the tenants that searched last, as many as the memory allows. */
export const createTenantIndexes = (db: Db, options: TenantIndexOptions) => {
  const tenants = new Map<string, Held>()
  const writing = new Set<Promise<void>>()
  let isClosing = false

  const load = async (tenantId: string, isSnapshotGood: boolean): Promise<TenantIndex> => {
    if (isSnapshotGood) {
      try {
        const stored = await readSnapshot(db, tenantId)
        const index = stored && (await inTurns(decodeTenant(stored)))
        if (index) return index
      } catch (error) {
        options.onProblem(error, 'a search snapshot could not be read; the index is built from the records')
      }
    }
    const sequence = await lastSequence(db, tenantId)
    const state = sequence === undefined ? undefined : await logState(db, tenantId, sequence)
    if (sequence === undefined || !state) return emptyTenantIndex(0, null)
    const built = await buildTenant(db, tenantId, sequence, state.eventId)
    built.changes = sizeOf(built)
    return built
  }

  const catchUp = async (tenantId: string, held: Held): Promise<TenantIndex> => {
    held.index ??= await load(tenantId, true)
    let followed = await follow(db, tenantId, held.index)
    if (followed === 'lost') {
      held.index = await load(tenantId, false)
      followed = await follow(db, tenantId, held.index)
    }
    if (followed === 'gone') held.index = emptyTenantIndex(0, null)
    await takeInVectors(tenantId, held)
    await inTurns(compactTenant(held.index))
    return held.index
  }

  // Many vectors are taken in bit by bit, so that searches can come between.
  const takeInVectors = async (tenantId: string, held: Held): Promise<void> => {
    if (!options.model || !held.index || tenants.get(tenantId) !== held) return
    const { isAll } = await followVectors(db, tenantId, held.index, options.model)
    if (isAll) return
    queue(held, () => takeInVectors(tenantId, held)).catch((error) =>
      options.onProblem(error, 'vectors could not be read and will be with the next search'),
    )
  }

  const save = async (tenantId: string, index: TenantIndex): Promise<void> => {
    const snapshot = await inTurns(encodeTenant(index))
    index.changes = 0
    const write = writeSnapshot(db, tenantId, snapshot, () => isClosing)
      .catch((error) => options.onProblem(error, 'a search snapshot could not be written'))
      .finally(() => writing.delete(write))
    writing.add(write)
  }

  const isWorthSaving = (index: TenantIndex, share: number) =>
    sizeOf(index) >= options.snapshotLeast && index.changes >= Math.max(options.snapshotLeast, sizeOf(index) * share)

  const queue = <T>(held: Held, work: () => Promise<T>): Promise<T> => {
    const result = held.tail.then(work)
    held.tail = result.catch(() => {})
    return result
  }

  const heldOf = (tenantId: string): Held => {
    let held = tenants.get(tenantId)
    if (!held) {
      held = { index: undefined, usedAt: 0, memoryBytes: 0, tail: Promise.resolve(), waiting: undefined }
      tenants.set(tenantId, held)
    }
    held.usedAt = performance.now()
    return held
  }

  const leave = (tenantId: string, held: Held) => {
    tenants.delete(tenantId)
    queue(held, async () => {
      if (held.index && isWorthSaving(held.index, 0)) await save(tenantId, held.index)
    }).catch((error) => options.onProblem(error, 'a search snapshot could not be made'))
  }

  // The longest idle leave first; the one in use stays, however large it is.
  const makeRoom = (current: Held) => {
    const idleFirst = [...tenants]
      .filter(([, held]) => held !== current && held.index !== undefined)
      .sort(([, a], [, b]) => a.usedAt - b.usedAt)
    let total = current.memoryBytes + idleFirst.reduce((sum, [, held]) => sum + held.memoryBytes, 0)
    for (const [tenantId, held] of idleFirst) {
      if (total <= options.memoryBytes) return
      total -= held.memoryBytes
      leave(tenantId, held)
    }
  }

  return {
    /** The tenant's index with every change in it that was committed before this call. */
    current(tenantId: string): Promise<TenantIndex> {
      const held = heldOf(tenantId)
      held.waiting ??= queue(held, async () => {
        held.waiting = undefined
        const index = await catchUp(tenantId, held)
        held.memoryBytes = memoryOf(index)
        makeRoom(held)
        return index
      })
      held.waiting.then(
        (index) => {
          if (isWorthSaving(index, 0.2))
            void queue(held, async () => isWorthSaving(index, 0.2) && save(tenantId, index))
        },
        () => {},
      )
      return held.waiting
    },

    get tenantCount() {
      return tenants.size
    },
    get memoryBytes() {
      return [...tenants.values()].reduce((sum, held) => sum + held.memoryBytes, 0)
    },

    async close(): Promise<void> {
      isClosing = true
      const all = [...tenants]
      for (const [tenantId, held] of all) leave(tenantId, held)
      await Promise.all(all.map(([, held]) => held.tail))
      await Promise.all(writing)
    },
  }
}
