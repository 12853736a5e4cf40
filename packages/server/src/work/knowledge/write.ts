import { isoTime } from '../../base/clock.js'
import { utf8Length } from '../../base/text.js'
import { type Change, changedFields, maxEventDataLength, record } from '../../changelog/record.js'
import type { Kept } from '../../changelog/versions/keep.js'
import { recordName } from '../../changelog/versions/version.js'
import { type ActorRef, actorRef } from '../../operations/actor.js'
import type { Call } from '../../operations/call.js'
import { marksOfProject } from '../fields/stale-marks.js'
import type { KnowledgeMeta } from './fields.js'
import { linksIn } from './links/extract.js'
import { replaceLinks } from './links/store.js'
import type { Place } from './place.js'
import { queueChanged } from './relied/stale-checks.js'
import * as store from './store.js'
import {
  type DerivedColumns,
  derivedColumnsOf,
  type ItemFields,
  itemJson,
  parseMeta,
  type StoredMeta,
  storedMeta,
  truncatedItemJson,
  versionJson,
  withoutLinks,
} from './stored-meta.js'

type EventItem = { project_id: store.ProjectScope; meta: StoredMeta; content: string } & DerivedColumns

/** An item as its events show it. */
export const eventData = (item: EventItem, nowMs: number): string => {
  const shown = item.stale === null ? item : { ...item, stale: marksOfProject(item.stale, item.project_id) }
  return item.meta.length + item.content.length <= maxEventDataLength
    ? itemJson(shown, nowMs)
    : truncatedItemJson(shown, nowMs)
}

/** Identifies an item in events: by its key for readers, and by its ID for lookups. */
export const named = ({
  id,
  key,
  project_id,
}: store.ItemAddress): Pick<Change, 'subject' | 'itemId' | 'projectId'> => ({
  subject: key,
  itemId: id,
  projectId: project_id,
})

/** What the history keeps of a change of an item. `before` is null if the change created the item. */
export const keptOf = (
  { id, key, version }: Pick<store.StoredItem, 'id' | 'key' | 'version'>,
  before: store.StoredItem | null,
): Kept => ({
  record: recordName.knowledge(id),
  itemKey: key,
  version,
  beforeVersion: before?.version ?? null,
  before: before && versionJson(before),
})

/** What is kept of a deleted item in addition to its fields. */
export interface DeletionRest {
  contentBy: ActorRef
}

/** What the history keeps of the deletion of an item. */
export const keptOfDeleted = (item: store.StoredItem): Kept => ({
  ...keptOf(item, item),
  rest: JSON.stringify({ contentBy: contentByOf(item) } satisfies DeletionRest),
})

export const storedLength = (meta: StoredMeta, content: string): number =>
  utf8Length(withoutLinks(meta)) + utf8Length(content)

/** Who last changed the content. */
export const contentByOf = ({ content_by, meta }: Pick<store.StoredItem, 'content_by' | 'meta'>): ActorRef =>
  content_by === null ? parseMeta(meta).updatedBy : (JSON.parse(content_by) as ActorRef)

interface LinkedIds {
  superseded_by: string | null
  supersededIds: string[]
}

/** Returns the IDs of the items that an item supersedes, and of the item that supersedes it. */
const linkedIds = async (
  call: Call,
  projectId: store.ProjectScope,
  { supersedes, supersededBy }: Pick<KnowledgeMeta, 'supersedes' | 'supersededBy'>,
): Promise<LinkedIds> => {
  const keys = [...supersedes, ...(supersededBy === null ? [] : [supersededBy])]
  if (keys.length === 0) return { superseded_by: null, supersededIds: [] }
  const ids = await store.findIdsAt(call.db, call.actor.tenantId, projectId, keys)
  return {
    superseded_by: (supersededBy === null ? undefined : ids.get(supersededBy)) ?? null,
    supersededIds: supersedes.flatMap((key) => ids.get(key) ?? []),
  }
}

/** Stores an item where none is, new or brought back, with the event that tells of it. */
export const insertItem = async (
  call: Call,
  place: Place,
  meta: KnowledgeMeta,
  content: string,
  event: {
    type: 'knowledge.created' | 'knowledge.restored'
    undoes?: string
    contentBy?: string | null
  },
): Promise<store.StoredItem> => {
  const { tenantId } = call.actor
  const { contentBy = null, ...logged } = event
  const stored = storedMeta(meta)
  const links = linksIn(meta.key, content)
  const { superseded_by, supersededIds } = await linkedIds(call, place.id, meta)
  const item: store.StoredItem = {
    ...{ superseded_by, superseding: supersededIds.length },
    ...{ id: meta.id, project_id: place.id, key: meta.key, version: meta.version, meta: stored, content },
    ...{ ...derivedColumnsOf(meta), stale: null, content_by: contentBy, derived_count: 0, link_count: links.length },
  }
  const change: Change = {
    ...logged,
    ...named(item),
    data: eventData(item, call.clock()),
    growthBytes: storedLength(stored, content),
    kept: keptOf(item, null),
  }
  if (meta.tags.length > 0) await call.db.runAll(store.replaceTags(tenantId, item, meta.tags))
  if (links.length > 0) await call.db.runAll(replaceLinks(call.db, tenantId, item.id, links))
  if (supersededIds.length > 0) await call.db.runAll(store.replaceSuperseded(tenantId, item.id, supersededIds))
  await record(call, change, [store.insertItem(tenantId, item, meta)])
  return item
}

/** What happens to an item: other fields, another content (a JSON string literal), or both. */
interface ItemChange {
  fields?: Partial<ItemFields>
  content?: string
}

/** New content was not reviewed, is not retracted, and relies on what its writer knows now. */
const ofNewContent: Partial<ItemFields> = { trust: 'unreviewed', verdict: null, retraction: null }

/** An item after a change, with what its `meta` says and said before. */
interface ChangedItem {
  item: store.StoredItem
  meta: KnowledgeMeta
  metaBefore: KnowledgeMeta
}

/** Changes an item; what stays the same is no change. */
export const changeItem = async (
  call: Call,
  before: store.StoredItem,
  { fields = {}, content = before.content }: ItemChange,
): Promise<ChangedItem> => {
  const isNewContent = content !== before.content
  const metaBefore = parseMeta(before.meta)
  const wanted = { ...metaBefore, ...(isNewContent && ofNewContent), ...fields }
  const changed = changedFields(metaBefore, wanted)
  if (!isNewContent && Object.keys(changed).length === 0) return { item: before, meta: metaBefore, metaBefore }
  const nowMs = call.clock()
  const meta: KnowledgeMeta = {
    ...wanted,
    version: before.version + 1,
    updatedAt: isoTime(nowMs),
    updatedBy: actorRef(call.actor),
  }
  const links = isNewContent ? linksIn(before.key, content) : undefined
  const linkCount = links?.length ?? before.link_count
  const isStaleCleared = isNewContent && before.stale !== null
  const areLinked = 'supersedes' in changed || 'supersededBy' in changed
  const linked = areLinked ? await linkedIds(call, before.project_id, meta) : undefined
  const after: store.StoredItem = {
    ...before,
    version: meta.version,
    meta: storedMeta(meta),
    content,
    ...derivedColumnsOf(meta),
    content_by: isNewContent ? null : (before.content_by ?? JSON.stringify(metaBefore.updatedBy)),
    link_count: linkCount,
    ...(linked && { superseded_by: linked.superseded_by, superseding: linked.supersededIds.length }),
    ...(isStaleCleared && { stale: null }),
  }
  const { tenantId } = call.actor
  const isContentAlone =
    after.content_by === before.content_by &&
    !isStaleCleared &&
    linkCount === before.link_count &&
    Object.keys(changed).length === 0
  if (links && linkCount + before.link_count > 0) {
    await call.db.runAll(replaceLinks(call.db, tenantId, before.id, links))
  }
  if (linked && changed.supersedes) {
    await call.db.runAll(store.replaceSuperseded(tenantId, before.id, linked.supersededIds))
  }
  if (changed.tags) await call.db.runAll(store.replaceTags(tenantId, before, meta.tags))
  const shownBefore = before.content.length <= maxEventDataLength ? `"content":${before.content}` : '"truncated":true'
  const changedJson = JSON.stringify(changed).slice(1, -1)
  const change: Change = {
    type: 'knowledge.updated',
    ...named(before),
    data: eventData(after, nowMs),
    previous: `{${[...(changedJson ? [changedJson] : []), ...(isNewContent ? [shownBefore] : [])].join(',')}}`,
    growthBytes: storedLength(after.meta, content) - storedLength(before.meta, before.content),
    kept: keptOf(after, before),
  }
  const [held, holds] = [
    { ...before, trust: metaBefore.trust },
    { ...after, trust: meta.trust },
  ]
  await queueChanged(call, before.id, held, holds)
  await record(call, change, [store.updateItem(tenantId, after, meta, { isContentAlone })])
  return { item: after, meta, metaBefore }
}
