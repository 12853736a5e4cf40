import { isoTime } from '../../base/clock.js'
import { AppError } from '../../base/errors.js'
import type { Json } from '../../base/json.js'
import { findVersion, versionNotFound } from '../../changelog/versions/find.js'
import type { SkippedLink } from '../../changelog/versions/schema.js'
import { type KeptVersion, recordName } from '../../changelog/versions/version.js'
import { actorRef, mayUseProject } from '../../operations/actor.js'
import { type Call, changing } from '../../operations/call.js'
import { itemRecord, type KnowledgeMeta } from './fields.js'
import { checkKey, checkWritableKey } from './key.js'
import { moveBack } from './moves/move.js'
import { itemNotFound, itemToChange, type Place, requireWritablePlace, resolvePlace } from './place.js'
import { queueChecks, queueReturned } from './relied/stale-checks.js'
import type { ItemVersion } from './schema.js'
import { answerOf, type ItemAnswer, recordRead, updateItem } from './service.js'
import * as store from './store.js'
import type { ItemFields } from './stored-meta.js'
import { derivedColumnsOf, hasExpired, oldVersionJson, parseVersion } from './stored-meta.js'
import { keyNowOf, linkRestored, restoredLinks, revertSuccessor, stillReplaceable } from './supersede.js'
import { type DeletionRest, insertItem } from './write.js'

/** Returns an old version of an item. A version from before a move requires access to the project of that time. */
const oldVersion = async (
  call: Call,
  { id, key }: Pick<store.StoredItem, 'id' | 'key'>,
  version: number,
): Promise<Json<ItemVersion>> => {
  const found = await findVersion(call, recordName.knowledge(id), version)
  const { projectId } = found === undefined ? { projectId: null } : (JSON.parse(found.text) as ItemVersion)
  if (found === undefined || (projectId !== null && !mayUseProject(call.actor, projectId))) {
    throw versionNotFound(`"${key}"`, version)
  }
  return found.text
}

/** A version of an item that is there. */
export const getItemVersion = async (
  call: Call,
  key: string,
  projectRef: string | undefined,
  version: number,
): Promise<Omit<ItemAnswer, 'isCreated'>> => {
  checkKey(key)
  const place = await resolvePlace(call, key, projectRef)
  const item = await store.findItem(call.db, call.actor.tenantId, place, key)
  if (!item) throw await itemNotFound(call, key, projectRef)
  if (item.version === version) {
    await recordRead(call, item.id, version)
    return answerOf(call, item)
  }
  const nowMs = call.clock()
  const old = await oldVersion(call, item, version)
  await recordRead(call, item.id, version)
  const isExpired = hasExpired(derivedColumnsOf(parseVersion(old)), nowMs)
  return { id: item.id, key, projectId: place, version, derived: 0, isExpired, json: oldVersionJson(old, nowMs) }
}

/** Returns the version with the current keys of its linked items, which may have been renamed. */
const withLinksNow = async (
  call: Call,
  { project_id }: store.StoredItem,
  { supersedes, supersededBy, ...version }: ItemVersion,
): Promise<ItemVersion> => {
  const atMs = Date.parse(version.updatedAt)
  const keyNow = async (key: string): Promise<string> => (await keyNowOf(call, project_id, key, atMs)) ?? key
  return {
    ...version,
    supersedes: await Promise.all(supersedes.map(keyNow)),
    supersededBy: supersededBy === null ? null : await keyNow(supersededBy),
  }
}

/** The fields of a version that callers set. */
const settableOf = async (
  call: Call,
  item: store.StoredItem,
  version: ItemVersion,
  skipped: SkippedLink[],
  retraction: KnowledgeMeta['retraction'] = null,
): Promise<Partial<ItemFields>> => {
  const { supersedes, ...fields } = itemRecord.restored(version)
  const replaceable = await stillReplaceable(call, item.project_id, item.key, supersedes, skipped, retraction)
  return { ...fields, supersedes: replaceable }
}

/** Makes an old version of an item its newest. Its content is as new as any, and has to be reviewed again. */
export const restoreItemVersion = (
  call: Call,
  key: string,
  projectRef: string | null | undefined,
  version: number,
): Promise<{ answer: ItemAnswer; skipped: SkippedLink[] }> => {
  checkWritableKey(key)
  return changing(call, async (call) => {
    const { item } = await itemToChange(call, key, projectRef)
    const skipped: SkippedLink[] = []
    if (item.version === version) return { answer: answerOf(call, item), skipped }
    const wanted = await withLinksNow(call, item, parseVersion(await oldVersion(call, item, version)))
    const fields = await settableOf(call, item, wanted, skipped)
    const restored = await updateItem(call, item, fields, JSON.stringify(wanted.content))
    return { answer: answerOf(call, restored), skipped }
  })
}

/**
 * Gives an item the key, the project and the fields of another version. The verdict is taken from that version too,
 * because it applies to that version's content.
 */
export const revertItem = async (
  call: Call,
  id: string,
  json: Json<ItemVersion>,
  skipped: SkippedLink[],
  mayExchange: (otherId: string) => Promise<boolean>,
): Promise<void> => {
  const { db, actor } = call
  const version = parseVersion(json)
  await moveBack(call, id, version, mayExchange)
  const [item] = await store.findItemsById(db, actor.tenantId, [id])
  if (!item) throw new Error(`no item ${id}`)
  requireWritablePlace(call, { id: item.project_id })
  const wanted = await withLinksNow(call, item, version)
  const { trust, verdict, retraction } = wanted
  const fields = { ...(await settableOf(call, item, wanted, skipped, retraction)), trust, verdict, retraction }
  const reverted = await updateItem(call, item, fields, JSON.stringify(wanted.content))
  await revertSuccessor(call, reverted, wanted.supersededBy, skipped)
}

/** The change that deleted an item, and what was kept with it. */
type Deletion = Pick<KeptVersion, 'rest'>

/** Puts a deleted item back at its place, as its next version. */
const insertRestored = async (
  call: Call,
  place: Place,
  { content, ...before }: ItemVersion,
  deletion: Deletion,
  undoes: string | undefined,
): Promise<KnowledgeMeta> => {
  const { db, actor, clock } = call
  const existing = await store.findItem(db, actor.tenantId, place.id, before.key)
  if (existing) {
    throw new AppError(
      'exists',
      `Knowledge item "${before.key}" already exists. Move or delete it, then restore this one.`,
      { existing: before.key, currentVersion: existing.version },
    )
  }
  const { contentBy } = JSON.parse(deletion.rest!) as DeletionRest
  const lastVersions = await store.findLastVersions(db, actor.tenantId, place.key, [before.key])
  const meta: KnowledgeMeta = {
    ...before,
    version: Math.max(before.version, lastVersions.get(before.key) ?? 0) + 1,
    updatedAt: isoTime(clock()),
    updatedBy: actorRef(actor),
  }
  await insertItem(call, place, meta, JSON.stringify(content), {
    type: 'knowledge.restored',
    contentBy: JSON.stringify(contentBy),
    ...(undoes !== undefined && { undoes }),
  })
  await queueChecks(call, [meta.id])
  await queueReturned(call, meta.id)
  return meta
}

/** Restores a deleted item as its next version. Returns the links that could not be restored. */
export const restoreItem = async (
  call: Call,
  place: Place,
  before: ItemVersion,
  deletion: Deletion,
  undoes?: string,
): Promise<SkippedLink[]> => {
  const { namedBy, skipped, ...links } = await restoredLinks(call, place.id, before)
  const meta = await insertRestored(call, place, { ...before, ...links }, deletion, undoes)
  await linkRestored(call, place.id, meta, namedBy)
  return skipped
}
