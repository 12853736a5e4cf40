import { isoTime } from '../../../base/clock.js'
import { AppError, invalid } from '../../../base/errors.js'
import { recordAll } from '../../../changelog/record.js'
import { actorRef } from '../../../operations/actor.js'
import { type Call, changing } from '../../../operations/call.js'
import { inTurns } from '../../../scheduling/in-turns.js'
import type { KnowledgeMeta } from '../fields.js'
import { checkWritableKey } from '../key.js'
import { linksIn } from '../links/extract.js'
import { replaceLinks } from '../links/store.js'
import { itemNotFound, type Place, placeNamed, requireWritablePlace, resolvePlace } from '../place.js'
import { queueChecks } from '../relied/stale-checks.js'
import type { KnowledgeMove, MovedItem } from '../schema.js'
import * as store from '../store.js'
import { derivedColumnsOf, parseMeta, storedMeta } from '../stored-meta.js'
import { unlinkLeaving } from '../supersede.js'
import { contentByOf, eventData, keptOf, named, storedLength } from '../write.js'

const maxMovedItems = 1_000

const taken = (key: string): AppError =>
  new AppError('exists', `Knowledge item "${key}" already exists. Move or delete it first, or choose another key.`, {
    existing: key,
  })

/** Bounds the contents that are in memory at once while many items are moved. */
const itemsPerStep = 100
const bytesPerStep = 4_194_304

const stepsOf = (items: readonly Move[]): Move[][] => {
  const steps: Move[][] = []
  let bytes = 0
  for (const item of items) {
    const last = steps.at(-1)
    bytes += item.head.bytes
    if (last && last.length < itemsPerStep && bytes <= bytesPerStep) last.push(item)
    else {
      steps.push([item])
      bytes = item.head.bytes
    }
  }
  return steps
}

/** An item without its content, before and after a move. */
interface Move {
  head: store.ItemHead
  after: store.ItemHead
}

/** Returns a predicate: does the item with this key stay in the place that the moved items leave? */
const staying = (heads: readonly store.ItemHead[], to: Place): ((key: string) => boolean) => {
  const leaving = new Set(heads.map(({ key }) => key))
  const isLeft = heads[0]!.project_id !== to.id
  return (key) => isLeft && !leaving.has(key)
}

/**
 * Plans the state of each item after the move. Its new version follows both its own and the last version of the new
 * key.
 */
const planMoves = async (
  call: Call,
  heads: readonly store.ItemHead[],
  to: Place,
  keyOf: (head: store.ItemHead) => string,
): Promise<Move[]> => {
  const { db, actor, clock } = call
  const keys = heads.map(keyOf)
  const used = await store.findIdsAt(db, actor.tenantId, to.id, keys)
  const lastVersions = await store.findLastVersions(db, actor.tenantId, to.key, keys)
  const updated = { updatedAt: isoTime(clock()), updatedBy: actorRef(actor) }
  const stays = staying(heads, to)
  return heads.map((head, at) => {
    const key = keys[at]!
    if (used.has(key)) throw taken(key)
    const version = Math.max(head.version, lastVersions.get(key) ?? 0) + 1
    if (head.project_id === to.id) {
      used.delete(head.key)
      lastVersions.set(head.key, head.version)
    }
    const before = parseMeta(head.meta)
    const supersedes = before.supersedes.filter((old) => !stays(old))
    const supersededBy = before.supersededBy !== null && stays(before.supersededBy) ? null : before.supersededBy
    const meta = { ...before, ...updated, key, projectId: to.id || null, version, supersedes, supersededBy }
    const after: store.ItemHead = {
      ...{ ...head, project_id: to.id, key, version, meta: storedMeta(meta), ...derivedColumnsOf(meta) },
      content_by: JSON.stringify(contentByOf(head)),
      superseded_by: supersededBy === null ? null : head.superseded_by,
      superseding: supersedes.length,
    }
    return { head, after }
  })
}

/** Unlinks items that leave a place from those that stay there. */
const unlinkSome = async (call: Call, heads: readonly store.ItemHead[], to: Place): Promise<void> => {
  const { db, actor } = call
  const stays = staying(heads, to)
  const ids = new Map(heads.map(({ key, id }) => [key, id]))
  for (const head of heads) {
    if (head.superseding === 0 && head.superseded_by === null) continue
    await unlinkLeaving(call, head, stays)
    const kept = parseMeta(head.meta).supersedes.flatMap((key) => ids.get(key) ?? [])
    await db.runAll(store.replaceSuperseded(actor.tenantId, head.id, kept))
  }
}

/** Writes the events and versions of items that were moved. */
const recordSome = async (call: Call, moves: readonly Move[]): Promise<void> => {
  const { db, actor } = call
  const nowMs = call.clock()
  const ids = moves.map(({ head }) => head.id)
  const items = new Map((await store.findItemsById(db, actor.tenantId, ids)).map((item) => [item.id, item]))
  await db.runAll(
    // Relative paths resolve differently from another folder.
    [...items.values()].flatMap(({ id, key, content, link_count }) =>
      link_count > 0 ? replaceLinks(db, actor.tenantId, id, linksIn(key, content)) : [],
    ),
  )
  await queueChecks(call, ids)
  await recordAll(
    call,
    moves.map(({ head }) => {
      const item = items.get(head.id)!
      return {
        type: 'knowledge.moved',
        ...named(item),
        growthBytes: storedLength(item.meta, '') - storedLength(head.meta, ''),
        data: eventData(item, nowMs),
        previous: JSON.stringify({ key: head.key, projectId: head.project_id || null }),
        kept: keptOf(item, { ...head, content: item.content }),
      }
    }),
  )
}

/** Moves items of one place, each to its own new key. */
const moveHeads = async (
  call: Call,
  heads: readonly store.ItemHead[],
  from: Place,
  to: Place,
  keyOf: (head: store.ItemHead) => string,
): Promise<MovedItem[]> => {
  const { db, actor } = call
  for (const head of heads) checkWritableKey(keyOf(head), 'to')
  const moves = await planMoves(call, heads, to, keyOf)
  if (from.id !== to.id) await unlinkSome(call, heads, to)
  await db.runAll(
    moves.flatMap(({ head, after }) => store.moveItem(actor.tenantId, from.key, head, after, call.clock())),
  )
  await db.runAll([
    store.noteRenamed(
      db,
      actor.tenantId,
      heads.map(({ id }) => id),
    ),
  ])
  await inTurns(stepsOf(moves), 1, ([step]) => recordSome(call, step!))
  return moves.map(({ head: { id, key: from }, after: { key, project_id, version } }) => {
    return { id, from, key, projectId: project_id || null, version }
  })
}

const headOf = async ({ db, actor }: Call, id: string): Promise<store.ItemHead> =>
  (await store.findHeadsById(db, actor.tenantId, [id]))[0]!

/**
 * Moves an item to the key and project that it had in another version. If another item has that key, and `mayExchange`
 * returns true for its id, the two items change places.
 */
export const moveBack = async (
  call: Call,
  id: string,
  { key, projectId }: KnowledgeMeta,
  mayExchange: (otherId: string) => Promise<boolean>,
): Promise<void> => {
  const { db, actor } = call
  const head = await headOf(call, id)
  if (head.key === key && head.project_id === (projectId ?? '')) return
  const [from, to] = [await placeNamed(call, head.project_id || null), await placeNamed(call, projectId)]
  requireWritablePlace(call, from)
  requireWritablePlace(call, to)
  const other = await store.findItem(db, actor.tenantId, to.id, key)
  if (other && (await mayExchange(other.id))) {
    await db.runAll([store.parkItem(actor.tenantId, id)])
    await moveHeads(call, [await headOf(call, other.id)], to, from, () => head.key)
  }
  await moveHeads(call, [head], from, to, () => key)
}

/** Moves an item to another key or project; recursively, also everything below its key. */
export const moveKnowledge = async (call: Call, move: KnowledgeMove): Promise<MovedItem[]> => {
  const { from: fromKey, to: toKey, recursive = false } = move
  checkWritableKey(fromKey, 'from')
  checkWritableKey(toKey, 'to')
  return changing(call, async (call) => {
    const { db, actor } = call
    const from =
      recursive && move.projectId === undefined
        ? await placeNamed(call, null)
        : await placeNamed(call, (await resolvePlace(call, fromKey, move.projectId)) || null)
    const to = move.toProjectId === undefined ? from : await placeNamed(call, move.toProjectId, 'toProjectId')
    requireWritablePlace(call, from)
    requireWritablePlace(call, to)
    if (from.id === to.id && (fromKey === toKey || (recursive && toKey.startsWith(`${fromKey}/`)))) {
      throw invalid({ path: 'to', message: 'must not be the moved key or a key below it' })
    }
    const heads = await store.findItemHeads(db, actor.tenantId, from.id, fromKey, recursive, maxMovedItems + 1)
    if (heads.length === 0) throw await itemNotFound(call, fromKey, move.projectId)
    if (heads.length > maxMovedItems) {
      throw invalid({ path: 'from', message: `has more than ${maxMovedItems} items; move them in smaller parts` })
    }
    const bytes = heads.reduce((sum, head) => sum + head.bytes, 0)
    call.work?.expect('change', heads.length, bytes)
    return moveHeads(call, heads, from, to, ({ key }) => toKey + key.slice(fromKey.length))
  })
}
