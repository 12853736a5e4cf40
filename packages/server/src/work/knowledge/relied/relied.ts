import { newId } from '../../../base/ids.js'
import { recordAll } from '../../../changelog/record.js'
import { type Call, changing, type ReadVersion } from '../../../operations/call.js'
import { deletedProjectIds } from '../../../tenancy/projects/service.js'
import { requireVisibleMarks, type StaleReason } from '../../fields/stale-marks.js'
import { checkWritableKey } from '../key.js'
import { movedTo } from '../moves/moved.js'
import { itemToChange } from '../place.js'
import { answerOf, type ItemAnswer } from '../service.js'
import type { StoredItem } from '../store.js'
import { eventData } from '../write.js'
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

const reliedOf = (row: reliedStore.ReliedRow, nowMs: number): ReliedItem => ({
  id: row.id,
  projectId: row.project_id,
  key: row.key,
  version: row.version,
  validUntilMs: row.valid_until,
  why: reasonOf(row, nowMs),
})

export const reliedItems = async ({ db, actor, clock }: Call, ids: readonly string[]): Promise<ReliedItem[]> =>
  (await reliedStore.findRelied(db, actor.tenantId, ids)).map((row) => reliedOf(row, clock()))

/** The item of a place that took part once, whether or not it is there still. */
export const reliedItemAt = async (
  { db, actor, clock }: Call,
  projectId: string,
  key: string,
): Promise<ReliedItem | undefined> => {
  const [row] = await reliedStore.findReliedAt(db, actor.tenantId, projectId, [key])
  return row && reliedOf(row, clock())
}

type ReadPlace = Pick<ReadVersion, 'projectId' | 'key'>

/** The items of places, by `placeOf` them, as far as they took part before. */
const itemsAt = async ({ db, actor, clock }: Call, places: readonly ReadPlace[]): Promise<Map<string, ReliedItem>> => {
  const items = new Map<string, ReliedItem>()
  for (const projectId of new Set(places.map((place) => place.projectId))) {
    const keys = places.filter((place) => place.projectId === projectId).map(({ key }) => key)
    for (const row of await reliedStore.findReliedAt(db, actor.tenantId, projectId, [...new Set(keys)])) {
      items.set(placeOf({ projectId, key: row.key }), reliedOf(row, clock()))
    }
  }
  return items
}

/** Items that were read, by `placeOf` them; from now on they take part. One that was moved since is where it is now. */
export const itemsRead = async (call: Call, read: readonly ReadPlace[]): Promise<Map<string, ReliedItem>> => {
  const { db, actor } = call
  const items = await itemsAt(call, read)
  const places = new Map(read.map((place) => [placeOf(place), place]))
  const added = [...places].filter(([name]) => !items.has(name)).map(([, place]) => place)
  if (added.length === 0) return items
  const rows = added.map(({ projectId, key }) => ({ id: newId('rel'), project_id: projectId, key }))
  await db.runAll([reliedStore.insertReliedItems(db, actor.tenantId, rows)])
  for (const [name, item] of await itemsAt(call, added)) {
    const moved = item.version === null ? await movedTo(call, item.key, item.projectId, () => true) : undefined
    if (moved) await db.runAll(reliedStore.deleteReliedItems(db, actor.tenantId, [item.id]))
    items.set(name, moved ? (await itemsRead(call, [moved])).get(placeOf(moved))! : item)
  }
  return items
}

export const placeOf = ({ projectId, key }: ReadPlace): string => `${projectId}/${key}`

/** Ids of items that are purged with what stood at a place: nothing is left of them here. */
export const forgetItemsAt = async ({ db, actor }: Call, projectId: string, key: string): Promise<string[]> => {
  const ids = await reliedStore.findGone(db, actor.tenantId, projectId, key)
  if (ids.length > 0) await db.runAll(reliedStore.deleteReliedItems(db, actor.tenantId, ids))
  return ids
}

type DependentItem = StoredItem & { id: string }

/** The items with these ids that are there. */
export const dependentItems = ({ db, actor }: Call, ids: readonly string[]): Promise<DependentItem[]> =>
  reliedStore.findItemsOf(db, actor.tenantId, ids)

/** What an item is to show from now on. */
export interface ItemMarks {
  item: DependentItem
  /** Marks as JSON; null for none. */
  stale: string | null
  /** Whether one of them is new. */
  isNew: boolean
}

/** Shows marks on items without a new version, with an event for each new mark, unless the project is deleted. */
export const showItemMarks = async (call: Call, marked: readonly ItemMarks[]): Promise<void> => {
  if (marked.length === 0) return
  const { db, actor, clock } = call
  await db.runAll(marked.map(({ item, stale }) => reliedStore.setStale(actor.tenantId, item, stale)))
  const deleted = await deletedProjectIds(call)
  const told = marked.filter(({ item, isNew }) => isNew && !deleted.has(item.project_id))
  await recordAll(
    call,
    told.map(({ item, stale }) => ({
      type: 'knowledge.stale' as const,
      subject: item.key,
      projectId: item.project_id,
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
    await call.db.runAll([reliedStore.setStale(call.actor.tenantId, item, null)])
    return answerOf(call, { ...item, stale: null, derived_count: item.derived_count + 1 })
  })
}

/** Deletes what was written under the claims of a task that is purged. */
export const forgetProductsOf = async ({ db, actor }: Call, taskId: string): Promise<void> => {
  await db.runAll([reliedStore.deleteProductsOf(actor.tenantId, taskId)])
}
