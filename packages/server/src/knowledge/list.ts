import type { Call } from '../call.js'
import { invalid } from '../errors.js'
import { decodeCursor, encodeCursor, listFingerprint, type Page, pageOf } from '../paging.js'
import { projectNamed } from '../projects/service.js'
import { endOfPrefix } from './key.js'
import type { KnowledgeListQuery } from './schema.js'
import * as store from './store.js'

/** The places a list covers: null is all that there are. */
const placesOf = async (call: Call, { projectId, scope = 'all' }: KnowledgeListQuery): Promise<string[] | null> => {
  if (projectId !== undefined) return [(await projectNamed(call, projectId)).id]
  if (scope === 'tenant') return ['']
  const { projectIds } = call.actor
  if (projectIds === null) return null
  return scope === 'project' ? [...projectIds] : ['', ...projectIds]
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
): Promise<{ items: string[]; isCut: boolean }> => {
  const items: string[] = []
  let length = 0
  let step = isContentWanted ? firstStep : wanted
  for (;;) {
    const last = items.at(-1)
    const from: store.ItemRange = last ? { ...range, after: placeOf(last) } : range
    const count = Math.min(step, wanted - items.length)
    const more = await store.listItems(call.db, call.actor.tenantId, from, isContentWanted, count)
    for (const item of more) {
      items.push(item)
      length += item.length
      if (length > maxPageLength) return { items, isCut: true }
    }
    if (more.length < count || items.length === wanted) return { items, isCut: false }
    step = Math.max(firstStep, Math.floor((maxPageLength - length) / (length / items.length + 1)))
  }
}

/** The items as JSON, one text each, ordered by key. */
export const listItems = async (call: Call, query: KnowledgeListQuery): Promise<Page<string>> => {
  if (query.projectId !== undefined && query.scope !== undefined) {
    throw invalid({ path: 'scope', message: 'cannot stand together with projectId, which names one project already' })
  }
  const { tenantId } = call.actor
  const { limit = 100, prefix = '', scope = 'all', cursor } = query
  const isContentWanted = query.fields !== 'key'
  const projectIds = await placesOf(call, query)
  const fingerprint = listFingerprint([tenantId, 'knowledge', projectIds, scope, prefix])
  const range: store.ItemRange = {
    projectIds,
    isProjectsOnly: projectIds === null && scope === 'project',
    fromKey: prefix,
    endKey: endOfPrefix(prefix),
    after: cursor === undefined ? undefined : decodeCursor<[string, string]>(cursor, fingerprint, ['text', 'text']),
  }
  const { items, isCut } = await readItems(call, range, isContentWanted, limit + 1)
  // The item that made the page too long is left for the next one; no item is that long alone.
  return pageOf(items, isCut ? items.length - 1 : limit, (last) => encodeCursor(fingerprint, placeOf(last)))
}
