import type { Awaitable } from '../../../base/awaitable.js'
import { recordAll } from '../../../changelog/record.js'
import { lastAddresses } from '../../../changelog/versions/find.js'
import { type Call, changing } from '../../../operations/call.js'
import { deletedProjectIds } from '../../../tenancy/projects/service.js'
import { areShownChanged, requireVisibleMarks, type StaleReason } from '../../fields/stale-marks.js'
import { checkWritableKey } from '../key.js'
import { itemToChange } from '../place.js'
import { answerOf, type ItemAnswer } from '../service.js'
import { findItemsById, type StoredItem } from '../store.js'
import { eventData, named } from '../write.js'
import { reasonOf } from './stale-checks.js'
import * as reliedStore from './store.js'

/** An item that tasks relied on. */
export interface ReliedItem {
  id: string
  projectId: string
  key: string
  /** Null where it is deleted. */
  version: number | null
  validUntilMs: number | null
  /** Why it does not hold; null where it does. */
  why: StaleReason | null
}

/** Returns items that tasks relied on, including deleted items until they are purged. */
export const reliedItems = async (call: Call, ids: readonly string[]): Promise<ReliedItem[]> => {
  const { db, actor, clock } = call
  const rows = await reliedStore.findRelied(db, actor.tenantId, ids)
  const existing = new Set(rows.map(({ id }) => id))
  const deleted = await lastAddresses(
    call,
    ids.filter((id) => !existing.has(id)),
  )
  return [
    ...rows.map((row) => ({
      ...{ id: row.id, projectId: row.project_id, key: row.key, version: row.version },
      ...{ validUntilMs: row.valid_until, why: reasonOf(row, clock()) },
    })),
    ...[...deleted].map(([id, address]) => ({
      ...{ id, ...address, version: null, validUntilMs: null, why: 'deleted' as const },
    })),
  ]
}

/** Returns the existing items among these IDs. */
export const dependentItems = ({ db, actor }: Call, ids: readonly string[]): Awaitable<StoredItem[]> =>
  findItemsById(db, actor.tenantId, ids)

/** What an item is to show from now on. */
export interface ItemMarks {
  item: StoredItem
  /** Marks as JSON; null for none. */
  stale: string | null
  /** Whether one of them is new. */
  isNew: boolean
}

/**
 * Sets the marks of items without creating new versions. An item gets an event if it has a new mark, or if the marks
 * that events include have changed, unless its project is deleted.
 */
export const showItemMarks = async (call: Call, marked: readonly ItemMarks[]): Promise<void> => {
  if (marked.length === 0) return
  const { db, actor, clock } = call
  await db.runAll(marked.map(({ item, stale }) => reliedStore.setStale(actor.tenantId, item.id, stale)))
  const deleted = await deletedProjectIds(call)
  const isTold = ({ item, stale, isNew }: ItemMarks): boolean =>
    !deleted.has(item.project_id) && (isNew || areShownChanged(item.stale, stale, item.project_id))
  const told = marked.filter(isTold)
  await recordAll(
    call,
    told.map(({ item, stale }) => ({
      type: 'knowledge.stale' as const,
      ...named(item),
      data: eventData({ ...item, stale }, clock()),
    })),
  )
}

/** Clears the stale marks of an item that a reviewer accepts as it is. */
export const acceptItem = (
  call: Call,
  { key, projectId }: { key: string; projectId?: string | null | undefined },
): Promise<ItemAnswer> => {
  checkWritableKey(key)
  return changing(call, async (call) => {
    const { item } = await itemToChange(call, key, projectId)
    if (item.stale === null) return answerOf(call, item)
    requireVisibleMarks(call.actor, item.stale)
    await showItemMarks(call, [{ item, stale: null, isNew: false }])
    return answerOf(call, { ...item, stale: null })
  })
}

/** Deletes the product records of a purged task. */
export const forgetProductsOf = async ({ db, actor }: Call, taskId: string): Promise<void> => {
  await db.runAll([reliedStore.deleteProductsOf(actor.tenantId, taskId)])
}

/** Deletes what is recorded about a purged item as a product of tasks. */
export const forgetProduct = async ({ db, actor }: Call, itemId: string): Promise<void> => {
  await db.runAll([reliedStore.deleteProduct(actor.tenantId, itemId)])
}
