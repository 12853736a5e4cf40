import { isoTime } from '../../base/clock.js'
import { AppError } from '../../base/errors.js'
import type { Json } from '../../base/json.js'
import { type Change, record } from '../../changelog/record.js'
import { findVersion, versionNotFound } from '../../changelog/versions/find.js'
import { recordName } from '../../changelog/versions/version.js'
import { actorRef, mayUseProject } from '../../operations/actor.js'
import { type Call, changing } from '../../operations/call.js'
import { checkKey, checkWritableKey } from './key.js'
import type { KnowledgeItem, KnowledgeMeta } from './schema.js'
import {
  answerOf,
  eventData,
  type ItemAnswer,
  itemNotFound,
  keptOf,
  type Place,
  placeNamed,
  requireWritablePlace,
  resolvePlace,
  storedLength,
  update,
} from './service.js'
import * as store from './store.js'
import { itemJson, storedMeta } from './stored-meta.js'

/** An old version of an item; one from before a move is as hidden as the place where it was. */
const oldVersion = async (
  call: Call,
  place: store.ProjectScope,
  key: string,
  version: number,
): Promise<Json<KnowledgeItem>> => {
  const found = await findVersion(call, recordName.knowledge(place, key), version)
  const { projectId } = found === undefined ? { projectId: null } : (JSON.parse(found) as KnowledgeItem)
  if (found === undefined || (projectId !== null && !mayUseProject(call.actor, projectId))) {
    throw versionNotFound(`"${key}"`, version)
  }
  return found
}

/** A version of an item that is there. */
export const getItemVersion = async (
  call: Call,
  key: string,
  projectRef: string | undefined,
  version: number,
): Promise<Json<KnowledgeItem>> => {
  checkKey(key)
  const place = await resolvePlace(call, key, projectRef)
  const item = await store.findItem(call.db, call.actor.tenantId, place, key)
  if (!item) throw await itemNotFound(call, key, projectRef)
  if (item.version === version) return itemJson(item)
  return oldVersion(call, place, key, version)
}

/** The content of an item's JSON, as a JSON string literal. */
const contentOf = (item: Json<KnowledgeItem>): string => JSON.stringify((JSON.parse(item) as KnowledgeItem).content)

/** Makes an old version of an item its newest. */
export const restoreItemVersion = (
  call: Call,
  key: string,
  projectRef: string | undefined,
  version: number,
): Promise<ItemAnswer> => {
  checkWritableKey(key)
  return changing(call, async (call) => {
    const place = await placeNamed(call, (await resolvePlace(call, key, projectRef)) || null)
    requireWritablePlace(call.actor, place)
    const item = await store.findItem(call.db, call.actor.tenantId, place.id, key)
    if (!item) throw await itemNotFound(call, key, projectRef)
    if (item.version === version) return answerOf(item)
    return update(call, item, contentOf(await oldVersion(call, place.id, key, version)))
  })
}

/** Gives an item the content of another version. */
export const revertItem = async (call: Call, place: Place, key: string, wanted: Json<KnowledgeItem>): Promise<void> => {
  const item = (await store.findItem(call.db, call.actor.tenantId, place.id, key))!
  await update(call, item, contentOf(wanted))
}

/** Brings a deleted item back, as its next version. The place may be a project that nobody sees yet. */
export const restoreItem = async (
  call: Call,
  place: Place,
  deleted: Json<KnowledgeItem>,
  undoes?: string,
): Promise<void> => {
  const { db, actor, clock } = call
  const { content: text, ...before } = JSON.parse(deleted) as KnowledgeItem
  const content = JSON.stringify(text)
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
  const stored = storedMeta(meta)
  const change: Change = {
    type: 'knowledge.restored',
    subject: meta.key,
    projectId: place.id,
    data: eventData(stored, content),
    growthBytes: storedLength(stored, content),
    ...(undoes !== undefined && { undoes }),
    kept: { record: recordName.knowledge(place.id, meta.key), ...keptOf(null, meta.version) },
  }
  await record(call, change, [store.insertItem(actor.tenantId, place.id, meta, content)])
}
