import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Clock } from '../../base/clock.js'
import type { Db } from '../../db/port.js'
import { serviceActor } from '../../operations/actor.js'
import { type Call, changing, ownOrigin } from '../../operations/call.js'
import { reliedItems } from '../knowledge/relied/relied.js'
import { staleTopic } from '../knowledge/relied/stale-checks.js'
import { noCause, updateMarks } from './marks.js'
import * as store from './store.js'

declare module '../../operations/core.js' {
  interface Core {
    readonly staleChecks: StaleChecks
  }
}

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

const checkStep = async (call: Call): Promise<void> => {
  const { db, actor, clock } = call
  const check = await store.nextCheck(db, actor.tenantId, clock())
  // Another node may have been faster.
  if (!check) return
  const after = check.item_id === '' ? await checkReturned(call, check) : await checkItem(call, check)
  if (after !== null) return store.continueCheck(db, actor.tenantId, check, after)
  await store.endCheck(db, actor.tenantId, check)
  const atMs = check.item_id === '' ? undefined : await nextLook(call, check.item_id)
  if (atMs !== undefined) await db.runAll(store.scheduleChecks(actor.tenantId, [{ id: check.item_id, atMs }]))
}

/** Of different tenants' in turn. */
const tenantsAtOnce = 100

export interface StaleChecks {
  /** Looks at all that is due, in transactions between which others have their turn. */
  run(): Promise<void>
  /** Resolves once nothing is running. */
  stop(): Promise<void>
}

/**
 * Marks the dependents of items that no longer hold. The node whose commit caused it begins at once; the others poll, so
 * that they go on where that node was stopped.
 */
export const createStaleChecks = (db: Db, clock: Clock, onError: (error: unknown) => void): StaleChecks => {
  let running: Promise<void> | undefined
  let isWanted = false
  let isStopped = false

  const runDue = async (): Promise<void> => {
    // One tenant whose check fails does not keep others waiting.
    const failed = new Map<string, unknown>()
    do {
      isWanted = false
      const found = await store.tenantsWithDueChecks(db, clock(), tenantsAtOnce)
      const tenantIds = found.filter((id) => !failed.has(id))
      for (const tenantId of tenantIds) {
        if (isStopped) return
        const call = { db, clock, actor: serviceActor(tenantId), origin: ownOrigin('staleChecks') }
        await changing(call, checkStep).catch((error) => failed.set(tenantId, error))
        await nextTurn()
      }
      isWanted ||= tenantIds.length > 0
    } while (isWanted && !isStopped)
    for (const error of failed.values()) throw error
  }

  const run = async (): Promise<void> => {
    isWanted = true
    running ??= runDue().finally(() => {
      running = undefined
    })
    await running
  }

  db.listenSync((commits) => {
    if (commits.has(staleTopic) && !isStopped) setImmediate(() => run().catch(onError))
  })
  return {
    run,
    stop: async () => {
      isStopped = true
      await running?.catch(() => undefined)
    },
  }
}
