import { newId } from '../../../base/ids.js'
import { recordAll } from '../../../changelog/record.js'
import { type Call, changing, type ReadVersion } from '../../../operations/call.js'
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

/** The ids of items that were read, given where they have none, by `placeOf` them. */
export const reliedIdsOf = async (
  call: Call,
  read: readonly Pick<ReadVersion, 'projectId' | 'key'>[],
): Promise<Map<string, string>> => {
  const { db, actor } = call
  const { tenantId } = actor
  const places = new Map(read.map((place) => [placeOf(place), place]))
  const rows = [...places.values()].map(({ projectId, key }) => ({ id: newId('rel'), project_id: projectId, key }))
  await db.runAll([reliedStore.insertReliedItems(db, tenantId, rows)])
  const given = new Set(rows.map(({ id }) => id))
  const ids = new Map<string, string>()
  for (const projectId of new Set(rows.map(({ project_id }) => project_id))) {
    const keys = rows.filter(({ project_id }) => project_id === projectId).map(({ key }) => key)
    for (const { id, key, version } of await reliedStore.findReliedAt(db, tenantId, projectId, keys)) {
      const place = { projectId, key }
      // One that is new and not there was moved or deleted since it was read.
      const moved = version === null && given.has(id) ? await movedTo(call, key, projectId, () => true) : undefined
      if (moved) await db.runAll(reliedStore.deleteReliedItems(db, tenantId, [id]))
      ids.set(placeOf(place), moved ? (await reliedIdsOf(call, [moved])).get(placeOf(moved))! : id)
    }
  }
  return ids
}

export const placeOf = ({ projectId, key }: Pick<ReadVersion, 'projectId' | 'key'>): string => `${projectId}/${key}`

/** Ids of items that are purged with what stood at a place: nothing is left of them here. */
export const forgetItemsAt = async ({ db, actor }: Call, projectId: string, key: string): Promise<string[]> => {
  const ids = await reliedStore.findGone(db, actor.tenantId, projectId, key)
  if (ids.length > 0) await db.runAll(reliedStore.deleteReliedItems(db, actor.tenantId, ids))
  return ids
}

export type DependentItem = StoredItem & { id: string }

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

/** Shows marks on items: no change of them, so no new version. New marks are told of. */
export const showItemMarks = async (call: Call, marked: readonly ItemMarks[]): Promise<void> => {
  if (marked.length === 0) return
  const { db, actor, clock } = call
  await db.runAll(marked.map(({ item, stale }) => reliedStore.setStale(actor.tenantId, item, stale)))
  const told = marked.filter(({ isNew }) => isNew)
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

/** Clears the marks on an item: whoever looked at it found it good. */
export const acceptItem = (
  call: Call,
  { key, projectId }: { key: string; projectId?: string | undefined },
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
