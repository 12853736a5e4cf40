import { isoTime } from '../../base/clock.js'
import { AppError } from '../../base/errors.js'
import type { Json } from '../../base/json.js'
import { findVersion, versionNotFound } from '../../changelog/versions/find.js'
import type { SkippedLink } from '../../changelog/versions/schema.js'
import { type KeptVersion, type RestoreRest, recordName } from '../../changelog/versions/version.js'
import { type ActorRef, actorRef, mayUseProject } from '../../operations/actor.js'
import { type Call, changing } from '../../operations/call.js'
import { checkKey, checkWritableKey } from './key.js'
import { itemNotFound, itemToChange, type Place, resolvePlace } from './place.js'
import { queueReturned } from './relied/stale-checks.js'
import type { ItemVersion, KnowledgeMeta } from './schema.js'
import { answerOf, type ItemAnswer, recordRead, updateItem } from './service.js'
import * as store from './store.js'
import type { ItemFields } from './stored-meta.js'
import { derivedColumnsOf, hasExpired, oldVersionJson, parseVersion } from './stored-meta.js'
import { linkRestored, restoredLinks, revertSuccessor, stillReplaceable } from './supersede.js'
import { type DeletionRest, insertItem } from './write.js'

/** An old version of an item; one from before a move is as hidden as the place where it was. */
const oldVersion = async (
  call: Call,
  place: store.ProjectScope,
  key: string,
  version: number,
): Promise<Json<ItemVersion>> => {
  const found = await findVersion(call, recordName.knowledge(place, key), version)
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
    await recordRead(call, item, version)
    return answerOf(call, item)
  }
  const nowMs = call.clock()
  const old = await oldVersion(call, place, key, version)
  await recordRead(call, item, version)
  const isExpired = hasExpired(derivedColumnsOf(parseVersion(old)), nowMs)
  return { key, projectId: place, version, derived: 0, isExpired, json: oldVersionJson(old, nowMs) }
}

/** The fields of a version that callers set. */
const settableOf = async (
  call: Call,
  item: store.StoredItem,
  { title, tags, metadata, source, validUntil, supersedes }: ItemVersion,
  skipped: SkippedLink[],
  retraction: KnowledgeMeta['retraction'] = null,
): Promise<Partial<ItemFields>> => ({
  ...{ title, tags, metadata, source, validUntil },
  supersedes: await stillReplaceable(call, item.project_id, item.key, supersedes, skipped, retraction),
})

/** Makes an old version of an item its newest. Its content is as new as any, and has to be reviewed again. */
export const restoreItemVersion = (
  call: Call,
  key: string,
  projectRef: string | null | undefined,
  version: number,
): Promise<{ answer: ItemAnswer; skipped: SkippedLink[] }> => {
  checkWritableKey(key)
  return changing(call, async (call) => {
    const { place, item } = await itemToChange(call, key, projectRef)
    const skipped: SkippedLink[] = []
    if (item.version === version) return { answer: answerOf(call, item), skipped }
    const wanted = parseVersion(await oldVersion(call, place.id, key, version))
    const fields = await settableOf(call, item, wanted, skipped)
    const restored = await updateItem(call, item, fields, JSON.stringify(wanted.content))
    return { answer: answerOf(call, restored), skipped }
  })
}

/** Gives an item what another version says. Its verdict comes with it, which was about the same content. */
export const revertItem = async (
  call: Call,
  place: Place,
  key: string,
  json: Json<ItemVersion>,
  skipped: SkippedLink[],
): Promise<void> => {
  const item = (await store.findItem(call.db, call.actor.tenantId, place.id, key))!
  const wanted = parseVersion(json)
  const { trust, verdict, retraction } = wanted
  const fields = { ...(await settableOf(call, item, wanted, skipped, retraction)), trust, verdict, retraction }
  const reverted = await updateItem(call, item, fields, JSON.stringify(wanted.content))
  await revertSuccessor(call, reverted, wanted.supersededBy, skipped)
}

/** The change that deleted an item, and what was kept with it. */
type Deletion = Pick<KeptVersion, 'rest'> & { sequence: number; place: number }

const contentByBefore = (deletion: Deletion | null, { updatedBy }: KnowledgeMeta): ActorRef =>
  deletion?.rest ? (JSON.parse(deletion.rest) as DeletionRest).contentBy : updatedBy

/** Puts a deleted item back at its place, as its next version. */
const insertRestored = async (
  call: Call,
  place: Place,
  { content, ...before }: ItemVersion,
  deletion: Deletion | null,
  undoes: string | undefined,
): Promise<KnowledgeMeta> => {
  const { db, actor, clock } = call
  const existing = await store.findItem(db, actor.tenantId, place.id, before.key)
  if (existing) {
    throw new AppError(
      'CONFLICT',
      `Knowledge item "${before.key}" already exists. Move or delete it, then restore this one.`,
      { existing: before.key, currentVersion: existing.version },
    )
  }
  const meta: KnowledgeMeta = {
    ...before,
    version: Math.max(before.version, await store.lastVersionOf(db, actor.tenantId, place.key, before.key)) + 1,
    updatedAt: isoTime(clock()),
    updatedBy: actorRef(actor),
  }
  await insertItem(call, place, meta, JSON.stringify(content), {
    type: 'knowledge.restored',
    contentBy: JSON.stringify(contentByBefore(deletion, before)),
    rest: JSON.stringify({ deletion: deletion && [deletion.sequence, deletion.place] } satisfies RestoreRest),
    ...(undoes !== undefined && { undoes }),
  })
  await queueReturned(call, place.id, meta.key)
  return meta
}

/**
 * Brings a deleted item back, as its next version; without a deletion, only its contents. Answers the links that could not
 * be made again.
 */
export const restoreItem = async (
  call: Call,
  place: Place,
  version: Json<ItemVersion>,
  deletion: Deletion | null,
  undoes?: string,
): Promise<SkippedLink[]> => {
  const before = parseVersion(version)
  const { namedBy, skipped, ...links } = await restoredLinks(call, place.id, before)
  const meta = await insertRestored(call, place, { ...before, ...links }, deletion, undoes)
  await linkRestored(call, place.id, meta, namedBy)
  return skipped
}
