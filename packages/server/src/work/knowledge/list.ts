import { invalid } from '../../base/errors.js'
import { decodeCursor, encodeCursor, listFingerprint, type Page, pageOf } from '../../base/paging.js'
import { isListed, type ProjectSet, withTenantWide } from '../../base/project-set.js'
import type { Call } from '../../operations/call.js'
import { projectNamed } from '../../tenancy/projects/service.js'
import { markProjectsOf, withVisibleMarks } from '../fields/stale-marks.js'
import { endOfPrefix } from './key.js'
import * as store from './list-store.js'
import type { KnowledgeList } from './schema.js'

/** The places a list covers. */
const placesOf = async (call: Call, { projectId, scope = 'all' }: KnowledgeList): Promise<ProjectSet> => {
  if (projectId !== undefined) return [(await projectNamed(call, projectId)).id]
  if (scope === 'tenant') return ['']
  const { projectIds } = call.actor
  return scope === 'project' ? projectIds : withTenantWide(projectIds)
}

/** Contents can be a megabyte each, so a page also ends where it has grown this long. */
const maxPageLength = 8_388_608
const firstStep = 25

/** Where an item stands in the order of the list. */
const placeOf = (item: string): [key: string, projectId: string] => {
  const { key, projectId } = JSON.parse(item) as { key: string; projectId: string | null }
  return [key, projectId ?? '']
}

/** Reads items in steps that grow where contents are small, until there are enough or the page is long enough. */
const readItems = async (
  call: Call,
  range: store.ItemRange,
  isContentWanted: boolean,
  wanted: number,
): Promise<{ items: string[]; isCut: boolean; nextEnd: number | undefined }> => {
  const items: string[] = []
  let nextEnd: number | undefined
  let length = 0
  let step = isContentWanted ? firstStep : wanted
  for (;;) {
    const last = items.at(-1)
    const from: store.ItemRange = last ? { ...range, after: placeOf(last) } : range
    const count = Math.min(step, wanted - items.length)
    const read = await store.listItems(call.db, call.actor.tenantId, from, isContentWanted, count, call.clock())
    nextEnd ??= read.nextEnd
    for (const item of read.items) {
      items.push(item)
      length += item.length
      if (length > maxPageLength) return { items, isCut: true, nextEnd }
    }
    if (read.items.length < count || items.length === wanted) return { items, isCut: false, nextEnd }
    step = Math.max(firstStep, Math.floor((maxPageLength - length) / (length / items.length + 1)))
  }
}

interface ListedItems {
  readonly range: store.ItemRange
  readonly fingerprint: number
}

const listedBy = async (call: Call, query: KnowledgeList): Promise<ListedItems> => {
  if (query.projectId !== undefined && query.scope !== undefined) {
    throw invalid({ path: 'scope', message: 'cannot be combined with projectId' })
  }
  const { prefix = '', scope = 'all', tag, trust, state, stale } = query
  const projectIds = await placesOf(call, query)
  const range: store.ItemRange = {
    projectIds,
    isProjectsOnly: !isListed(projectIds) && scope === 'project',
    fromKey: prefix,
    endKey: endOfPrefix(prefix),
    after: undefined,
    tag,
    trust,
    state,
    isStale: stale,
    markProjects: markProjectsOf(call.actor),
  }
  const filters = [projectIds, scope, prefix, tag, trust, state, stale]
  return { range, fingerprint: listFingerprint([call.actor.tenantId, 'knowledge', ...filters]) }
}

interface ItemPage extends Page<string> {
  /** When the next item of the tenant expires; undefined where none will. */
  nextEnd: number | undefined
}

/** The items as JSON, one text each, ordered by key. */
export const listItems = async (call: Call, query: KnowledgeList): Promise<ItemPage> => {
  const { limit = 100, cursor } = query
  const { range, fingerprint } = await listedBy(call, query)
  const after = cursor === undefined ? undefined : decodeCursor<[string, string]>(cursor, fingerprint, ['text', 'text'])
  const isContentWanted = query.fields !== 'key'
  const { items, isCut, nextEnd } = await readItems(call, { ...range, after }, isContentWanted, limit + 1)
  const shown = items.map((item) => withVisibleMarks(call.actor, item))
  // The item that made the page too long is left for the next one; no item is that long alone.
  const page = pageOf(shown, isCut ? shown.length - 1 : limit, (last) => encodeCursor(fingerprint, placeOf(last)))
  return { ...page, nextEnd }
}

/** As many as are counted. */
const maxTotal = 1_000

/** How many items the list has, whatever the page. */
export const countItems = async (
  call: Call,
  query: Pick<KnowledgeList, 'prefix' | 'projectId'>,
): Promise<{ total: number; totalIsCapped?: true }> => {
  const { range } = await listedBy(call, query)
  const count = await store.countItems(call.db, call.actor.tenantId, range, maxTotal + 1, call.clock())
  return count > maxTotal ? { total: maxTotal, totalIsCapped: true } : { total: count }
}
