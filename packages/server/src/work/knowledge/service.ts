import { type Awaitable, andThen } from '../../base/awaitable.js'
import { isoTime } from '../../base/clock.js'
import { AppError, invalid, notFound } from '../../base/errors.js'
import type { Json } from '../../base/json.js'
import { isStorable, utf8Length } from '../../base/text.js'
import { checkPreconditions, type Preconditions } from '../../base/versions.js'
import { type Change, maxEventDataLength, record } from '../../changelog/record.js'
import type { Kept } from '../../changelog/versions/keep.js'
import { recordName } from '../../changelog/versions/version.js'
import { countStoredBytes } from '../../limits/quotas/stored-bytes.js'
import { type Actor, actorRef, mayUseProject, requireProject } from '../../operations/actor.js'
import { type Call, changing } from '../../operations/call.js'
import { getProject, type ProjectContents, projectNamed } from '../../tenancy/projects/service.js'
import { checkKey, checkWritableKey } from './key.js'
import { type KnowledgeItem, type KnowledgeMeta, type KnowledgeWrite, maxContentBytes } from './schema.js'
import * as store from './store.js'
import { itemJson, parseMeta, type StoredMeta, storedMeta, truncatedItemJson } from './stored-meta.js'

/** An item as its answer's JSON, and what the answer's headers need of it. */
export interface ItemAnswer {
  key: string
  projectId: store.ProjectScope
  version: number
  json: Json<KnowledgeItem>
  isCreated: boolean
}

/** Where an item lives: its project's id and key, both empty for the tenant as a whole. */
export interface Place {
  id: store.ProjectScope
  key: string
}

const tenantWide: Place = { id: '', key: '' }

/** A place by its project; null is the tenant as a whole. */
export const placeNamed = async (call: Call, ref: string | null, path = 'projectId'): Promise<Place> =>
  ref === null ? tenantWide : projectNamed(call, ref, path)

export const answerOf = (item: store.StoredItem, isCreated = false): ItemAnswer => ({
  key: item.key,
  projectId: item.project_id,
  version: item.version,
  json: itemJson(item),
  isCreated,
})

export const requireWritablePlace = (actor: Actor, place: Place): void => {
  if (place.id !== '') requireProject(actor, place.id)
  if (place.id !== '' || actor.projectIds === null) return
  throw new AppError(
    'FORBIDDEN',
    'This key is limited to projects and cannot write tenant-wide knowledge. Set projectId to one of its projects.',
    {
      see: 'me',
    },
  )
}

/** As many projects as an error names. */
const maxCandidates = 100

/** The place of a key when the caller names no project: the tenant as a whole, or else the only project that has it. */
const preferredPlace = (key: string, places: readonly store.ProjectScope[]): store.ProjectScope | undefined => {
  if (places[0] === '' || places.length <= 1) return places[0]
  throw new AppError('CONFLICT', `Several projects have "${key}". Set projectId to one of them.`, {
    candidates: places.slice(0, maxCandidates),
  })
}

const isReadable = (actor: Actor, place: store.ProjectScope): boolean => place === '' || mayUseProject(actor, place)

/** Of the places that a key has, in their order, the one that the actor means who names none. */
export const choosePlace = (actor: Actor, key: string, all: readonly store.ProjectScope[]): store.ProjectScope => {
  const place = preferredPlace(
    key,
    all.filter((id) => isReadable(actor, id)),
  )
  if (place !== undefined) return place
  if (all.length > 0) requireProject(actor, all[0]!)
  throw missingItem(key)
}

const placeOfKey = async ({ actor, db }: Call, key: string): Promise<store.ProjectScope> =>
  choosePlace(actor, key, await store.placesOfKey(db, actor.tenantId, key))

/** Where a key stands in projects that are being deleted. */
export const hiddenPlacesOf = ({ actor, db }: Call, key: string): Promise<store.ProjectScope[]> =>
  store.hiddenPlacesOfKey(db, actor.tenantId, key)

export const resolvePlace = async (
  call: Call,
  key: string,
  projectRef: string | undefined,
): Promise<store.ProjectScope> =>
  projectRef === undefined ? placeOfKey(call, key) : (await projectNamed(call, projectRef)).id

const missingItem = (key: string): AppError => notFound(`knowledge item "${key}"`, 'knowledge')

/** The error for an item that is not there; for one of a project that was named, it says where the key is instead. */
export const itemNotFound = async (call: Call, key: string, projectRef: string | undefined): Promise<AppError> => {
  if (projectRef === undefined) return missingItem(key)
  const all = await store.placesOfKey(call.db, call.actor.tenantId, key)
  const places = all.filter((id) => isReadable(call.actor, id))
  if (places.length === 0) return missingItem(key)
  const missing = `Knowledge item "${key}" not found in project "${projectRef}".`
  return places[0] === ''
    ? new AppError('NOT_FOUND', `${missing} It is tenant-wide: leave projectId out.`)
    : new AppError('NOT_FOUND', `${missing} Other projects have it.`, { candidates: places.slice(0, maxCandidates) })
}

const getPlacedItem = async (call: Call, key: string, projectRef: string | undefined): Promise<ItemAnswer> => {
  const place = await resolvePlace(call, key, projectRef)
  const item = await store.findItem(call.db, call.actor.tenantId, place, key)
  if (!item) throw await itemNotFound(call, key, projectRef)
  return answerOf(item)
}

export const getItem = (call: Call, key: string, projectRef: string | undefined): Awaitable<ItemAnswer> => {
  checkKey(key)
  if (projectRef !== undefined) return getPlacedItem(call, key, projectRef)
  // Most often the item is tenant-wide: then one look-up does.
  return andThen(store.findItem(call.db, call.actor.tenantId, '', key), (item) =>
    item ? answerOf(item) : getPlacedItem(call, key, undefined),
  )
}

/** An item as it stands, as its next version will be kept. */
export const currentItemVersion = async (
  call: Call,
  projectId: store.ProjectScope,
  key: string,
): Promise<Json<KnowledgeItem> | undefined> => {
  const item = await store.findItem(call.db, call.actor.tenantId, projectId, key)
  return item && itemJson(item)
}

const checkContent = (content: string): void => {
  if (!isStorable(content)) throw invalid({ path: 'content', message: 'must be valid Unicode text without NUL' })
  if (utf8Length(content) > maxContentBytes) {
    throw new AppError('PAYLOAD_TOO_LARGE', 'The content exceeds 1 MiB of UTF-8. Split it over several keys.')
  }
}

export const eventData = (meta: StoredMeta, content: string): string =>
  meta.length + content.length <= maxEventDataLength ? itemJson({ meta, content }) : truncatedItemJson(meta)

/** A version of an item, as the history keeps it; null where there was none. */
export const keptOf = (before: store.StoredItem | null, version: number): Omit<Kept, 'record'> => ({
  version,
  beforeVersion: before?.version ?? null,
  before: before && itemJson(before),
})

export const storedLength = (meta: StoredMeta, content: string): number => utf8Length(meta) + utf8Length(content)

const create = async (call: Call, place: Place, key: string, content: string): Promise<ItemAnswer> => {
  const { tenantId } = call.actor
  const actor = actorRef(call.actor)
  const now = isoTime(call.clock())
  const meta: KnowledgeMeta = {
    key,
    projectId: place.id || null,
    version: (await store.lastVersionOf(call.db, tenantId, place.key, key)) + 1,
    createdAt: now,
    updatedAt: now,
    createdBy: actor,
    updatedBy: actor,
  }
  const stored = storedMeta(meta)
  const change: Change = {
    type: 'knowledge.created',
    subject: key,
    projectId: place.id,
    data: eventData(stored, content),
    growthBytes: storedLength(stored, content),
    kept: { record: recordName.knowledge(place.id, key), ...keptOf(null, meta.version) },
  }
  await record(call, change, [store.insertItem(tenantId, place.id, meta, content)])
  return answerOf({ project_id: place.id, key, version: meta.version, meta: stored, content }, true)
}

/** Gives an item another content, as a JSON string literal. */
export const update = async (call: Call, before: store.StoredItem, content: string): Promise<ItemAnswer> => {
  if (before.content === content) return answerOf(before)
  const meta: KnowledgeMeta = {
    ...parseMeta(before.meta),
    version: before.version + 1,
    updatedAt: isoTime(call.clock()),
    updatedBy: actorRef(call.actor),
  }
  const stored = storedMeta(meta)
  const change: Change = {
    type: 'knowledge.updated',
    subject: before.key,
    projectId: before.project_id,
    data: eventData(stored, content),
    previous: before.content.length <= maxEventDataLength ? `{"content":${before.content}}` : '{"truncated":true}',
    growthBytes: storedLength(stored, content) - storedLength(before.meta, before.content),
    kept: { record: recordName.knowledge(before.project_id, before.key), ...keptOf(before, meta.version) },
  }
  await record(call, change, [store.updateItem(call.actor.tenantId, before.project_id, meta, content)])
  return answerOf({ ...before, version: meta.version, meta: stored, content })
}

/** What a write changes: the item that it replaces, or the place of a new one. */
interface Target {
  place: Place
  before: store.StoredItem | undefined
}

const namedTarget = async (call: Call, key: string, projectRef: string | null): Promise<Target> => {
  const place = await placeNamed(call, projectRef)
  requireWritablePlace(call.actor, place)
  return { place, before: await store.findItem(call.db, call.actor.tenantId, place.id, key) }
}

/** The item that a read without a project shows, or a new tenant-wide one where there is none. */
const readTarget = async (call: Call, key: string): Promise<Target> => {
  const { actor, db } = call
  const item = await store.findItem(db, actor.tenantId, '', key)
  const places = item ? [''] : (await store.placesOfKey(db, actor.tenantId, key)).filter((id) => isReadable(actor, id))
  const projectId = preferredPlace(key, places)
  if (projectId) return { place: tenantWide, before: await store.findItem(db, actor.tenantId, projectId, key) }
  requireWritablePlace(actor, tenantWide)
  return { place: tenantWide, before: item }
}

export const putItem = async (
  call: Call,
  key: string,
  { content: text, projectId }: KnowledgeWrite,
  preconditions: Preconditions,
): Promise<ItemAnswer> => {
  checkWritableKey(key)
  checkContent(text)
  const content = JSON.stringify(text)
  return changing(call, async (call) => {
    const { place, before } = await (projectId === undefined
      ? readTarget(call, key)
      : namedTarget(call, key, projectId))
    checkPreconditions(preconditions, before?.version ?? null)
    return before ? update(call, before, content) : create(call, place, key, content)
  })
}

export const deleteItem = (
  call: Call,
  key: string,
  projectRef: string | undefined,
  preconditions: Preconditions,
): Promise<void> => {
  checkWritableKey(key)
  return changing(call, async (call) => {
    const { tenantId } = call.actor
    const projectId = await resolvePlace(call, key, projectRef)
    const place = projectId === '' ? tenantWide : await getProject(call, projectId)
    requireWritablePlace(call.actor, place)
    const item = await store.findItem(call.db, tenantId, projectId, key)
    if (!item) throw await itemNotFound(call, key, projectRef)
    checkPreconditions(preconditions, item.version)
    const change: Change = {
      type: 'knowledge.deleted',
      subject: key,
      projectId,
      data: eventData(item.meta, item.content),
      growthBytes: -storedLength(item.meta, item.content),
      entry: { title: key, count: 1 },
      kept: { record: recordName.knowledge(projectId, key), ...keptOf(item, item.version) },
    }
    await record(call, change, store.deleteItem(tenantId, place.key, item))
  })
}

export const projectKnowledge: ProjectContents = {
  hasAny: (call, { id }) => store.hasProjectItems(call.db, call.actor.tenantId, id),
  deleteSome: async (call, { id, key }, count) => {
    const { tenantId } = call.actor
    const items = await store.deleteProjectItems(call.db, tenantId, id, key, count)
    const bytes = items.reduce((sum, { meta, content }) => sum + storedLength(meta, content), 0)
    await countStoredBytes(call.db, tenantId, -bytes)
    return items.map((item) => ({
      type: 'knowledge.deleted',
      record: recordName.knowledge(id, item.key),
      projectId: id,
      ...keptOf(item, item.version),
    }))
  },
}
