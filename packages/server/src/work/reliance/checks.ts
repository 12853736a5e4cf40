import { setImmediate as nextTurn } from 'node:timers/promises'
import type { DueWorker } from '../../background/loop.js'
import type { Clock } from '../../base/clock.js'
import type { Db } from '../../db/port.js'
import { serviceActor } from '../../operations/actor.js'
import { type Call, changing, ownOrigin } from '../../operations/call.js'
import { reliedItems } from '../knowledge/relied/relied.js'
import { noCause, updateMarks } from './marks.js'
import * as store from './store.js'

/** Dependents that are looked at in one transaction: on an engine with one writer all others wait for it. */
const dependentsPerStep = 50

const separator = ' '

/** Looks at some dependents of an item; answers where to go on, or null after the last. */
const checkItem = async (call: Call, { item_id, after, ...check }: store.Check): Promise<string | null> => {
  const { db, actor } = call
  const cause = { userId: check.user_id, sinceMs: check.since }
  const [item] = await reliedItems(call, [item_id])
  if (!item || item.why === null) {
    const marked = await store.findMarked(db, actor.tenantId, item_id, dependentsPerStep)
    const dependents = marked.map((id) => ({ id, version: 0 }))
    await updateMarks(call, { ...item, id: item_id, why: null }, dependents, cause)
    return marked.length === dependentsPerStep ? '' : null
  }
  const [task = '', product = ''] = after.split(separator)
  const pairs = await store.findDependents(db, actor.tenantId, item_id, [task, product], dependentsPerStep)
  const versions = new Map<string, number>()
  for (const { task_id, item_id: product, version } of pairs) {
    const id = product || task_id
    versions.set(id, Math.max(versions.get(id) ?? 0, version))
  }
  await updateMarks(
    call,
    item,
    [...versions].map(([id, version]) => ({ id, version })),
    cause,
  )
  const last = pairs.at(-1)
  return last && pairs.length === dependentsPerStep ? `${last.task_id}${separator}${last.item_id}` : null
}

/** Looks at some of what a dependent that came back relied on; answers as above. */
const checkReturned = async (call: Call, { dependent, after }: store.Check): Promise<string | null> => {
  const { db, actor } = call
  // It shows none of its marks yet; those that are accepted stay so.
  if (after === '') await store.deleteUnaccepted(db, actor.tenantId, dependent)
  const relied = await store.findReliedBy(db, actor.tenantId, dependent, after, dependentsPerStep)
  const versions = new Map(relied.map(({ item_id, version }) => [item_id, version]))
  for (const item of await reliedItems(call, [...versions.keys()])) {
    if (item.why !== null) await updateMarks(call, item, [{ id: dependent, version: versions.get(item.id)! }], noCause)
  }
  return relied.length === dependentsPerStep ? relied.at(-1)!.item_id : null
}

/** When an item is looked at next, if it is. */
const nextLook = async (call: Call, itemId: string): Promise<number | undefined> => {
  const [item] = await reliedItems(call, [itemId])
  return item?.validUntilMs != null && item.validUntilMs > call.clock() ? item.validUntilMs : undefined
}

/** Answers whether there was something to look at. An item that ends meanwhile holds for the whole step, and is looked at again. */
const checkStep = async (given: Call): Promise<boolean> => {
  const nowMs = given.clock()
  const clock = (): number => nowMs
  const call = { ...given, clock }
  const { db, actor } = call
  const check = await store.nextCheck(db, actor.tenantId, clock())
  // Another node may have been faster.
  if (!check) return false
  const after = check.item_id === '' ? await checkReturned(call, check) : await checkItem(call, check)
  if (after !== null) {
    await store.continueCheck(db, actor.tenantId, check, after)
    return true
  }
  await store.endCheck(db, actor.tenantId, check)
  const atMs = check.item_id === '' ? undefined : await nextLook(call, check.item_id)
  if (atMs !== undefined)
    await db.runAll(store.scheduleChecks(db, actor.tenantId, [{ id: check.item_id, atMs }], clock()))
  return true
}

const roundMs = 1_000

/** Marks the dependents of items that no longer hold, in transactions between which others have their turn. */
export const staleCheckWorker = (db: Db, clock: Clock): DueWorker => ({
  kind: 'stale_checks',
  name: 'marking what is stale',
  run: async (tenantId) => {
    const untilMs = performance.now() + roundMs
    const call = { db, clock, actor: serviceActor(tenantId), origin: ownOrigin('staleChecks') }
    while ((await changing(call, checkStep)) && performance.now() < untilMs) await nextTurn()
  },
  nextDueMs: store.nextCheckMs,
})
