import { type Awaitable, andThen } from '../../base/awaitable.js'
import { isoTime } from '../../base/clock.js'
import { AppError, invalid } from '../../base/errors.js'
import { newTimedId } from '../../base/ids.js'
import type { Json } from '../../base/json.js'
import { isStorable, utf8Length } from '../../base/text.js'
import { checkPreconditions, type Preconditions } from '../../base/versions.js'
import { type Change, record } from '../../changelog/record.js'
import { countStoredBytes } from '../../limits/quotas/stored-bytes.js'
import { actorRef } from '../../operations/actor.js'
import { type Call, changing } from '../../operations/call.js'
import {
  currentProject,
  getProject,
  type ProjectContents,
  unknownProjectDetail,
} from '../../tenancy/projects/service.js'
import { mergedMetadata } from '../fields/metadata.js'
import { marksTag, withVisibleMarks } from '../fields/stale-marks.js'
import { itemRecord, type KnowledgeMeta } from './fields.js'
import { checkKey, checkWritableKey } from './key.js'
import { replaceLinks } from './links/store.js'
import {
  isReadable,
  itemNotFound,
  itemToChange,
  type Place,
  placeNamed,
  preferredPlace,
  requireWritablePlace,
  resolvePlace,
  tenantWide,
} from './place.js'
import { readFields, type SettableFields } from './read-fields.js'
import { recordProduct } from './relied/products.js'
import { queueDeleted } from './relied/stale-checks.js'
import {
  type ItemVersion,
  type KnowledgeItem,
  type KnowledgePatch,
  type KnowledgeWrite,
  maxContentBytes,
} from './schema.js'
import * as store from './store.js'
import { hasExpired, type ItemFields, itemJson, parseMeta, versionJson } from './stored-meta.js'
import { checkSuperseded, relink, stillReplaceable, unlinkLeaving } from './supersede.js'
import { changeItem, eventData, insertItem, keptOfDeleted, named, storedLength } from './write.js'

/** An item as its answer's JSON, and what the answer's headers need of it. */
export interface ItemAnswer {
  id: string
  key: string
  projectId: store.ProjectScope
  version: number
  derived: number
  isExpired: boolean
  json: Json<KnowledgeItem>
  isCreated: boolean
}

export const answerOf = (call: Call, item: store.StoredItem, isCreated = false): ItemAnswer => {
  const nowMs = call.clock()
  const json = item.stale === null ? itemJson(item, nowMs) : withVisibleMarks(call.actor, itemJson(item, nowMs))
  return {
    id: item.id,
    key: item.key,
    projectId: item.project_id,
    version: item.version,
    derived: item.derived_count + (item.stale === null ? 0 : marksTag(json)),
    isExpired: hasExpired(item, nowMs),
    json,
    isCreated,
  }
}

/** Under a claim, what is read becomes the basis of the claim's task. */
export const recordRead = ({ basis }: Call, id: string, version: number): Awaitable<void> =>
  basis?.record({ id, version })

const readAnswer = (call: Call, item: store.StoredItem): Awaitable<ItemAnswer> =>
  andThen(recordRead(call, item.id, item.version), () => answerOf(call, item))

const getPlacedItem = async (call: Call, key: string, projectRef: string | undefined): Promise<ItemAnswer> => {
  const place = await resolvePlace(call, key, projectRef)
  const item = await store.findItem(call.db, call.actor.tenantId, place, key)
  if (!item) throw await itemNotFound(call, key, projectRef)
  return readAnswer(call, item)
}

export const getItem = (call: Call, key: string, projectRef: string | undefined): Awaitable<ItemAnswer> => {
  checkKey(key)
  if (projectRef !== undefined) return getPlacedItem(call, key, projectRef)
  // Most often the item is tenant-wide: then one look-up does.
  return andThen(store.findItem(call.db, call.actor.tenantId, '', key), (item) =>
    item ? readAnswer(call, item) : getPlacedItem(call, key, undefined),
  )
}

/** Returns the version of the item that an operation changes. */
export const itemVersion = async (
  call: Call,
  { key, projectId }: { key: string; projectId?: string | null | undefined },
): Promise<number> => (await itemToChange(call, key, projectId)).item.version

/** Returns the current state of an item as version JSON; undefined if the item or its project is deleted. */
export const currentItemVersion = async (call: Call, id: string): Promise<Json<ItemVersion> | undefined> => {
  const [item] = await store.findItemsById(call.db, call.actor.tenantId, [id])
  if (item && item.project_id !== '' && !(await currentProject(call, item.project_id))) return undefined
  return item && versionJson(item)
}

/** Returns an item as version JSON, even if its project is deleted. */
export const storedItemVersion = async ({ db, actor }: Call, id: string): Promise<Json<ItemVersion> | undefined> => {
  const [item] = await store.findItemsById(db, actor.tenantId, [id])
  return item && versionJson(item)
}

/** Returns the id of the item with a key in a place; undefined if there is none. */
export const itemIdAt = async (
  { db, actor }: Call,
  projectId: store.ProjectScope,
  key: string,
): Promise<string | undefined> => (await store.findItem(db, actor.tenantId, projectId, key))?.id

const checkContent = (content: string): void => {
  if (!isStorable(content)) throw invalid({ path: 'content', message: 'must be valid Unicode text without NUL' })
  if (utf8Length(content) > maxContentBytes) {
    throw new AppError('too_large', 'The content exceeds 1 MiB of UTF-8. Split it over several keys.')
  }
}

const create = async (
  call: Call,
  place: Place,
  key: string,
  content: string,
  { metadata, ...fields }: SettableFields,
): Promise<ItemAnswer> => {
  const { db, clock } = call
  const actor = actorRef(call.actor)
  const now = isoTime(clock())
  if (fields.supersedes) await checkSuperseded(call, place.id, key, fields.supersedes)
  const lastVersions = await store.findLastVersions(db, call.actor.tenantId, place.key, [key])
  const meta = itemRecord.make(fields, {
    id: newTimedId('kno', clock()),
    key,
    projectId: place.id || null,
    version: (lastVersions.get(key) ?? 0) + 1,
    createdAt: now,
    updatedAt: now,
    createdBy: actor,
    updatedBy: actor,
    metadata: mergedMetadata({}, metadata ?? {}),
  })
  const item = await insertItem(call, place, meta, content, { type: 'knowledge.created' })
  if (fields.supersedes) await relink(call, place.id, key, null, meta)
  return answerOf(call, item, true)
}

/** What an item that holds again replaces. */
const supersededAgain = (
  call: Call,
  { project_id, key, meta }: store.StoredItem,
  wanted?: string[],
): Promise<string[]> => stillReplaceable(call, project_id, key, wanted ?? parseMeta(meta).supersedes)

/** Changes an item, and with it the items that it replaces. One that holds again replaces those that it still can. */
export const updateItem = async (
  call: Call,
  before: store.StoredItem,
  wanted: Partial<ItemFields>,
  content?: string,
): Promise<store.StoredItem> => {
  const isBack =
    before.lifecycle === 'retracted' &&
    (wanted.retraction === null || (content !== undefined && content !== before.content && !wanted.retraction))
  const { project_id, key } = before
  const fields = isBack ? { ...wanted, supersedes: await supersededAgain(call, before, wanted.supersedes) } : wanted
  const change = content === undefined ? { fields } : { fields, content }
  const { item, meta, metaBefore } = await changeItem(call, before, change)
  if (meta !== metaBefore && metaBefore.supersedes.length + meta.supersedes.length > 0) {
    await relink(call, project_id, key, metaBefore, meta)
  }
  return item
}

const metadataAfter = ({ meta }: store.StoredItem, patch: SettableFields['metadata']): KnowledgeMeta['metadata'] =>
  patch ? mergedMetadata(parseMeta(meta).metadata, patch) : {}

/** Applies what a caller sets to an item. */
const applyFields = async (
  call: Call,
  before: store.StoredItem,
  { metadata, ...fields }: SettableFields,
  content?: string,
): Promise<ItemAnswer> => {
  const { project_id, key } = before
  if (fields.supersedes) {
    const present = parseMeta(before.meta).supersedes
    const added = fields.supersedes.filter((old) => !present.includes(old))
    await checkSuperseded(call, project_id, key, added)
  }
  const set = metadata === undefined ? fields : { ...fields, metadata: metadataAfter(before, metadata) }
  return answerOf(call, await updateItem(call, before, set, content))
}

/** What a write changes: the item that it replaces, or the place of a new one. */
interface Target {
  place: Place
  before: store.StoredItem | undefined
}

const namedTarget = async (call: Call, key: string, projectRef: string | null): Promise<Target> => {
  const place = await placeNamed(call, projectRef)
  requireWritablePlace(call, place)
  return { place, before: await store.findItem(call.db, call.actor.tenantId, place.id, key) }
}

/** The item that a read without a project shows, or a new tenant-wide one where there is none. */
const readTarget = async (call: Call, key: string): Promise<Target> => {
  const { actor, db } = call
  const item = await store.findItem(db, actor.tenantId, '', key)
  const places = item ? [''] : (await store.placesOfKey(db, actor.tenantId, key)).filter((id) => isReadable(actor, id))
  const projectId = preferredPlace(key, places)
  requireWritablePlace(call, { id: projectId ?? '' })
  // An item that is there stays at its place.
  return { place: tenantWide, before: projectId ? await store.findItem(db, actor.tenantId, projectId, key) : item }
}

/** What is written under a claim is recorded as a product of its task. */
const product = async (call: Call, versionBefore: number | undefined, item: ItemAnswer): Promise<ItemAnswer> => {
  if (call.claim !== undefined && item.version !== versionBefore) await recordProduct(call, call.claim, item)
  return item
}

/** Returns the fields of a request in the form in which they are stored. An error also reports an unknown project. */
const checkedFields = async (
  call: Call,
  input: Parameters<typeof readFields>[0],
  projectRef: string | null | undefined,
): Promise<SettableFields> => {
  const [fields, problems] = readFields(input)
  if (problems.length === 0) return fields
  const unknown = typeof projectRef === 'string' ? await unknownProjectDetail(call, projectRef, 'projectId') : undefined
  throw invalid(...problems, ...(unknown ? [unknown] : []))
}

export const putItem = async (
  call: Call,
  key: string,
  { content: text, projectId, checkDuplicates: _, ...input }: KnowledgeWrite,
  preconditions: Preconditions,
): Promise<ItemAnswer> => {
  checkWritableKey(key)
  checkContent(text)
  const fields = await checkedFields(call, input, projectId)
  const content = JSON.stringify(text)
  return changing(call, async (call) => {
    const { place, before } = await (projectId === undefined
      ? readTarget(call, key)
      : namedTarget(call, key, projectId))
    checkPreconditions(preconditions, before?.version ?? null)
    return product(
      call,
      before?.version,
      await (before ? applyFields(call, before, fields, content) : create(call, place, key, content, fields)),
    )
  })
}

export const patchItem = async (
  call: Call,
  key: string,
  projectRef: string | undefined,
  { content: text, ...input }: KnowledgePatch,
  preconditions: Preconditions,
): Promise<ItemAnswer> => {
  checkWritableKey(key)
  if (text !== undefined) checkContent(text)
  const fields = await checkedFields(call, input, projectRef)
  return changing(call, async (call) => {
    const { item } = await itemToChange(call, key, projectRef)
    checkPreconditions(preconditions, item.version)
    const content = text === undefined ? undefined : JSON.stringify(text)
    return product(call, item.version, await applyFields(call, item, fields, content))
  })
}

export const deleteItem = (
  call: Call,
  key: string,
  projectRef: string | undefined,
  preconditions: Preconditions,
): Promise<store.StoredItem> => {
  checkWritableKey(key)
  return changing(call, async (call) => {
    const { tenantId } = call.actor
    const projectId = await resolvePlace(call, key, projectRef)
    const place = projectId === '' ? tenantWide : await getProject(call, projectId)
    requireWritablePlace(call, place)
    const item = await store.findItem(call.db, tenantId, projectId, key)
    if (!item) throw await itemNotFound(call, key, projectRef)
    checkPreconditions(preconditions, item.version)
    const { tags } = parseMeta(item.meta)
    await unlinkLeaving(call, item)
    if (tags.length > 0) await call.db.runAll(store.replaceTags(tenantId, item, []))
    if (item.link_count > 0) await call.db.runAll(replaceLinks(call.db, tenantId, item.id, []))
    if (item.superseding > 0) await call.db.runAll(store.replaceSuperseded(tenantId, item.id, []))
    const change: Change = {
      type: 'knowledge.deleted',
      ...named(item),
      data: eventData(item, call.clock()),
      growthBytes: -storedLength(item.meta, item.content),
      entry: { title: key, count: 1 },
      kept: keptOfDeleted(item),
    }
    await queueDeleted(call, [item.id])
    await record(call, change, store.deleteItem(tenantId, place.key, item))
    return item
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
      projectId: id,
      ...keptOfDeleted(item),
    }))
  },
}
