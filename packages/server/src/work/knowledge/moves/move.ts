import { isoTime } from '../../../base/clock.js'
import { AppError, invalid } from '../../../base/errors.js'
import { utf8Length } from '../../../base/text.js'
import { recordAll } from '../../../changelog/record.js'
import type { Kept } from '../../../changelog/versions/keep.js'
import { type MoveRest, recordName } from '../../../changelog/versions/version.js'
import type { Statement } from '../../../db/port.js'
import { actorRef } from '../../../operations/actor.js'
import { type Call, changing } from '../../../operations/call.js'
import { inTurns } from '../../../scheduling/in-turns.js'
import { checkWritableKey } from '../key.js'
import { linksIn } from '../links/extract.js'
import { replaceLinks } from '../links/store.js'
import { itemNotFound, type Place, placeNamed, requireWritablePlace, resolvePlace } from '../place.js'
import { moveRelied } from '../relied/stale-checks.js'
import type { KnowledgeMeta, KnowledgeMove, MovedItem } from '../schema.js'
import * as store from '../store.js'
import { derivedColumnsOf, parseMeta, storedMeta } from '../stored-meta.js'
import { type MovedKeys, movedLinks, relinkMoved } from '../supersede.js'
import { contentByOf, eventData, keptOf } from '../write.js'

const maxMovedItems = 1_000

const taken = (key: string): AppError =>
  new AppError('CONFLICT', `Knowledge item "${key}" already exists. Move or delete it first, or choose another key.`, {
    existing: key,
  })

/** A content is kept with the history of both places. */
const copiesOfContent = 2

/** Of items that are moved together, the contents are in memory at once: as many as their events are likely to show. */
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

/** An item and what it becomes. */
interface Move {
  head: store.ItemHead
  before: KnowledgeMeta
  meta: KnowledgeMeta
}

const movedKeys = (
  heads: readonly store.ItemHead[],
  to: Place,
  keyOf: (head: store.ItemHead) => string,
): MovedKeys => ({
  from: heads[0]!.project_id,
  to: to.id,
  keys: new Map(heads.map((head) => [head.key, keyOf(head)])),
})

/** What the items become: each its next version, or the next of the key that it comes to. */
const planMoves = async (
  call: Call,
  heads: readonly store.ItemHead[],
  to: Place,
  keyOf: (head: store.ItemHead) => string,
): Promise<Move[]> => {
  const { db, actor, clock } = call
  const keys = heads.map(keyOf)
  const used = await store.findUsedKeys(db, actor.tenantId, to.id, keys)
  const lastVersions = await store.findLastVersions(db, actor.tenantId, to.key, keys)
  const updatedAt = isoTime(clock())
  const moved = movedKeys(heads, to, keyOf)
  return heads.map((head, at) => {
    const key = keys[at]!
    if (used.has(key)) throw taken(key)
    const version = Math.max(head.version, lastVersions.get(key) ?? 0) + 1
    if (head.project_id === to.id) {
      used.delete(head.key)
      lastVersions.set(head.key, head.version)
    }
    const before = parseMeta(head.meta)
    const links = movedLinks(before, moved)
    const meta = { ...before, ...links, key, projectId: to.id || null, version, updatedAt, updatedBy: actorRef(actor) }
    return { head, before, meta }
  })
}

/** What a move keeps of an item: where it was, the history ends with the move. */
const keptOfMove = (item: store.StoredItem, record: string, version: number): Kept => {
  const from = recordName.knowledge(item.project_id, item.key)
  const kept = keptOf(item, version)
  return {
    ...kept,
    record,
    rest: JSON.stringify({ from } satisfies MoveRest),
    with: [{ ...kept, type: 'knowledge.moved', record: from, projectId: item.project_id }],
  }
}

/** Paths from the item's folder lead elsewhere from another. */
const movedContentLinks = (call: Call, from: store.ItemHead, to: Place, key: string, content: string): Statement[] => {
  const { db, actor } = call
  return [
    ...replaceLinks(db, actor.tenantId, from.project_id, from.key, []),
    ...replaceLinks(db, actor.tenantId, to.id, key, linksIn(key, content)),
  ]
}

const moveSome = async (call: Call, moves: readonly Move[], from: Place, to: Place): Promise<void> => {
  const { db, actor } = call
  const nowMs = call.clock()
  const contents = await store.findContents(
    db,
    actor.tenantId,
    from.id,
    moves.map(({ head }) => head.key),
  )
  await db.runAll(
    moves.flatMap(({ head, meta }) => [
      ...store.moveItem(actor.tenantId, from.key, head, to, meta, JSON.stringify(contentByOf(head))),
      ...(head.link_count > 0 ? movedContentLinks(call, head, to, meta.key, contents.get(head.key)!) : []),
    ]),
  )
  await moveRelied(
    call,
    moves.map(({ head, meta }) => ({ from: [from.id, head.key], to: [to.id, meta.key] })),
  )
  await recordAll(
    call,
    moves.map(({ head, meta }) => {
      const content = contents.get(head.key)!
      const stored = storedMeta(meta)
      return {
        type: 'knowledge.moved',
        subject: meta.key,
        projectId: to.id,
        growthBytes: utf8Length(stored) - utf8Length(head.meta),
        data: eventData({ ...head, ...derivedColumnsOf(meta), meta: stored, content }, nowMs),
        previous: JSON.stringify({ key: head.key, projectId: from.id || null }),
        kept: keptOfMove({ ...head, content }, recordName.knowledge(to.id, meta.key), meta.version),
      }
    }),
  )
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
    call.work?.expect('change', heads.length, copiesOfContent * bytes)
    const keyOf = ({ key }: store.ItemHead): string => toKey + key.slice(fromKey.length)
    for (const head of heads) checkWritableKey(keyOf(head), 'to')
    const moves = await planMoves(call, heads, to, keyOf)
    await inTurns(stepsOf(moves), 1, ([step]) => moveSome(call, step!, from, to))
    await relinkMoved(
      call,
      moves.map(({ before }) => before),
      movedKeys(heads, to, keyOf),
    )
    return moves.map(({ head, meta }) => ({
      from: head.key,
      key: meta.key,
      projectId: meta.projectId,
      version: meta.version,
    }))
  })
}
